import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { type Page, readPage } from "../http/page";
import { readList, readUpTo } from "../http/pages";
import { GROUP_ID } from "./ids";
import { recordOf } from "./record";
import { roleRecord, type RoleRecord } from "./roles";

export const groupRecord = recordOf({
  name: z.string(),
  connection_id: z.string(),
  external_id: z.string(),
}).extend({ id: GROUP_ID });
export type GroupRecord = z.infer<typeof groupRecord>;

interface GroupFilter {
  name?: string | undefined;
  connectionId?: string | undefined;
}

/** Lists all groups that match the filter. A name is unique only within its connection. */
export function listGroups(
  client: IdentityClient,
  filter: GroupFilter,
  signal?: AbortSignal,
): Promise<GroupRecord[]> {
  return readList(client, listOf(filter), { signal });
}

/** Lists the groups of exactly this name: how the service compares isn't documented. */
export async function groupsNamed(
  client: IdentityClient,
  name: string,
  signal?: AbortSignal,
): Promise<GroupRecord[]> {
  const found = await listGroups(client, { name }, signal);
  return found.filter((group) => group.name === name);
}

/** Reads the first page only: a directory may have thousands. */
export function readGroupPage(
  client: IdentityClient,
  filter: GroupFilter,
  signal?: AbortSignal,
): Promise<Page<GroupRecord>> {
  return readPage(client, listOf(filter), undefined, signal);
}

/** Reads all groups if there are at most this many; `isMore`: there are more. */
export function readSomeGroups(
  client: IdentityClient,
  most: number,
  signal?: AbortSignal,
): Promise<{ items: GroupRecord[]; isMore: boolean }> {
  return readUpTo(client, listOf({}), most, { signal });
}

function listOf({ name, connectionId }: GroupFilter) {
  return {
    path: "/groups",
    query: { name, connection_id: connectionId },
    entries: "groups",
    record: groupRecord,
    scopes: ["read:groups"],
  };
}

export async function readGroupName(
  client: IdentityClient,
  groupId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { name } = await client.send(
    {
      method: "GET",
      path: "/groups/{id}",
      ids: { id: groupId },
      answer: groupRecord,
      scopes: ["read:groups"],
    },
    { signal },
  );
  return name ?? undefined;
}

export function readGroupRoles(
  client: IdentityClient,
  groupId: string,
  signal?: AbortSignal,
): Promise<RoleRecord[]> {
  return readList(
    client,
    {
      path: "/groups/{id}/roles",
      ids: { id: groupId },
      entries: "roles",
      record: roleRecord,
      scopes: ["read:group_roles"],
    },
    { signal },
  );
}

/** The service's `type` isn't here: it's the kind of the group, and tells nothing of the member. */
const memberRecord = recordOf({ member_type: z.string() }).extend({ id: z.string().min(1) });

export interface GroupMembers {
  people: string[];
  /** Number of groups within the group: their members are not among the people. */
  groups: number;
  /** Number of members that are neither people nor groups, as far as the answer tells. */
  others: number;
  /** True if there are more than were read. */
  isMore: boolean;
}

/** Reads only as many members as it takes to know that there are more: a group may have any number. */
export async function readMembers(
  client: IdentityClient,
  groupId: string,
  most: number,
  signal?: AbortSignal,
): Promise<GroupMembers> {
  const list = {
    path: "/groups/{id}/members",
    ids: { id: groupId },
    entries: "members",
    record: memberRecord,
    scopes: ["read:group_members"],
  };
  const { items, isMore } = await readUpTo(client, list, most, { signal });
  const of = (type: MemberType) => items.filter((member) => typeOf(member) === type);
  const people = new Set(of("person").map(({ id }) => id));
  return {
    people: [...people].slice(0, most),
    groups: of("group").length,
    others: of("other").length,
    isMore,
  };
}

type MemberType = "person" | "group" | "other";

/** Without a type, users' ids have a connection: `auth0|64c1…`. What isn't surely a person may be many. */
function typeOf({ id, member_type }: z.infer<typeof memberRecord>): MemberType {
  if (typeof member_type !== "string") {
    if (id.startsWith("grp_")) return "group";
    return id.includes("|") && !id.startsWith("org_") ? "person" : "other";
  }
  const type = member_type.toLowerCase();
  return type === "user" ? "person" : type === "group" ? "group" : "other";
}
