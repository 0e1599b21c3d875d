import * as pulumi from "@pulumi/pulumi";
import { Customer, type CustomerArgs } from "./customer";

/*
 * Customers are stack configuration, and this program stays as it is when one comes or goes:
 *
 *   pulumi config set roleId rol_4hNkVx8QmTz2bRcW
 *   pulumi config set --path 'customers.example.groupIds[0]' grp_5BmRd9aSj2WqTgFx7cUkEn
 */
const config = new pulumi.Config();
const roleId = config.require("roleId");
const customers = config.requireObject<Record<string, Omit<CustomerArgs, "roleId">>>("customers");

export const profiles = Object.fromEntries(
  Object.entries(customers).map(([name, customer]) => [
    name,
    new Customer(name, { ...customer, roleId }).profileId,
  ]),
);
