import * as z from "../zod";
import { type Call } from "../http/call";
import { type IdentityClient } from "../http/client";
import { readList, readUpTo } from "../http/pages";
import { GROUP_ID, ROLE_ID } from "./ids";
import { recordOf } from "./record";
import { permissionKey, permissionRecord, type PermissionRecord } from "./users";

export const roleRecord = recordOf({ name: z.string(), description: z.string() }).extend({ id: ROLE_ID });
export type RoleRecord = z.infer<typeof roleRecord>;

/** Newer tenants list organization roles among their own. A role without a type is the tenant's. */
export function isOfOrganization({ type }: RoleRecord): boolean {
  return type === "organization";
}

/** The owner of System Roles: they are the service's own, and can be assigned in any organization. */
export const SYSTEM_OWNER = "auth0";

export function isSystemRole(role: RoleRecord): boolean {
  return isOfOrganization(role) && role["owner_id"] === SYSTEM_OWNER;
}

/** True for roles of the tenant, of this organization, and of the service. */
export function isAssignableIn(organization: string, role: RoleRecord): boolean {
  const { owner_id: owner = organization } = role;
  return !isOfOrganization(role) || owner === organization || isSystemRole(role);
}

/** Returns a role's name for people: `support-agent (organization)`. */
export function titleOfRole(role: RoleRecord, shown: (name: string) => string): string | undefined {
  if (!role.name) return undefined;
  return shown(role.name) + (isOfOrganization(role) ? " (organization)" : "");
}

const ROLES = "/roles";
const ROLE_GROUPS = "/roles/{id}/groups";

/**
 * Lists all roles of the tenant. One list covers every name, while a filter would take a request for each.
 */
export function listRoles(client: IdentityClient, signal?: AbortSignal): Promise<RoleRecord[]> {
  return readList(
    client,
    { path: ROLES, entries: "roles", record: roleRecord, scopes: ["read:roles"], isNumbered: true },
    { signal },
  );
}

/** Reads one role, which a list that isn't whole may lack. */
export function readRole(client: IdentityClient, roleId: string, signal?: AbortSignal): Promise<RoleRecord> {
  return client.send(
    { method: "GET", path: "/roles/{id}", ids: { id: roleId }, answer: roleRecord, scopes: ["read:roles"] },
    { signal },
  );
}

/** Lists a role's permissions. */
export function listRolePermissions(
  client: IdentityClient,
  roleId: string,
  signal?: AbortSignal,
): Promise<PermissionRecord[]> {
  return readList(
    client,
    {
      path: "/roles/{id}/permissions",
      ids: { id: roleId },
      entries: "permissions",
      record: permissionRecord,
      scopes: ["read:roles"],
      isNumbered: true,
    },
    { keyOf: permissionKey, signal },
  );
}

/** The source document shows only a group's id, so nothing else may fail a read. */
export const roleGroupRecord = z.looseObject({ id: GROUP_ID, name: z.string().optional().catch(undefined) });
export type RoleGroupRecord = z.infer<typeof roleGroupRecord>;

export function readRoleGroups(
  client: IdentityClient,
  roleId: string,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  const scopes = ["read:group_roles"];
  const call = { path: ROLE_GROUPS, ids: { id: roleId }, list: ROLES, scopes };
  return readList(client, { ...call, entries: "groups", record: roleGroupRecord }, { signal });
}

/** The people who have a role directly, not through a group. */
export interface DirectHolders {
  people: string[];
  /** True if there are more than were read. */
  isMore: boolean;
}

const roleUserRecord = z.looseObject({ user_id: z.string().min(1) });

/** By cursor: the numbered pages of this list end at 1,000 people. */
export async function readRoleUsers(
  client: IdentityClient,
  roleId: string,
  most: number,
  signal?: AbortSignal,
): Promise<DirectHolders> {
  const list = {
    path: "/roles/{id}/users",
    ids: { id: roleId },
    entries: "users",
    record: roleUserRecord,
    // Or read:users together with read:roles.
    scopes: ["read:role_members"],
  };
  const keyOf = ({ user_id }: z.infer<typeof roleUserRecord>) => user_id;
  const { items, isMore } = await readUpTo(client, list, most, { signal, keyOf });
  return { people: items.map(keyOf), isMore };
}

/** Section 4.3: gives the role to groups. */
export const assignRoleGroups = changeOfGroups({ method: "POST", scopes: ["create:group_roles"] });
export const removeRoleGroups = changeOfGroups({
  method: "DELETE",
  scopes: ["delete:group_roles"],
  list: ROLES,
});

function changeOfGroups(call: Pick<Call<undefined>, "method" | "scopes" | "list">) {
  return (client: IdentityClient, roleId: string, groups: readonly string[]): Promise<void> =>
    client.send({ ...call, path: ROLE_GROUPS, ids: { id: roleId }, body: { groups } });
}

/*
 * Reads of a user's roles that the official client has and the source document doesn't: not every tenant
 * answers them.
 */

/** A role with the sources it comes from; the official client knows "direct" and "groups". */
export const effectiveRole = roleRecord.extend({ sources: z.array(z.string()) });
export type EffectiveRole = z.infer<typeof effectiveRole>;

/** Lists all roles that a user has outside of organizations, directly or through groups. */
export function readEffectiveRoles(
  client: IdentityClient,
  userId: string,
  signal?: AbortSignal,
): Promise<EffectiveRole[]> {
  return readList(
    client,
    {
      path: "/users/{id}/effective-roles",
      ids: { id: userId },
      entries: "roles",
      record: effectiveRole,
      scopes: ["read:user_effective_roles"],
    },
    { signal },
  );
}

/** Lists the groups through which a user has a role. */
export function readSourceGroups(
  client: IdentityClient,
  userId: string,
  roleId: string,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  return readList(
    client,
    {
      path: "/users/{id}/effective-roles/sources/groups",
      ids: { id: userId },
      query: { role_id: roleId },
      entries: "groups",
      record: roleGroupRecord,
      scopes: ["read:user_role_source_groups"],
    },
    { signal },
  );
}
