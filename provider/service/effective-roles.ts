import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { allPages, eachOnce } from "../http/pages";
import { type GroupRecord, groupPage } from "./role-groups";
import { roleRecord } from "./roles";

/* What the official client knows of a user's roles, and the source document doesn't: not every tenant answers it. */

const PER_PAGE = 100;

/** Where a user has a role from; the official client knows "direct" and "groups". */
const effectiveRole = roleRecord.extend({ sources: z.array(z.string()) });
export type EffectiveRole = z.infer<typeof effectiveRole>;

const rolePage = z.looseObject({ roles: z.array(effectiveRole), next: z.string().nullish() });

/** All roles that a user has outside of organizations, directly or through groups. */
export async function readEffectiveRoles(client: IdentityClient, userId: string): Promise<EffectiveRole[]> {
  const roles = await allPages(async (from) => {
    const page = await client.send({
      method: "GET",
      path: "/users/{id}/effective-roles",
      ids: { id: userId },
      query: { take: PER_PAGE, from },
      answer: rolePage,
      scopes: ["read:user_effective_roles"],
    });
    return { items: page.roles, next: page.next ?? undefined };
  }, "GET /users/{id}/effective-roles");
  return eachOnce(roles);
}

/** The groups through which a user has a role. */
export async function readSourceGroups(
  client: IdentityClient,
  userId: string,
  roleId: string,
): Promise<GroupRecord[]> {
  const groups = await allPages(async (from) => {
    const page = await client.send({
      method: "GET",
      path: "/users/{id}/effective-roles/sources/groups",
      ids: { id: userId },
      query: { role_id: roleId, take: PER_PAGE, from },
      answer: groupPage,
      scopes: ["read:user_role_source_groups"],
    });
    return { items: page.groups, next: page.next ?? undefined };
  }, "GET /users/{id}/effective-roles/sources/groups");
  return eachOnce(groups);
}
