import { RoleGroupAssignment } from "pulumi-identity";

const admins = "grp_7TqWc2nYx5RkHbVd9sPmZa";
const billing = "grp_5BmRd9aSj2WqTgFx7cUkEn";

// Additive: groups that somebody else gave the role to keep it, and are no drift.
const agents = new RoleGroupAssignment("support-agents", {
  roleId: "rol_4hNkVx8QmTz2bRcW",
  groupIds: [admins, billing],
});

// Exclusive: the role has these groups and no others. The preview tells whom it is taken from.
const viewers = new RoleGroupAssignment("billing-viewers", {
  roleId: "rol_9sJdYp3LfGe7uXaK",
  groupIds: [billing],
  exclusive: true,
});

export const supportGroups = agents.groupIds;
export const billingGroups = viewers.groupIds;
