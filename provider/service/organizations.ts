import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { ApiError, NotFoundError } from "../http/errors";
import { type Page, readPage } from "../http/page";
import { readList, readUpTo } from "../http/pages";
import { ORGANIZATION_ID } from "./ids";
import { recordOf } from "./record";
import {
  type DirectHolders,
  effectiveRole,
  type EffectiveRole,
  isOfOrganization,
  isSystemRole,
  roleGroupRecord,
  type RoleGroupRecord,
  roleRecord,
  type RoleRecord,
  SYSTEM_OWNER,
} from "./roles";

/*
 * Organizations: business customers, in which groups have roles of their own. The source document doesn't
 * have them; the calls are those of the official client.
 */

export const organizationRecord = recordOf({ name: z.string(), display_name: z.string() }).extend({
  id: ORGANIZATION_ID,
});
export type OrganizationRecord = z.infer<typeof organizationRecord>;

const ORGANIZATIONS = {
  path: "/organizations",
  entries: "organizations",
  record: organizationRecord,
  scopes: ["read:organizations"],
} as const;

export function listOrganizations(
  client: IdentityClient,
  signal?: AbortSignal,
): Promise<OrganizationRecord[]> {
  return readList(client, ORGANIZATIONS, { signal });
}

/** Reads all organizations if there are at most this many; `isMore`: there are more. */
export function readSomeOrganizations(
  client: IdentityClient,
  most: number,
  signal?: AbortSignal,
): Promise<{ items: OrganizationRecord[]; isMore: boolean }> {
  return readUpTo(client, ORGANIZATIONS, most, { signal });
}

/** Lists the organizations that a user is a member of. */
export function listUserOrganizations(
  client: IdentityClient,
  userId: string,
  signal?: AbortSignal,
): Promise<OrganizationRecord[]> {
  const path = "/users/{id}/organizations";
  return readList(client, { ...ORGANIZATIONS, path, ids: { id: userId }, isNumbered: true }, { signal });
}

/**
 * Returns the organization of this name, or the first ones of the list if the call by name finds no such. How
 * the service compares names isn't documented, so compare again. A tenant may have millions.
 */
export async function findOrganizations(
  client: IdentityClient,
  name: string,
  signal?: AbortSignal,
): Promise<Page<OrganizationRecord>> {
  const named = await organizationNamed(client, name, signal);
  return named === undefined ? readPage(client, ORGANIZATIONS, undefined, signal) : { items: [named] };
}

async function organizationNamed(
  client: IdentityClient,
  name: string,
  signal: AbortSignal | undefined,
): Promise<OrganizationRecord | undefined> {
  try {
    const found = await client.send(
      {
        method: "GET",
        path: "/organizations/name/{name}",
        ids: { name },
        isLookUp: true,
        answer: organizationRecord,
        scopes: ORGANIZATIONS.scopes,
      },
      { signal },
    );
    return found.name === name ? found : undefined;
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

export async function readOrganizationName(
  client: IdentityClient,
  organizationId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { name } = await client.send(
    {
      method: "GET",
      path: "/organizations/{id}",
      ids: { id: organizationId },
      answer: organizationRecord,
      scopes: ORGANIZATIONS.scopes,
    },
    { signal },
  );
  return name ?? undefined;
}

/** Lists an organization's own roles. The tenant's and the service's can be assigned in it too. */
export async function listOrganizationRoles(
  client: IdentityClient,
  organizationId: string,
  signal?: AbortSignal,
): Promise<RoleRecord[]> {
  const roles = await listRolesOf(client, organizationId, signal);
  return roles.filter(
    (role) => isOfOrganization(role) && (role["owner_id"] ?? organizationId) === organizationId,
  );
}

/** Lists the System Roles: none, if the tenant doesn't know of such. */
export async function listSystemRoles(client: IdentityClient, signal?: AbortSignal): Promise<RoleRecord[]> {
  try {
    return (await listRolesOf(client, SYSTEM_OWNER, signal)).filter(isSystemRole);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 400 || error.status === 404)) return [];
    throw error;
  }
}

