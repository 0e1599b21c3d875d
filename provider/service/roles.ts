import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { allOffsetPages, type OffsetPage } from "../http/pages";
import { ROLE_ID } from "./ids";
import { recordOf } from "./record";

const ROLES_PATH = "/roles";
/** Most roles that the service puts on one page. */
const ROLES_PER_PAGE = 100;

export const roleRecord = recordOf({ name: z.string(), description: z.string() }).extend({ id: ROLE_ID });
export type RoleRecord = z.infer<typeof roleRecord>;

const rolesAnswer = z.union([
  z.array(roleRecord),
  z.looseObject({ roles: z.array(roleRecord), total: z.number().optional() }),
]);

/** All roles of the tenant. One list answers for every name; the service's filter would take a request for each. */
export function listRoles(client: IdentityClient, signal?: AbortSignal): Promise<RoleRecord[]> {
  async function page(index: number): Promise<OffsetPage<RoleRecord>> {
    const found = await client.send(
      {
        method: "GET",
        path: ROLES_PATH,
        query: { page: index, per_page: ROLES_PER_PAGE, include_totals: true },
        answer: rolesAnswer,
        scopes: ["read:roles"],
      },
      { signal },
    );
    return Array.isArray(found) ? { items: found } : { items: found.roles, total: found.total };
  }

  return allOffsetPages({ name: `GET ${ROLES_PATH}`, perPage: ROLES_PER_PAGE, page, keyOf: ({ id }) => id });
}
