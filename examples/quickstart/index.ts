import type * as pulumi from "@pulumi/pulumi";
import {
  ConnectionProfile,
  DeviceCredentialRemoval,
  getGroupOutput,
  getRoleOutput,
  getUserPermissionsOutput,
  RoleGroupAssignment,
} from "pulumi-identity";

// Connections to the identity providers of enterprise tenants are made from this profile.
const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
});

// Members of these two directory groups work as support agents.
const support = new RoleGroupAssignment("support", {
  roleId: getRoleOutput({ name: "support-agent" }).id,
  groupIds: [getGroupOutput({ name: "directory-admins" }).id, getGroupOutput({ name: "billing-team" }).id],
});

// A lost phone stays signed in until its refresh token is deleted, for good.
new DeviceCredentialRemoval("lost-phone", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });

// What the owner of that phone may do, asked once the role is assigned.
const access = getUserPermissionsOutput({ userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" }, { dependsOn: support });

export const profileId = enterprise.id;
export const permissions: pulumi.Output<(string | undefined)[]> = access.permissions.apply((list) =>
  list.map((permission) => permission.permissionName),
);
