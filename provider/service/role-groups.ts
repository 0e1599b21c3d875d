import { type IdentityClient } from "../http/client";
import { assignOrganizationRole, readOrganizationRoleGroups, removeOrganizationRole } from "./organizations";
import { assignRoleGroups, readRoleGroups, removeRoleGroups, type RoleGroupRecord } from "./roles";

/* The groups of a role, in the tenant or in an organization: the same questions, and other calls. */

/** A role, and where it counts; without an organization in the tenant itself. */
interface Role {
  organization?: string | undefined;
  role: string;
}

export function readGroupsOf(
  client: IdentityClient,
  { organization, role }: Role,
  signal?: AbortSignal,
): Promise<RoleGroupRecord[]> {
  return organization === undefined
    ? readRoleGroups(client, role, signal)
    : readOrganizationRoleGroups(client, { organization, role }, signal);
}

export async function listGroupsOf(
  client: IdentityClient,
  role: Role,
  signal?: AbortSignal,
): Promise<string[]> {
  return (await readGroupsOf(client, role, signal)).map(({ id }) => id);
}

/** Our own limit: the service names none for one call. */
const GROUPS_PER_CALL = 50;

/** In an organization, a call is about one group. */
export function mostGroupsPerCall({ organization }: Role): number {
  return organization === undefined ? GROUPS_PER_CALL : 1;
}

export const grantRole = changeOf(assignRoleGroups, assignOrganizationRole);
export const revokeRole = changeOf(removeRoleGroups, removeOrganizationRole);

/** Sends one call for at most as many groups as one can be about. */
function changeOf(inTenant: typeof assignRoleGroups, inOrganization: typeof assignOrganizationRole) {
  return async (
    client: IdentityClient,
    { organization, role }: Role,
    groups: readonly string[],
  ): Promise<void> => {
    if (organization === undefined) return inTenant(client, role, groups);
    for (const group of groups) await inOrganization(client, { organization, role }, group);
  };
}
