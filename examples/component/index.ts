import * as pulumi from "@pulumi/pulumi";
import { Customer, type CustomerArgs } from "./customer";

// The values are in Pulumi.yaml.
const config = new pulumi.Config();
const roleId = config.require("roleId");
const customers = config.requireObject<Record<string, Omit<CustomerArgs, "roleId">>>("customers");

export const profiles = Object.fromEntries(
  Object.entries(customers).map(([name, customer]) => [
    name,
    new Customer(name, { ...customer, roleId }).profileId,
  ]),
);
