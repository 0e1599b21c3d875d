import { ConnectionProfile, RoleGroupAssignment } from "pulumi-identity";

const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  enabledFeatures: ["scim"],
});

new RoleGroupAssignment("support", {
  roleId: "rol_4hNkVx8QmTz2bRcW",
  groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"],
});

export const profileId = enterprise.id;
