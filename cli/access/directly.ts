import { type Border } from "../../provider/border";
import { groupedBy } from "../../provider/access/grants";
import { count } from "../../provider/sentence";
import { type DirectHolders } from "../../provider/service/roles";
import { compare, optional } from "../lists";
import { type StackTenant } from "../stack-client";
import { goingOn } from "../tenant/reader";
import { type AccessRole } from "./claims";

/** Reads who has each role without a group. `unread`: why that is unknown of some. */
export async function readDirectly(
  { client: { border }, reader }: StackTenant,
  roles: readonly AccessRole[],
  hasIds: boolean,
): Promise<{ roles: AccessRole[]; unread: string[] }> {
  const asked = roles.filter(({ exists }) => exists).map(({ id }) => id);
  const answers = await reader.usersOfRoles(asked, (_, answer) => goingOn(answer));
  const reasons = [...answers.values()].flatMap(({ reason }) => optional(reason));
  const unread = [...groupedBy(reasons, (reason) => reason)].map(
    ([reason, all]) => `who has ${count(all.length, "role")} directly was not read (${border.clean(reason)})`,
  );
  const withPeople = (role: AccessRole): AccessRole => {
    const answer = answers.get(role.id);
    return answer === undefined ? role : { ...role, people: peopleOf(answer.value, border, hasIds) };
  };
  return { roles: roles.map(withPeople), unread: unread.sort(compare) };
}

/** People as in JSON; null if they aren't known. */
export function peopleOf(
  found: DirectHolders | undefined,
  border: Border,
  hasIds = true,
): { count: number; more: boolean; ids?: string[] } | null {
  if (found === undefined) return null;
  const ids = found.people.map((person) => border.quote(person)).sort(compare);
  return { count: ids.length, more: found.isMore, ...(hasIds && { ids }) };
}
