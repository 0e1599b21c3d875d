import * as pulumi from "@pulumi/pulumi";
import { getUserOutput, getUserPermissionsOutput, RoleGroupAssignment } from "pulumi-identity";

export interface SupportAccessArgs {
  /** Id of the user who leads the support team. */
  leadId: pulumi.Input<string>;
  /** Role that the groups get. */
  roleId: pulumi.Input<string>;
  /** Role that they get as long as their lead has not enrolled a second factor. */
  limitedRoleId: pulumi.Input<string>;
  groupIds: pulumi.Input<string[]>;
}

/** Gives a role to groups: which one depends on how well the account of their lead is protected. */
export class SupportAccess extends pulumi.ComponentResource {
  /** What the lead may do once the role is given. */
  readonly permissions: pulumi.Output<string[]>;

  constructor(name: string, args: SupportAccessArgs, options?: pulumi.ComponentResourceOptions) {
    super("example:index:SupportAccess", name, {}, options);
    const lead = getUserOutput({ userId: args.leadId }, { parent: this });
    const roleId = pulumi
      .all([lead, args.roleId, args.limitedRoleId])
      .apply(([{ multifactor = [] }, role, limited]) => (multifactor.length > 0 ? role : limited));
    const assignment = new RoleGroupAssignment(name, { roleId, groupIds: args.groupIds }, { parent: this });
    this.permissions = getUserPermissionsOutput(
      { userId: args.leadId },
      { parent: this, dependsOn: assignment },
    ).permissions.apply((list) => list.map(({ permissionName = "" }) => permissionName));
    this.registerOutputs({ permissions: this.permissions });
  }
}
