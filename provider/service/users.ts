import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { ApiError } from "../http/errors";
import { USER_ID } from "./ids";
import { recordOf } from "./record";
import { type NumberedPage, readNumberedPage } from "../http/page";
import { readList, readUpTo } from "../http/pages";

/** Section 2.2, `profileData`. */
export const profileDataRecord = recordOf({
  email: z.string(),
  email_verified: z.boolean(),
  name: z.string(),
  username: z.string(),
  given_name: z.string(),
  phone_number: z.string(),
  phone_verified: z.boolean(),
  family_name: z.string(),
});

/** Section 2.2. */
export const identityRecord = recordOf({
  connection: z.string(),
  user_id: z.union([z.string(), z.number()]),
  provider: z.string(),
  isSocial: z.boolean(),
  access_token: z.string(),
  access_token_secret: z.string(),
  refresh_token: z.string(),
  profileData: profileDataRecord,
});
export type IdentityRecord = z.infer<typeof identityRecord>;

/** Section 2.1. */
export const userRecord = recordOf({
  user_id: USER_ID,
  email: z.string(),
  email_verified: z.boolean(),
  username: z.string(),
  phone_number: z.string(),
  phone_verified: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
  identities: z.array(identityRecord),
  app_metadata: z.record(z.string(), z.unknown()),
  user_metadata: z.record(z.string(), z.unknown()),
  picture: z.string(),
  name: z.string(),
  nickname: z.string(),
  multifactor: z.array(z.string()),
  multifactor_last_modified: z.string(),
  last_ip: z.string(),
  last_login: z.string(),
  last_password_reset: z.string(),
  logins_count: z.number(),
  blocked: z.boolean(),
  given_name: z.string(),
  family_name: z.string(),
});
export type UserRecord = z.infer<typeof userRecord>;

/** True if the record is the requested user's, or the user's to whom the requested identity is linked. */
function isRecordOf(id: string, { user_id, identities }: UserRecord): boolean {
  // A program that selects fields may omit it.
  if (typeof user_id !== "string" || user_id === id) return true;
  return (identities ?? []).some((identity) => `${identity.provider}|${identity.user_id}` === id);
}

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
      isLookUp: true,
      query: {
        fields: fields === undefined || fields.length === 0 ? undefined : fields.join(","),
        include_fields: includeFields,
      },
      answer: userRecord.refine((record) => isRecordOf(id, record), {
        path: ["user_id"],
        message: "not the one that was asked for",
      }),
      scopes: ["read:users", "read:current_user", "read:user_idp_tokens"],
    });
  } catch (error) {
    throw isOtherSubject(error) ? new ApiError(error.call, error.answer, OTHER_SUBJECT) : error;
  }
}

const OTHER_SUBJECT =
  "The token relies on read:current_user, which reads only the user whom the token was issued to, and that is " +
  "another one. Grant read:users to the client to read other users.";

/** True for the one 403 of section 7 that isn't about a missing scope. */
function isOtherSubject(error: unknown): error is ApiError {
  return (
    error instanceof ApiError && error.status === 403 && error.message.includes("does not match subject")
  );
}

/** Section 2.3. */
export const permissionRecord = recordOf({
  resource_server_identifier: z.string(),
  permission_name: z.string(),
  resource_server_name: z.string(),
  description: z.string(),
  sources: z.unknown(),
});
export type PermissionRecord = z.infer<typeof permissionRecord>;

const permissionListOf = (id: string) => ({
  path: "/users/{id}/permissions",
  ids: { id },
  entries: "permissions",
  record: permissionRecord,
  scopes: ["read:users"],
  isNumbered: true as const,
  isOpen: true as const,
});

/** Section 4.2, one page as the service has it. */
export function readUserPermissionsPage(
  client: IdentityClient,
  id: string,
  at: NumberedPage,
): Promise<{ items: PermissionRecord[]; total?: number | undefined }> {
  return readNumberedPage(client, permissionListOf(id), at);
}

/** Section 4.2, the first pages, up to this many entries. */
export function readUserPermissions(
  client: IdentityClient,
  id: string,
  most: number,
): Promise<{ items: PermissionRecord[]; isMore: boolean; total?: number | undefined }> {
  return readUpTo(client, permissionListOf(id), most, { keyOf: permissionKey });
}

/** Section 4.2, all pages. */
export function listUserPermissions(
  client: IdentityClient,
  id: string,
  signal?: AbortSignal,
): Promise<PermissionRecord[]> {
  return readList(client, permissionListOf(id), { keyOf: permissionKey, signal });
}

/** The source document doesn't show the type of `sources`; this is from observed answers. */
const permissionSources = z.array(
  z.looseObject({
    source_id: z.string(),
    source_name: z.string(),
    source_type: z.string().optional().catch(undefined),
  }),
);

interface PermissionSource {
  /** The role's id; empty for a direct grant. */
  id: string;
  name: string;
  /** In the service's words: `ROLE`, `DIRECT`; empty if it doesn't say. */
  type: string;
}

/** Undefined if they aren't readable. */
export function sourcesOf({ sources }: PermissionRecord): PermissionSource[] | undefined {
  const parsed = permissionSources.safeParse(sources);
  return parsed.success
    ? parsed.data.map(({ source_id: id, source_name: name, source_type: type = "" }) => ({ id, name, type }))
    : undefined;
}

/** A user has each permission of a resource server once; its sources list every grant. */
export function permissionKey(record: PermissionRecord): string {
  return JSON.stringify([record.resource_server_identifier, record.permission_name]);
}
