import * as pulumi from "@pulumi/pulumi";
import { getUserOutput, RoleGroupAssignment } from "pulumi-identity";

// The groups that are synchronised from each connection.
const groupsOfConnections: Record<string, string[]> = {
  "partner-directory": ["grp_8HvYs4eMk3ZpLfDr6tXbNj"],
  "Username-Password-Authentication": ["grp_5BmRd9aSj2WqTgFx7cUkEn"],
};

// The values are in Pulumi.yaml.
const config = new pulumi.Config();
const user = getUserOutput({ userId: config.require("userId"), fields: ["user_id", "identities"] });

// Every account that is linked to the user counts. Without any group the preview says that the assignment
// needs one.
const groupIds = user.apply(({ identities = [] }) => {
  const groups = identities.flatMap(({ connection = "" }) => groupsOfConnections[connection] ?? []);
  return [...new Set(groups)];
});

const grant = new RoleGroupAssignment("support", { roleId: config.require("roleId"), groupIds });

export const granted = grant.groupIds;
