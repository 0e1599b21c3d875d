import * as pulumi from "@pulumi/pulumi";
import { getUserOutput, getUserPermissionsOutput, RoleGroupAssignment } from "pulumi-identity";

export interface SupportAccessArgs {
  /** Id of the user who leads the support team. */
  leadId: pulumi.Input<string>;
  roleId: pulumi.Input<string>;
  groupIds: pulumi.Input<string[]>;
}

/** Gives a role to groups while the one who leads them is not blocked. */
export class SupportAccess extends pulumi.ComponentResource {
  /** What the lead may do once the role is given. */
  readonly permissions: pulumi.Output<string[]>;

  constructor(name: string, args: SupportAccessArgs, options?: pulumi.ComponentResourceOptions) {
    super("example:index:SupportAccess", name, {}, options);
    const lead = getUserOutput({ userId: args.leadId }, { parent: this });
    const groupIds = pulumi
      .all([lead, args.groupIds])
      .apply(([user, groups]) => (user.blocked ? [] : groups));
    const assignment = new RoleGroupAssignment(name, { roleId: args.roleId, groupIds }, { parent: this });
    this.permissions = getUserPermissionsOutput(
      { userId: args.leadId },
      { parent: this, dependsOn: assignment },
    ).permissions.apply((list) => list.map(({ permissionName = "" }) => permissionName));
    this.registerOutputs({ permissions: this.permissions });
  }
}
