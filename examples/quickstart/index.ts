import {
  ConnectionProfile,
  DeviceCredentialRemoval,
  getGroupOutput,
  getRoleOutput,
  RoleGroupAssignment,
} from "pulumi-identity";

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

// Signs a lost phone out, for good. Put your own id here, or leave this out.
new DeviceCredentialRemoval("lost-phone", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });

export const profileId = enterprise.id;
