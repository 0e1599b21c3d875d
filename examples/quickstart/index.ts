import { ConnectionProfile, getGroupOutput, getRoleOutput, RoleGroupAssignment } from "pulumi-identity";

// Members of these two groups become support agents. Put your own names here.
const admins = getGroupOutput({ name: "directory-admins" });
const billing = getGroupOutput({ name: "billing-team" });
new RoleGroupAssignment("support", {
  roleId: getRoleOutput({ name: "support-agent" }).id,
  groupIds: [admins.id, billing.id],
});

// Connections for enterprise customers are made from this profile.
const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  enabledFeatures: ["scim", "universal_logout"],
});

export const profileId = enterprise.id;
