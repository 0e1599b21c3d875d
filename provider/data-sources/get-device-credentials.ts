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

/** Kind of a device credential. */
export type DeviceCredentialType =
  /** The key of a device that has proved who its user is. */
  | "public_key"
  /** Keeps a device signed in. */
  | "refresh_token"
  /** Keeps a device signed in, and each use replaces it. */
  | "rotating_refresh_token";

/** @remarks The values by the names that `pulumi import` and `pulumi convert` print. */
export const DeviceCredentialType = {
  PublicKey: "public_key",
  RefreshToken: "refresh_token",
  RotatingRefreshToken: "rotating_refresh_token",
} as const satisfies Record<string, DeviceCredentialType>;

/** Arguments of {@link getDeviceCredentials}. */
export interface GetDeviceCredentialsArgs {
  /**
   * Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`.
   *
   * Sent as `user_id`.
   */
  userId: string;
  /**
   * Returns only credentials of one type.
   *
   * Sent as `type`.
   *
   * @default `undefined`: all three types.
   */
  type?: DeviceCredentialType;
}

/** Arguments of {@link getDeviceCredentialsOutput}. */
export type GetDeviceCredentialsOutputArgs = {
  [Name in keyof GetDeviceCredentialsArgs]: pulumi.Input<GetDeviceCredentialsArgs[Name]>;
};

/** A refresh token or a public key on a user's device, without the token or the key itself. */
export interface DeviceCredential {
  /**
   * Id of the credential, e.g. `dcr_6XnTb4kWq9ZpHs2V`: the `deviceCredentialId` of a
   * `DeviceCredentialRemoval`.
   */
  id: string;
  /** Kind of the credential: `public_key`, `refresh_token` or `rotating_refresh_token`. */
  type: DeviceCredentialType;
  /** Id of the user. */
  userId: string;
  /** Client for which the credential was issued. */
  clientId?: string;
  /** Name that the device gave itself, such as its user agent. */
  deviceName?: string;
  /** Id of the device. Usually only public keys have one. */
  deviceId?: string;
  /** Last use, an ISO 8601 date and time. Missing if the tenant doesn't send it. */
  lastUsed?: string;
}

/** Result of {@link getDeviceCredentials}. */
export interface GetDeviceCredentialsResult {
  /** The credentials, sorted by id. */
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

  async read(client, { userId, type: onlyType }, ask) {
    const types = onlyType === undefined ? DEVICE_CREDENTIAL_TYPES : [onlyType];
    const lists = types.map(async (type) => {
      const records = await ask(["device credentials", userId, type], () =>
        listDeviceCredentials(client, userId, type),
      );
      // Undocumented fields could be secrets.
      return records.map((record) => {
        const { known } = fromWire(deviceCredentialRecord.shape, record);
        return { ...known, id: record.id, userId, type };
      });
    });
    return { deviceCredentials: sortedById((await Promise.all(lists)).flat()) };
  },
};

/**
 * Lists the device credentials of a user, in previews too. A user who doesn't exist has none. It
 * takes one request for each type and page of 100.
 *
 * Scope: `read:device_credentials`.
 *
 * @remarks
 * Calls for the same user in one program share their requests.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws an {@link UnexpectedAnswerError} when the service answers with credentials of another user or type.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
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
 * {@link getDeviceCredentials} for Outputs as arguments. An error fails the Output, and so the program.
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
