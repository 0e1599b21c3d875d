import { isKnownWhole } from "../../provider/access/people";
import { count } from "../../provider/sentence";
import { type StackTenant } from "../stack-client";
import { compare, optional } from "../lists";
import { type Answer } from "../tenant/questions";
import { goingOn } from "../tenant/reader";
import { type AccessRole } from "./claims";
import { peopleOf } from "./directly";
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
  asked: { permissions?: boolean; members?: boolean },
): Promise<Details> {
  const { border } = client;
  const unread = new Set<string>();
  const readable = <Value>(what: string, answer: Answer<Value> | undefined): Value | undefined => {
    const { value, reason } = answer === undefined ? {} : goingOn(answer);
    for (const why of optional(reason)) unread.add(`${what} not read (${border.clean(why)})`);
    return value;
  };
  const details: Details = { roles: [...roles], members: undefined, unread: [] };
  if (asked.permissions) {
    const ids = roles.filter(({ exists }) => exists).map(({ id }) => id);
    progress.show(`Reading what ${count(ids.length, "role")} allow …`);
    const answers = await reader.permissionsOfRoles(ids);
    details.roles = roles.map((role) => {
      const records = readable("what some roles allow was", answers.get(role.id));
      const permissions = records?.map((record) => ({
        resourceServer: border.quote(record.resource_server_identifier ?? ""),
        name: border.quote(record.permission_name ?? ""),
      }));
      return { ...role, permissions: permissions ?? null };
    });
  }
  if (asked.members) {
    const there = roles.flatMap(({ groups }) => groups.filter(({ status }) => status !== "drift"));
    const groups = [...new Set(there.map(({ id }) => id))];
    const shown = progress.counting("Reading members of groups", groups.length);
    const answers = await reader.membersOfGroups(groups, shown);
    details.members = groups.map((id) => {
      const members = readable("who is in some groups was", answers.get(id));
      const found = members && { people: members.people, isMore: !isKnownWhole(members) };
      return { id, people: peopleOf(found, border) };
    });
  }
  return { ...details, unread: [...unread].sort(compare) };
}
