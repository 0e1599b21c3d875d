import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { readList } from "../http/pages";
import { DEVICE_CREDENTIAL_ID } from "./ids";
import { recordOf } from "./record";

const DEVICE_CREDENTIALS = "/device-credentials";

export const DEVICE_CREDENTIAL_TYPES = ["public_key", "refresh_token", "rotating_refresh_token"] as const;
export type CredentialType = (typeof DEVICE_CREDENTIAL_TYPES)[number];

/**
 * The source document shows no fields; these are from the public documentation. `last_used` is only from
 * observed answers, so any value of it must not fail a read.
 */
export const deviceCredentialRecord = recordOf({
  device_name: z.string(),
  device_id: z.string(),
  type: z.enum(DEVICE_CREDENTIAL_TYPES),
  user_id: z.string(),
  client_id: z.string(),
  last_used: z.string().optional().catch(undefined),
}).extend({ id: DEVICE_CREDENTIAL_ID });
export type DeviceCredentialRecord = z.infer<typeof deviceCredentialRecord>;

/**
 * Lists all of a user's credentials of one type. Without a type the service omits the rotating refresh
 * tokens, and returns no total that would reveal a list cut short.
 */
export function listDeviceCredentials(
  client: IdentityClient,
  userId: string,
  type: CredentialType,
  signal?: AbortSignal,
): Promise<DeviceCredentialRecord[]> {
  // The caller may delete these, so a credential of another user or type must not slip in.
  const record = deviceCredentialRecord.extend({
    user_id: z.literal(userId, "not the user who was asked for").nullish(),
    type: z.literal(type, "not the type that was asked for").nullish(),
  });
  const list = { ...CREDENTIAL_LIST, query: { user_id: userId, type }, record };
  return readList(client, list, { signal });
}

const CREDENTIAL_LIST = {
  path: DEVICE_CREDENTIALS,
  entries: "device_credentials",
  scopes: ["read:device_credentials"],
  isNumbered: true,
} as const;

/** Lists all credentials of one type, for all users. */
export function listAllCredentials(
  client: IdentityClient,
  type: CredentialType,
  signal?: AbortSignal,
): Promise<DeviceCredentialRecord[]> {
  const list = { ...CREDENTIAL_LIST, query: { type }, record: deviceCredentialRecord };
  return readList(client, list, { signal });
}

/** Lists the ids of all credentials of one type, for all users. */
export async function listCredentialIds(
  client: IdentityClient,
  type: CredentialType,
  signal?: AbortSignal,
): Promise<string[]> {
  return (await listAllCredentials(client, type, signal)).map(({ id }) => id);
}

/** Section 4.5. */
export function deleteDeviceCredential(client: IdentityClient, id: string): Promise<void> {
  return client.send({
    method: "DELETE",
    path: `${DEVICE_CREDENTIALS}/{id}`,
    ids: { id },
    scopes: ["delete:device_credentials"],
  });
}
