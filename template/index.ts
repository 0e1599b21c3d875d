import { ConnectionProfile } from "pulumi-identity";

// Connections to the identity providers of enterprise tenants are made from this profile.
const enterprise = new ConnectionProfile("enterprise", {
  name: "enterprise",
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
});

export const profileId = enterprise.id;
