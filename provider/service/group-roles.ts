import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { allPages, eachOnce } from "../http/pages";
import { roleRecord, type RoleRecord } from "./roles";

const ROLES_PER_PAGE = 100;

const rolePage = z.looseObject({ roles: z.array(roleRecord), next: z.string().nullish() });

/** All roles that a group has. */
export async function readGroupRoles(client: IdentityClient, groupId: string): Promise<RoleRecord[]> {
  const roles = await allPages(async (from) => {
    const page = await client.send({
      method: "GET",
      path: "/groups/{id}/roles",
      ids: { id: groupId },
      query: { take: ROLES_PER_PAGE, from },
      answer: rolePage,
      scopes: ["read:group_roles"],
    });
    return { items: page.roles, next: page.next ?? undefined };
  }, "GET /groups/{id}/roles");
  return eachOnce(roles);
}
