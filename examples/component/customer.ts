import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, RoleGroupAssignment } from "pulumi-identity";

export interface CustomerArgs {
  /** Role that the customer's groups get. */
  roleId: pulumi.Input<string>;
  /** The customer's groups, as directory sync has brought them to the tenant. */
  groupIds: pulumi.Input<string>[];
  /** Whether the customer's directory creates and removes its users. Default: true. */
  scim?: boolean;
}

/**
 * All that a customer has on the tenant. Its resources are named after the customer, and are removed with it.
 */
export class Customer extends pulumi.ComponentResource {
  /** Id of the profile from which the customer's connections are made. */
  readonly profileId: pulumi.Output<string>;
  /** The groups, once they have the role. */
  readonly groupIds: pulumi.Output<string[]>;

  constructor(name: string, args: CustomerArgs, options?: pulumi.ComponentResourceOptions) {
    super("example:index:Customer", name, {}, options);
    const { roleId, groupIds, scim = true } = args;
    const profile = new ConnectionProfile(
      name,
      { name, connectionNamePrefixTemplate: "con-{org_id}", enabledFeatures: scim ? ["scim"] : [] },
      { parent: this },
    );
    // Nobody gets access before the customer can be connected.
    const access = new RoleGroupAssignment(name, { roleId, groupIds }, { parent: this, dependsOn: profile });
    this.profileId = profile.id;
    this.groupIds = access.groupIds;
    this.registerOutputs({ profileId: this.profileId, groupIds: this.groupIds });
  }
}
