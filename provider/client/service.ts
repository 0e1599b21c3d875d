import { z } from "zod";
import { type IdentityClient } from "./client";
import { ApiError } from "./errors";
import { allOffsetPages, allPages, type CheckpointPage, type OffsetPage } from "./pages";

/*
 * The operations of the service, one function each. Answers are strict about what is used here and tolerant of
 * everything else, since the service adds fields at any time.
 */

/** Section 2.4 of the source document, with what the service leaves out: unset fields are null. */
export const connectionProfileRecord = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  organization: z.record(z.string(), z.unknown()).nullish(),
  connection_name_prefix_template: z.string().nullish(),
  enabled_features: z.array(z.string()).nullish(),
  connection_config: z.record(z.string(), z.unknown()).nullish(),
  strategy_overrides: z.record(z.string(), z.unknown()).nullish(),
});
export type ConnectionProfileRecord = z.infer<typeof connectionProfileRecord>;

/** The fields that a connection profile is created or changed with. */
export type ConnectionProfileBody = Partial<Record<Exclude<keyof ConnectionProfileRecord, "id">, unknown>>;

const PROFILE = "/connection-profiles/{id}";

/** Just the request; `createConnectionProfile` also knows what to do when its answer is lost. */
export function postConnectionProfile(
  client: IdentityClient,
  body: ConnectionProfileBody,
): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "POST",
    path: "/connection-profiles",
    body,
    answer: connectionProfileRecord,
    scopes: ["create:connection_profiles"],
  });
}

export function readConnectionProfile(client: IdentityClient, id: string): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "GET",
    path: PROFILE,
    ids: { id },
    answer: connectionProfileRecord,
    scopes: ["read:connection_profiles"],
  });
}

/** Section 4.4. An empty body changes nothing and answers with the record. */
export function updateConnectionProfile(
  client: IdentityClient,
  id: string,
  body: ConnectionProfileBody,
): Promise<ConnectionProfileRecord> {
  return client.send({
    method: "PATCH",
    path: PROFILE,
    ids: { id },
    body,
    answer: connectionProfileRecord,
    scopes: ["update:connection_profiles"],
  });
}

export function deleteConnectionProfile(client: IdentityClient, id: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: PROFILE,
    ids: { id },
    scopes: ["delete:connection_profiles"],
  });
}

const connectionProfilePage = z.looseObject({
  connection_profiles: z.array(connectionProfileRecord),
  next: z.string().nullish(),
});

/** Most records that the service puts on one page. */
const PROFILES_PER_PAGE = 10;

export async function listConnectionProfilePage(
  client: IdentityClient,
  from: string | undefined,
): Promise<CheckpointPage<ConnectionProfileRecord>> {
  const page = await client.send({
    method: "GET",
    path: "/connection-profiles",
    query: { take: PROFILES_PER_PAGE, from },
    answer: connectionProfilePage,
    scopes: ["read:connection_profiles"],
  });
  return { items: page.connection_profiles, next: page.next ?? undefined };
}

export function listConnectionProfiles(client: IdentityClient): Promise<ConnectionProfileRecord[]> {
  return allPages((from) => listConnectionProfilePage(client, from));
}

const ROLE_GROUPS = "/roles/{id}/groups";
const GROUPS_PER_PAGE = 100;

const groupPage = z.looseObject({
  groups: z.array(z.looseObject({ id: z.string() })),
  next: z.string().nullish(),
});

/** Ids of all groups that are assigned to a role. */
export async function listRoleGroups(client: IdentityClient, roleId: string): Promise<string[]> {
  const groups = await allPages(async (from) => {
    const page = await client.send({
      method: "GET",
      path: ROLE_GROUPS,
      ids: { id: roleId },
      query: { take: GROUPS_PER_PAGE, from },
      answer: groupPage,
      scopes: ["read:group_roles"],
    });
    return { items: page.groups, next: page.next ?? undefined };
  });
  return groups.map(({ id }) => id);
}

/** Section 4.3. */
export function assignRoleGroups(
  client: IdentityClient,
  roleId: string,
  groups: readonly string[],
): Promise<void> {
  return client.send({
    method: "POST",
    path: ROLE_GROUPS,
    ids: { id: roleId },
    body: { groups },
    scopes: ["create:group_roles"],
  });
}

export function unassignRoleGroups(
  client: IdentityClient,
  roleId: string,
  groups: readonly string[],
): Promise<void> {
  return client.send({
    method: "DELETE",
    path: ROLE_GROUPS,
    ids: { id: roleId },
    body: { groups },
    scopes: ["delete:group_roles"],
  });
}

