import { z } from "zod";
import { type IdentityClient } from "../http/client";
import { ApiError } from "../http/errors";

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
