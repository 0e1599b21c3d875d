import { concernsOneQuestion } from "../../provider/http/errors";
import { count } from "../../provider/sentence";
import { compare } from "../../provider/review/step";
import { type StackTenant } from "../stack-client";
import { type Asked } from "../tenant/questions";
import { type AccessRole } from "./claims";
import { type AccessJson } from "./model";

export interface Details {
  roles: AccessRole[];
  members: AccessJson["members"];
  /** Why some of it is unknown. */
  unread: string[];
}

/** Reads what the roles allow, and who is in the groups, if somebody wants to know. */
export async function readDetails(
  { client, reader, progress }: StackTenant,
  roles: readonly AccessRole[],
  wanted: { permissions: boolean; members: boolean },
): Promise<Details> {
  const unread = new Map<string, number>();
  const readable = <Value>(what: string, answer: Asked<Value>): Value | undefined => {
    if ("value" in answer) return answer.value;
    if (!concernsOneQuestion(answer.error)) throw answer.error;
    const why = `${what} not read (${client.border.clean(answer.reason)})`;
    unread.set(why, (unread.get(why) ?? 0) + 1);
    return undefined;
  };
  const quote = (text: string | null | undefined) => client.border.quote(text ?? "");
  const told: Details = { roles: [...roles], members: undefined, unread: [] };
  if (wanted.permissions) {
    const asked = roles.filter(({ exists }) => exists).map(({ id }) => id);
    progress.show(`Reading what ${count(asked.length, "role")} allow …`);
    const answers = await reader.permissionsOfRoles(asked);
    told.roles = roles.map((role) => {
      const answer = answers.get(role.id);
      const found = answer && readable("what some roles allow was", answer);
      const permissions = found?.map((one) => ({
        resourceServer: quote(one.resource_server_identifier),
        name: quote(one.permission_name),
      }));
      return { ...role, permissions: permissions ?? null };
    });
  }
  if (wanted.members) {
    const held = roles.flatMap(({ groups }) => groups.filter(({ status }) => status !== "drift"));
    const groups = [...new Set(held.map(({ id }) => id))];
    const shown = progress.counting("Reading members of groups", groups.length);
    const answers = await reader.membersOfGroups(groups, shown);
    told.members = groups.map((id) => {
      const answer = answers.get(id);
      const found = answer && readable("who is in some groups was", answer);
      if (found === undefined) return { id, people: null };
      const ids = found.people.map(quote).sort(compare);
      const isMore = found.isMore || found.groups + found.others > 0;
      return { id, people: { count: ids.length, more: isMore, ids } };
    });
  }
  return { ...told, unread: [...unread.keys()].sort(compare) };
}