/** Section 4.5. */
export function deleteDeviceCredential(client: IdentityClient, id: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: "/device-credentials/{id}",
    ids: { id },
    scopes: ["delete:device_credentials"],
  });
}

const profileData = z.looseObject({
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  name: z.string().nullish(),
  username: z.string().nullish(),
  given_name: z.string().nullish(),
  phone_number: z.string().nullish(),
  phone_verified: z.boolean().nullish(),
  family_name: z.string().nullish(),
});

/** Section 2.2. */
export const identityRecord = z.looseObject({
  connection: z.string().nullish(),
  user_id: z.union([z.string(), z.number()]).nullish(),
  provider: z.string().nullish(),
  isSocial: z.boolean().nullish(),
  access_token: z.string().nullish(),
  access_token_secret: z.string().nullish(),
  refresh_token: z.string().nullish(),
  profileData: profileData.nullish(),
});
export type IdentityRecord = z.infer<typeof identityRecord>;

/** Section 2.1: all fields are optional, others may be there; null is taken for absent. */
export const userRecord = z.looseObject({
  user_id: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.boolean().nullish(),
  username: z.string().nullish(),
  phone_number: z.string().nullish(),
  phone_verified: z.boolean().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
  identities: z.array(identityRecord).nullish(),
  app_metadata: z.record(z.string(), z.unknown()).nullish(),
  user_metadata: z.record(z.string(), z.unknown()).nullish(),
  picture: z.string().nullish(),
  name: z.string().nullish(),
  nickname: z.string().nullish(),
  multifactor: z.array(z.string()).nullish(),
  multifactor_last_modified: z.string().nullish(),
  last_ip: z.string().nullish(),
  last_login: z.string().nullish(),
  last_password_reset: z.string().nullish(),
  logins_count: z.number().nullish(),
  blocked: z.boolean().nullish(),
  given_name: z.string().nullish(),
  family_name: z.string().nullish(),
});
export type UserRecord = z.infer<typeof userRecord>;

/** Section 4.1. */
export async function readUser(
  client: IdentityClient,
  id: string,
  selection: { fields?: readonly string[] | undefined; includeFields?: boolean | undefined } = {},
): Promise<UserRecord> {
  const { fields, includeFields } = selection;
  try {
    return await client.send({
      method: "GET",
      path: "/users/{id}",
      ids: { id },
      query: {
        fields: fields === undefined || fields.length === 0 ? undefined : fields.join(","),
        include_fields: includeFields,
      },
      answer: userRecord,
      scopes: ["read:users", "read:current_user", "read:user_idp_tokens"],
    });
  } catch (error) {
    throw isOtherSubject(error) ? otherSubject(error) : error;
  }
}

/** The one 403 of section 7 that no missing scope explains. */
function isOtherSubject(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.status === 403 && error.message.includes("does not match subject")
  );
}

function otherSubject({ call, code, requestId }: ApiError): ApiError {
  return new ApiError(
    call,
    {
      status: 403,
      message: "User to be acted on does not match subject in bearer token",
      ...(code !== undefined && { code }),
      ...(requestId !== undefined && { requestId }),
    },
    "The token relies on read:current_user, which reads only the user whom the token was issued to, and that is " +
      "another one. Grant read:users to the client to read other users.",
  );
}

/** Section 2.3. */
export const permissionRecord = z.looseObject({
  resource_server_identifier: z.string().nullish(),
  permission_name: z.string().nullish(),
  resource_server_name: z.string().nullish(),
  description: z.string().nullish(),
  sources: z.unknown().optional(),
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
): Promise<OffsetPage<PermissionRecord>> {
  const answer = await client.send({
    method: "GET",
    path: "/users/{id}/permissions",
    ids: { id },
    query: { page, per_page: perPage, include_totals: includeTotals },
    answer: permissionPage,
    scopes: ["read:users"],
  });
  return Array.isArray(answer) ? { items: answer } : { items: answer.permissions, total: answer.total };
}

/** Most permissions that the service puts on one page. */
const PERMISSIONS_PER_PAGE = 100;

/** Section 4.2, all pages. */
export function listUserPermissions(client: IdentityClient, id: string): Promise<PermissionRecord[]> {
  return allOffsetPages({
    name: "GET /users/{id}/permissions",
    perPage: PERMISSIONS_PER_PAGE,
    page: (page) =>
      readUserPermissionPage(client, id, { page, perPage: PERMISSIONS_PER_PAGE, includeTotals: true }),
    keyOf: permissionKey,
  });
}

/** A user has a permission of a resource server once; its sources say how often it was granted. */
export function permissionKey(record: PermissionRecord): string {
  return JSON.stringify([record.resource_server_identifier, record.permission_name]);
}
