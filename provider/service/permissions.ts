import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { allOffsetPages, type OffsetPage } from "../http/pages";
import { recordOf } from "./record";

/** Section 2.3. */
export const permissionRecord = recordOf({
  resource_server_identifier: z.string(),
  permission_name: z.string(),
  resource_server_name: z.string(),
  description: z.string(),
  sources: z.unknown(),
});
export type PermissionRecord = z.infer<typeof permissionRecord>;

/** Both shapes that section 4.2 allows: the list itself, or wrapped with its total. */
const permissionPage = z.union([
  z.array(permissionRecord),
  z.looseObject({
    permissions: z.array(permissionRecord),
    total: z.number().optional(),
    start: z.number().optional(),
    limit: z.number().optional(),
  }),
]);

export interface PermissionPageRequest {
  page?: number | undefined;
  perPage?: number | undefined;
  includeTotals?: boolean | undefined;
}

/** Section 4.2, one page. */
export async function readUserPermissionPage(
  client: IdentityClient,
  id: string,
  { page, perPage, includeTotals }: PermissionPageRequest,
  signal?: AbortSignal,
): Promise<OffsetPage<PermissionRecord>> {
  const answer = await client.send(
    {
      method: "GET",
      path: "/users/{id}/permissions",
      ids: { id },
      query: { page, per_page: perPage, include_totals: includeTotals },
      answer: permissionPage,
      scopes: ["read:users"],
    },
    { signal },
  );
  return Array.isArray(answer) ? { items: answer } : { items: answer.permissions, total: answer.total };
}

/** Most permissions that the service puts on one page. */
const PERMISSIONS_PER_PAGE = 100;

/** Section 4.2, all pages. */
export function listUserPermissions(
  client: IdentityClient,
  id: string,
  signal?: AbortSignal,
): Promise<PermissionRecord[]> {
  return allOffsetPages({
    name: "GET /users/{id}/permissions",
    perPage: PERMISSIONS_PER_PAGE,
    page: (page) =>
      readUserPermissionPage(
        client,
        id,
        { page, perPage: PERMISSIONS_PER_PAGE, includeTotals: true },
        signal,
      ),
    keyOf: permissionKey,
  });
}

/** The source document does not show the type of `sources`; this is what the service was seen to answer. */
const permissionSources = z.array(
  z.looseObject({
    source_id: z.string(),
    source_name: z.string(),
    source_type: z.string().optional().catch(undefined),
  }),
);

/** Where a user has a permission from. */
export interface PermissionSource {
  /** Of the role; empty for a direct grant. */
  id: string;
  name: string;
  /** In the service's words: `ROLE`, `DIRECT`; empty where it doesn't tell. */
  type: string;
}

/** Undefined: not readable. */
export function sourcesOf({ sources }: PermissionRecord): PermissionSource[] | undefined {
  const parsed = permissionSources.safeParse(sources);
  return parsed.success
    ? parsed.data.map(({ source_id: id, source_name: name, source_type: type = "" }) => ({ id, name, type }))
    : undefined;
}

/** A user has a permission of a resource server once; its sources say how often it was granted. */
export function permissionKey(record: PermissionRecord): string {
  return JSON.stringify([record.resource_server_identifier, record.permission_name]);
}
