import type * as pulumi from "@pulumi/pulumi";
import { z } from "zod";
import { NotFoundError } from "../http/errors";
import { isPathId, PATH_ID_RULE } from "../http/ids";
import { deleteDeviceCredential } from "../service/device-credentials";
import { lifecycle, type ResourceKind } from "../pulumi/host/lifecycle";
import { existing, IdentityResource } from "../pulumi/program/resource";
import { isUnknown } from "../pulumi/unknown";

export interface DeviceCredentialRemovalArgs {
  /**
   * Id of the device credential, a refresh token or a public key, that is deleted for good, e.g.
   * `dcr_6XnTb4kWq9ZpHs2V`. Changing it deletes the other credential too; the first stays deleted.
   * API: `id` in the path of section 4.5.
   */
  deviceCredentialId: pulumi.Input<string>;
}

const schema = z.strictObject({ deviceCredentialId: z.string().refine(isPathId, PATH_ID_RULE) });
type Inputs = z.infer<typeof schema>;

const kind: ResourceKind<Inputs> = {
  name: "DeviceCredentialRemoval",
  schema,
  inputNames: ["deviceCredentialId"],
  replaces: () => true,

  describe(before, after) {
    const id = after["deviceCredentialId"];
    if (isUnknown(id)) return "permanently removes a device credential whose id is not known yet";
    return before?.deviceCredentialId === id
      ? undefined
      : `permanently removes device credential ${String(id)}`;
  },

  async create({ client, tell }, inputs) {
    const id = inputs.deviceCredentialId;
    try {
      await deleteDeviceCredential(client, id);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      tell(`Device credential ${id} was already gone from ${client.tenant}.`);
    }
    return { id, inputs };
  },

  // The service has no call that reads one credential, and what was deleted for good doesn't come back.
  read: (_context, id) => Promise.resolve({ inputs: { deviceCredentialId: id } }),

  update: (_context, _id, _recorded, inputs) => Promise.resolve({ inputs }),

  delete({ tell }, id) {
    tell(`Device credential ${id} stays deleted: a removal can't be undone, so nothing was sent.`);
    return Promise.resolve();
  },
};

export const deviceCredentialRemoval = lifecycle(kind);

/**
 * Deletes a device credential for good: a lost device's refresh token or public key. The deletion is permanent and
 * happens when the resource is created; a credential that is already gone counts as deleted. Destroying the resource,
 * or removing it from the program, changes nothing on the tenant.
 *
 * Scope: `delete:device_credentials`.
 *
 * @example
 * new DeviceCredentialRemoval("lost-phone", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });
 */
export class DeviceCredentialRemoval extends IdentityResource {
  declare readonly deviceCredentialId: pulumi.Output<string>;
  /** Host name of the tenant that the credential was deleted from. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: DeviceCredentialRemovalArgs, options?: pulumi.CustomResourceOptions) {
    super(kind.name, name, args, ["deviceCredentialId", "tenant"], options);
  }

  /** A removal that was done elsewhere, by the id of the credential. Nothing is sent. */
  static get(
    name: string,
    id: pulumi.Input<pulumi.ID>,
    options?: pulumi.CustomResourceOptions,
  ): DeviceCredentialRemoval {
    const none = undefined as unknown as DeviceCredentialRemovalArgs;
    return new DeviceCredentialRemoval(name, none, existing(kind.name, name, id, options));
  }
}
