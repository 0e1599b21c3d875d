import * as pulumi from "@pulumi/pulumi";
import { getGroupOutput, getRoleOutput } from "pulumi-identity";
import { Customer } from "./customer";

// The values are in Pulumi.yaml.
const config = new pulumi.Config();
const roleId = getRoleOutput({ name: config.require("role") }).id;
const customers = config.requireObject<Record<string, { groups: string[]; scim?: boolean }>>("customers");

export const profiles = Object.fromEntries(
  Object.entries(customers).map(([name, { groups, scim }]) => {
    const groupIds = groups.map((group) => getGroupOutput({ name: group }).id);
    return [name, new Customer(name, { roleId, groupIds, scim }).profileId];
  }),
);
