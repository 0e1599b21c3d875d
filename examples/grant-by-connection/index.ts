import * as pulumi from "@pulumi/pulumi";
import { getGroupOutput, getRoleOutput, getUserOutput, RoleGroupAssignment } from "pulumi-identity";

// The groups that are synchronised from each connection, by name.
const groupsOfConnections: Record<string, string[]> = {
  "partner-directory": ["contractors"],
  "Username-Password-Authentication": ["billing-team"],
};

// The values are in Pulumi.yaml.
const config = new pulumi.Config();
const user = getUserOutput({ userId: config.require("userId"), fields: ["user_id", "identities"] });

// Every account that is linked to the user counts. Without any group the preview says that the assignment
// needs one.
const groupIds = user.apply(({ identities = [] }) => {
  const names = identities.flatMap(({ connection = "" }) => groupsOfConnections[connection] ?? []);
  return pulumi.all([...new Set(names)].map((name) => getGroupOutput({ name }).id));
});

const roleId = getRoleOutput({ name: config.require("role") }).id;
const grant = new RoleGroupAssignment("support", { roleId, groupIds });

export const granted = grant.groupIds;
