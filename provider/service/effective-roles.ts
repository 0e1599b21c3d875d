import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { readList } from "../http/pages";
import { type RoleGroupRecord, roleGroupRecord } from "./role-groups";
import { roleRecord } from "./roles";

/* What the official client knows of a user's roles, and the source document doesn't: not every tenant answers it. */

/** Where a user has a role from; the official client knows "direct" and "groups". */
const effectiveRole = roleRecord.extend({ sources: z.array(z.string()) });
export type EffectiveRole = z.infer<typeof effectiveRole>;

/** All roles that a user has outside of organizations, directly or through groups. */
export function readEffectiveRoles(client: IdentityClient, userId: string): Promise<EffectiveRole[]> {
  return readList(client, {
    path: "/users/{id}/effective-roles",
    ids: { id: userId },
    entries: "roles",
    record: effectiveRole,
    scopes: ["read:user_effective_roles"],
  });
}

/** The groups through which a user has a role. */
export function readSourceGroups(
  client: IdentityClient,
  userId: string,
  roleId: string,
): Promise<RoleGroupRecord[]> {
  return readList(client, {
    path: "/users/{id}/effective-roles/sources/groups",
    ids: { id: userId },
    query: { role_id: roleId },
    entries: "groups",
    record: roleGroupRecord,
    scopes: ["read:user_role_source_groups"],
  });
}
