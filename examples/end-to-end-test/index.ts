import { ConnectionProfile, getGroupOutput, getRoleOutput, RoleGroupAssignment } from "pulumi-identity";

const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  enabledFeatures: ["scim"],
});

new RoleGroupAssignment("support", {
  roleId: getRoleOutput({ name: "support-agent" }).id,
  groupIds: [getGroupOutput({ name: "support" }).id],
});

export const profileId = enterprise.id;
