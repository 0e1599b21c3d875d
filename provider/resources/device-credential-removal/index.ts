import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";
import { ShortStacks } from "../../pulumi/program/short-stacks";

export interface DeviceCredentialRemovalArgs {
  /**
   * Id of the device credential, a refresh token or a public key, that is deleted for good, e.g.
   * `dcr_6XnTb4kWq9ZpHs2V`. Changing it deletes the other credential too; the first stays deleted. It is the resource's id,
   * which state holds in clear, also where it is given as a secret. API: `id` in the path of section 4.5.
   */
  deviceCredentialId: pulumi.Input<string>;
}

/**
 * Deletes a device credential for good: a lost device's refresh token or public key. The deletion is permanent and
 * happens when the resource is created; a credential that is already gone counts as deleted. Destroying the resource,
 * or removing it from the program, changes nothing on the tenant. `DeviceCredentialRemoval.get(name, id)` is a removal
 * that was done elsewhere; nothing is sent for it.
 *
 * Scope: `delete:device_credentials`.
 *
 * @example
 * new DeviceCredentialRemoval("lost-phone", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });
 */
export class DeviceCredentialRemoval extends pulumi.CustomResource {
  declare readonly deviceCredentialId: pulumi.Output<string>;
  /** Host name of the tenant that the resource is on. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: DeviceCredentialRemovalArgs, options?: pulumi.CustomResourceOptions) {
    const stacks = new ShortStacks();
    try {
      super(...registration(TYPE, name, args, options, stacks));
    } finally {
      stacks.end();
    }
  }

  /** An existing device credential, by its id; it is read, and never changed or deleted. */
  static readonly get = getExisting;
}

const TYPE: ResourceType<DeviceCredentialRemoval> = {
  name: "DeviceCredentialRemoval",
  properties: { deviceCredentialId: undefined, tenant: undefined },
  importAdvice: "Remove the import option: creating the resource takes over what is already there.",
};
