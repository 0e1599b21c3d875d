import { getGroupOutput, getRoleOutput, RoleGroupAssignment } from "pulumi-identity";

const admins = getGroupOutput({ name: "directory-admins" }).id;
const billing = getGroupOutput({ name: "billing-team" }).id;

// Groups assigned elsewhere keep the role and aren't reported as drift.
const agents = new RoleGroupAssignment("support-agents", {
  roleId: getRoleOutput({ name: "support-agent" }).id,
  groupIds: [admins, billing],
});

// Exclusive: no other group keeps the role. The preview lists those that lose it.
const viewers = new RoleGroupAssignment("billing-viewers", {
  roleId: getRoleOutput({ name: "billing-viewer" }).id,
  groupIds: [billing],
  exclusive: true,
});

export const supportGroups = agents.groupIds;
export const billingGroups = viewers.groupIds;
