// Every resource with every option. STEP is "settled" or "changed", or "unfinished" for a run whose faults
// leave notes. With UNTIL, includes everything that releases know, but not the draft before them. With
// SPELLING=camel, members of settings are in camel case, as releases from 0.1.0 on know them.
const pulumi = require("@pulumi/pulumi");
const {
  ConnectionProfile,
  DeviceCredentialRemoval,
  Provider,
  RoleGroupAssignment,
} = require("pulumi-identity");

const { IDENTITY_DOMAIN, IDENTITY_CLIENT_ID, IDENTITY_CLIENT_SECRET, SPELLING, STEP, UNTIL } = process.env;
const isSettled = STEP === "settled";
const isChanged = STEP === "changed";

const id = (prefix, last) => prefix + "1".repeat(15) + last;
const [showAsButton, assignMembershipOnLogin] =
  SPELLING === "camel"
    ? ["showAsButton", "assignMembershipOnLogin"]
    : ["show_as_button", "assign_membership_on_login"];
const group = (...last) => last.map((digit) => id("grp_", digit));

new ConnectionProfile("complete", {
  name: "complete",
  organization: { [showAsButton]: "optional", [assignMembershipOnLogin]: "required" },
  connectionNamePrefixTemplate: isSettled ? "con-{org_id}" : "new-{org_id}",
  enabledFeatures: isChanged ? ["scim"] : ["scim", "universal_logout"],
  connectionConfig: {},
  strategyOverrides: {
    okta: { enabledFeatures: isChanged ? [] : ["scim"], connectionConfig: {} },
    samlp: { enabledFeatures: ["universal_logout"] },
  },
  deleteOnDestroy: true,
});
new ConnectionProfile("minimal", { name: isChanged ? "minimal, changed" : "minimal" });
new ConnectionProfile("secret", {
  name: pulumi.secret("a hidden name"),
  organization: pulumi.secret({ [showAsButton]: isChanged ? "none" : "required" }),
});
new ConnectionProfile("adopted", {
  adopt: id("cop_", 1),
  name: "adopted",
  enabledFeatures: isChanged ? ["universal_logout"] : ["scim"],
});
new ConnectionProfile("adopted-to-delete", {
  adopt: id("cop_", 2),
  name: "adopted to delete",
  deleteOnDestroy: true,
});
new ConnectionProfile("kept", { name: "kept", deleteOnDestroy: false });
new ConnectionProfile("retained", { name: "retained" }, { retainOnDelete: true });
ConnectionProfile.get("found", id("cop_", 3));

new RoleGroupAssignment("additive", {
  roleId: id("rol_", 1),
  groupIds: isSettled ? group(1, 2) : group(1, 3),
});
new RoleGroupAssignment("exclusive", {
  roleId: id("rol_", 2),
  groupIds: isChanged ? group(2, 3) : group(1, 2),
  exclusive: true,
});
new RoleGroupAssignment("secret", {
  roleId: pulumi.secret(id("rol_", 3)),
  groupIds: pulumi.secret(isChanged ? group(4) : group(3, 4)),
});
new RoleGroupAssignment("giver", { roleId: id("rol_", 4), groupIds: isSettled ? group(1, 2) : group(1) });
new RoleGroupAssignment("receiver", { roleId: id("rol_", 4), groupIds: isSettled ? group(3) : group(2, 3) });

if (UNTIL !== undefined) {
  const [past, future] = ["2020-02-29", "2199-12-31T18:00:00+01:00"];
  const assigned = { roleId: id("rol_", 6) };
  new RoleGroupAssignment("ending", { ...assigned, groupIds: group(1), until: isChanged ? past : future });
  new RoleGroupAssignment("ended", { ...assigned, groupIds: group(2), until: isChanged ? future : past });
}

new DeviceCredentialRemoval("phone", { deviceCredentialId: id("dcr_", isChanged ? 2 : 1) });
new DeviceCredentialRemoval("secret", { deviceCredentialId: pulumi.secret(id("dcr_", 3)) });

const provider = new Provider("other", {
  domain: IDENTITY_DOMAIN,
  clientId: IDENTITY_CLIENT_ID,
  clientSecret: IDENTITY_CLIENT_SECRET,
});
new ConnectionProfile("other", { name: isChanged ? "other, changed" : "other" }, { provider });
new RoleGroupAssignment(
  "other",
  { roleId: id("rol_", 5), groupIds: isChanged ? group(1, 2) : group(1) },
  { provider },
);
