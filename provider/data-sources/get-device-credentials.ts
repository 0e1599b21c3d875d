import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import {
  DEVICE_CREDENTIAL_TYPES,
  deviceCredentialRecord,
  listDeviceCredentials,
} from "../service/device-credentials";
import { USER_ID } from "../service/ids";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { fromWire, sortedById } from "./records";

/** A key that a device signs with, a refresh token, or one that is exchanged for another at each use. */
export type DeviceCredentialType = "public_key" | "refresh_token" | "rotating_refresh_token";

/** Arguments of {@link getDeviceCredentials}. */
export interface GetDeviceCredentialsArgs {
  /** Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. The service's `user_id`. */
  userId: string;
  /**
   * Keeps the credentials of one type. The service's `type`.
   *
   * @default `undefined`: those of all three types.
   */
  type?: DeviceCredentialType;
}

/** Arguments of {@link getDeviceCredentialsOutput}. */
export type GetDeviceCredentialsOutputArgs = {
  [Name in keyof GetDeviceCredentialsArgs]: pulumi.Input<GetDeviceCredentialsArgs[Name]>;
};

/** A refresh token or a public key on a user's device: never the token or the key itself. */
export interface DeviceCredential {
  /** E.g. `dcr_6XnTb4kWq9ZpHs2V`: the `deviceCredentialId` of a `DeviceCredentialRemoval`. */
  id: string;
  /** Which of the three types it has. */
  type: DeviceCredentialType;
  /** Id of the user. */
  userId: string;
  /** Client for which the credential was issued. */
  clientId?: string;
  /** What the device called itself, such as its user agent. */
  deviceName?: string;
  /** Mostly set for public keys only. */
  deviceId?: string;
  /** ISO 8601 date and time. The service does not promise it. */
  lastUsed?: string;
}

/** Result of {@link getDeviceCredentials}. */
export interface GetDeviceCredentialsResult {
  /** Sorted by id. */
  deviceCredentials: DeviceCredential[];
}

const schema = z.strictObject({
  userId: USER_ID,
  type: z
    .enum(
      DEVICE_CREDENTIAL_TYPES,
      `must be ${DEVICE_CREDENTIAL_TYPES.join(", ").replace(/, (?=\w+$)/, " or ")}`,
    )
    .optional(),
});

/** @internal */
export const getDeviceCredentialsSource: DataSource<GetDeviceCredentialsArgs, GetDeviceCredentialsResult> = {
  name: "getDeviceCredentials",
  schema,

  async read(client, { userId, type: wanted }, ask) {
    const types = wanted === undefined ? DEVICE_CREDENTIAL_TYPES : [wanted];
    const lists = types.map(async (type) => {
      const records = await ask(["device credentials", userId, type], () =>
        listDeviceCredentials(client, userId, type),
      );
      // Only what is documented: what else an answer has could be a secret.
      return records.map((record) => {
        const { known } = fromWire(deviceCredentialRecord.shape, record);
        return { ...known, id: record.id, userId, type };
      });
    });
    return { deviceCredentials: sortedById((await Promise.all(lists)).flat()) };
  },
};

/**
 * Lists the device credentials of a user, in previews too: every page, of all three types unless one is
 * given. A user who does not exist has none. Calls for the same user in one program share their requests, one
 * for each type and page of 100.
 *
 * Scope: `read:device_credentials`.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. Nothing is sent.
 * @throws an {@link UnexpectedAnswerError} when the service answers with credentials of another user or type.
 * @throws another {@link IdentityError} when the tenant can't be asked, or refuses.
 *
 * @example The devices of a user
 * ```ts
 * import { getDeviceCredentials } from "pulumi-identity";
 *
 * export const devices = getDeviceCredentials({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   type: "refresh_token",
 * }).then(({ deviceCredentials }) => deviceCredentials.map(({ deviceName }) => deviceName));
 * ```
 */
export function getDeviceCredentials(
  args: GetDeviceCredentialsArgs,
  options?: DataSourceOptions,
): Promise<GetDeviceCredentialsResult> {
  return invoke(getDeviceCredentialsSource, args, options);
}

/**
 * {@link getDeviceCredentials} for arguments that are Outputs. An error fails the Output, and with it the
 * program.
 *
 * @example A secret user id
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { getDeviceCredentialsOutput } from "pulumi-identity";
 *
 * export const devices = getDeviceCredentialsOutput({
 *   userId: new pulumi.Config().requireSecret("userId"),
 * }).deviceCredentials;
 * ```
 */
export function getDeviceCredentialsOutput(
  args: GetDeviceCredentialsOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetDeviceCredentialsResult> {
  return invokeOutput(getDeviceCredentialsSource, args, options);
}
