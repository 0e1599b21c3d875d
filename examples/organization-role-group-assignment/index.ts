import {
  getGroupOutput,
  getOrganizationOutput,
  getRoleOutput,
  OrganizationRoleGroupAssignment,
} from "pulumi-identity";

const acme = getOrganizationOutput({ name: "acme" });

// With the organization, the name can stand for a role of its own, too.
const agents = new OrganizationRoleGroupAssignment("acme-agents", {
  organizationId: acme.id,
  roleId: getRoleOutput({ name: "support-agent", organization: acme.id }).id,
  groupIds: [getGroupOutput({ name: "billing-team" }).id],
});

export const assignment = agents.id;
