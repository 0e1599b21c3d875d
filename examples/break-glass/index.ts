import { Config } from "@pulumi/pulumi";
import { RoleGroupAssignment } from "pulumi-identity";

// Set for one incident: an instant with its zone, some hours ahead. Once past, it grants nothing.
const until = new Config().get("breakGlassUntil");

// Ids, not names: nothing has to be looked up in an emergency.
if (until !== undefined)
  new RoleGroupAssignment("break-glass", {
    roleId: "rol_6fGzNb3QxWk9tJpM", // "break-glass-admin"
    groupIds: ["grp_4NdXw7kRm2YpTgHs9vLbQz"], // "on-call"
    until,
  });
