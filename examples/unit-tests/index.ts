import * as pulumi from "@pulumi/pulumi";
import { SupportAccess } from "./support-access";

const config = new pulumi.Config();
const access = new SupportAccess("support", {
  leadId: config.require("leadId"),
  roleId: config.require("roleId"),
  limitedRoleId: config.require("limitedRoleId"),
  groupIds: config.requireObject<string[]>("groupIds"),
});

export const permissions = access.permissions;
