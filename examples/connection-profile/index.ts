import { ConnectionProfile } from "pulumi-identity";

// The program owns the values that it writes here. A value that is removed here is removed on the tenant.
const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  strategyOverrides: {
    okta: { enabledFeatures: ["scim"] },
    samlp: { enabledFeatures: ["universal_logout"] },
  },
});

// Made by hand before there was a program: it is taken over, its other values stay, and destroy leaves it in
// place.
const partners = new ConnectionProfile("partners", {
  adopt: "cop_5wTqXn8YkLbVd2sPmZaGhJ",
  name: "partners",
  enabledFeatures: ["scim"],
});

export const profileIds = [enterprise.id, partners.id];
