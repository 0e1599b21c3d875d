import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";

/** Input of a {@link DeviceCredentialRemoval}. */
export interface DeviceCredentialRemovalArgs {
  /**
   * Id of the refresh token or public key to delete, e.g. `dcr_6XnTb4kWq9ZpHs2V`. Changing it deletes the
   * other one, too.
   *
   * A change replaces the removal, and the first credential stays deleted. It is the resource's id, so state
   * holds it in clear text even if you give it as a secret.
   */
  deviceCredentialId: pulumi.Input<string>;
}

/**
 * Deletes a device credential for good: a lost device's refresh token or public key. That happens when the
 * resource is created, and can't be undone. A credential that is already gone counts as deleted. Destroying
 * the resource, or removing it from the program, changes nothing on the tenant.
 *
 * Scope: `delete:device_credentials`.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or have a key `__proto__`, when
 * `options` has `import`, or when this package isn't installed in the program's folder.
 *
 * @example A lost phone
 * ```ts
 * import { DeviceCredentialRemoval } from "pulumi-identity";
 *
 * export const lostPhone = new DeviceCredentialRemoval("lost-phone", {
 *   deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V",
 * });
 * ```
 *
 * @example Several tenants
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { DeviceCredentialRemoval, Provider } from "pulumi-identity";
 *
 * const config = new pulumi.Config();
 * const eu = new Provider("eu", {
 *   domain: "eu.example.com",
 *   clientId: config.require("euClientId"),
 *   clientSecret: config.requireSecret("euClientSecret"),
 * });
 *
 * export const lostPhone = new DeviceCredentialRemoval(
 *   "lost-phone",
 *   { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" },
 *   { provider: eu },
 * );
 * ```
 */
export class DeviceCredentialRemoval extends pulumi.CustomResource {
  /** Id of the deleted credential. */
  declare readonly deviceCredentialId: pulumi.Output<string>;
  /** Host name of the tenant. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: DeviceCredentialRemovalArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(DEVICE_CREDENTIAL_REMOVAL, { name, args, options }));
  }

  /**
   * A removal that happened elsewhere, by the id of the credential. It sends nothing, because the service
   * can't read a single credential.
   *
   * @throws an {@link InvalidInputError} when the id is empty.
   *
   * @example A credential that is deleted already
   * ```ts
   * import { DeviceCredentialRemoval } from "pulumi-identity";
   *
   * export const existing = DeviceCredentialRemoval.get("existing", "dcr_6XnTb4kWq9ZpHs2V");
   * ```
   */
  static readonly get = getExisting;
}

/** @internal */
export const DEVICE_CREDENTIAL_REMOVAL: Readonly<ResourceType<DeviceCredentialRemoval>> = {
  name: "DeviceCredentialRemoval",
  properties: { deviceCredentialId: undefined, tenant: undefined },
  importAdvice: "Remove the import option: creating the resource takes over what is already there.",
};
