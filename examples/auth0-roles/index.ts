import * as auth0 from "@pulumi/auth0";
import { getGroupOutput, RoleGroupAssignment } from "pulumi-identity";

// Both packages are told of the tenant and a client: `auth0:domain`, `auth0:clientId` and
// `auth0:clientSecret`, and the same keys with `identity:`.

// @pulumi/auth0 makes the role, and this package says which groups have it. Its id is known once it is made.
const support = new auth0.Role("support", { name: "support-agent", description: "Answers tickets." });

// A role that is managed elsewhere, by its name.
const billing = auth0.getRoleOutput({ name: "billing", skipPermissions: true, skipUsers: true });

const supportGroups = new RoleGroupAssignment("support", {
  roleId: support.id,
  groupIds: [getGroupOutput({ name: "support-desk" }).id],
});
const billingGroups = new RoleGroupAssignment("billing", {
  roleId: billing.id,
  groupIds: [getGroupOutput({ name: "billing-team" }).id],
});

/** Groups by the name of their role. */
export const groups = {
  "support-agent": supportGroups.groupIds,
  billing: billingGroups.groupIds,
};
