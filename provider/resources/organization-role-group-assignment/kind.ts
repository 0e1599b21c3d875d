import { handlersOf } from "../../pulumi/host/lifecycle";
import { assignmentKind } from "../role-group-assignment/kind";
import { ID, schema } from "./schema";

/** As the assignment in the tenant, with calls that are about one group in an organization each. */
export const organizationRoleGroupAssignmentKind = assignmentKind({
  name: "OrganizationRoleGroupAssignment",
  schema,
  id: ID,
});

export const organizationRoleGroupAssignment = handlersOf(organizationRoleGroupAssignmentKind);
