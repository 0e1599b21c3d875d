import { concernsOneQuestion } from "../../provider/http/errors";
import { count } from "../../provider/sentence";
import { compare } from "../../provider/review/step";
import { type StackTenant } from "../stack-client";
import { type AccessRole } from "./claims";

/** Reads who has each role without a group. `unread`: why that is unknown of some. */
export async function readDirectly(
  { client, reader }: StackTenant,
  roles: readonly AccessRole[],
  hasIds: boolean,
): Promise<{ roles: AccessRole[]; unread: string[] }> {
  const asked = roles.filter(({ exists }) => exists).map(({ id }) => id);
  const answers = await reader.usersOfRoles(asked, (_, answer) => {
    if ("error" in answer && !concernsOneQuestion(answer.error)) throw answer.error;
  });
  const unread = new Map<string, number>();
  const found = roles.map((role): AccessRole => {
    const answer = answers.get(role.id);
    if (answer === undefined) return role;
    if ("error" in answer) {
      unread.set(answer.reason, (unread.get(answer.reason) ?? 0) + 1);
      return { ...role, people: null };
    }
    const { people, isMore } = answer.value;
    const ids = people.map((person) => client.border.quote(person)).sort(compare);
    return { ...role, people: { count: ids.length, more: isMore, ...(hasIds && { ids }) } };
  });
  const told = [...unread].map(
    ([reason, number]) =>
      `who has ${count(number, "role")} directly was not read (${client.border.clean(reason)})`,
  );
  return { roles: found, unread: told.sort(compare) };
}