/** A tenant that doesn't know these filters may ignore them. */
function listRolesOf(client: IdentityClient, owner: string, signal?: AbortSignal): Promise<RoleRecord[]> {
  return readList(
    client,
    {
      path: "/roles",
      query: { type: "organization", owner_id: owner },
      entries: "roles",
      record: roleRecord,
      scopes: ["read:roles"],
      isNumbered: true,
    },
    { signal },
  );
}

export function listOrganizationGroups(
  client: IdentityClient,
  organizationId: string,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  return readList(
    client,
    {
      path: "/organizations/{id}/groups",
      ids: { id: organizationId },
      entries: "groups",
      record: roleGroupRecord,
      scopes: ["read:organization_groups"],
    },
    { signal },
  );
}

/** A role that groups have in an organization. */
export interface RoleInOrganization {
  organization: string;
  role: string;
}

/** Lists the groups that have a role in an organization. */
export function readOrganizationRoleGroups(
  client: IdentityClient,
  { organization, role }: RoleInOrganization,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  return readList(
    client,
    {
      path: "/organizations/{organization}/roles/{role}/groups",
      ids: { organization, role },
      list: ORGANIZATIONS.path,
      entries: "groups",
      record: roleGroupRecord,
      scopes: ["read:organization_group_roles"],
    },
    { signal },
  );
}

const roleMemberRecord = z.looseObject({ user_id: z.string().min(1) });

/** Reads who has a role directly in an organization. */
export async function readOrganizationRoleMembers(
  client: IdentityClient,
  { organization, role }: RoleInOrganization,
  most: number,
  signal?: AbortSignal,
): Promise<DirectHolders> {
  const list = {
    path: "/organizations/{organization}/roles/{role}/members",
    ids: { organization, role },
    entries: "members",
    record: roleMemberRecord,
    scopes: ["read:organization_member_roles"],
  };
  const keyOf = ({ user_id }: z.infer<typeof roleMemberRecord>) => user_id;
  const { items, isMore } = await readUpTo(client, list, most, { signal, keyOf });
  return { people: items.map(keyOf), isMore };
}

/** A user in an organization. */
export interface Membership {
  organization: string;
  user: string;
}

const MEMBER_ROLES = "/organizations/{organization}/members/{user}/effective-roles";

/** Lists all roles that a member has in the organization, directly or through groups. */
export function readMemberRoles(
  client: IdentityClient,
  { organization, user }: Membership,
  signal?: AbortSignal,
): Promise<EffectiveRole[]> {
  return readList(
    client,
    {
      path: MEMBER_ROLES,
      ids: { organization, user },
      entries: "roles",
      record: effectiveRole,
      scopes: ["read:organization_member_effective_roles"],
    },
    { signal },
  );
}

/** Lists the groups through which a member has a role in the organization. */
export function readMemberSourceGroups(
  client: IdentityClient,
  { organization, user }: Membership,
  roleId: string,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  return readList(
    client,
    {
      path: `${MEMBER_ROLES}/sources/groups`,
      ids: { organization, user },
      query: { role_id: roleId },
      entries: "groups",
      record: roleGroupRecord,
      scopes: ["read:organization_member_role_source_groups"],
    },
    { signal },
  );
}

const GROUP_ROLES = "/organizations/{organization}/groups/{group}/roles";

/** Lists the roles that a group has in an organization. */
export function readOrganizationGroupRoles(
  client: IdentityClient,
  organization: string,
  group: string,
  signal?: AbortSignal,
): Promise<RoleRecord[]> {
  return readList(
    client,
    {
      path: GROUP_ROLES,
      ids: { organization, group },
      entries: "roles",
      record: roleRecord,
      scopes: ["read:organization_group_roles"],
    },
    { signal },
  );
}

/** A call is about one group, and lists roles. */
export const assignOrganizationRole = changeOfRole("POST", "create:organization_group_roles");
export const removeOrganizationRole = changeOfRole("DELETE", "delete:organization_group_roles");

function changeOfRole(method: "POST" | "DELETE", scope: string) {
  return (client: IdentityClient, { organization, role }: RoleInOrganization, group: string): Promise<void> =>
    client.send({
      method,
      path: GROUP_ROLES,
      ids: { organization, group },
      body: { roles: [role] },
      ...(method === "DELETE" && { list: ORGANIZATIONS.path }),
      scopes: [scope],
    });
}
