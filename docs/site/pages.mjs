/** The guides in the order of the navigation, which a page needs no front matter for: its title is its first heading. */
export const GROUPS = {
  "First steps": ["start", "configuration", "credentials", "adopt", "examples", "comparison"],
  Resources: [
    "resources/connection-profile",
    "resources/role-group-assignment",
    "resources/device-credential-removal",
  ],
  "Data sources": [
    "data-sources/README",
    "data-sources/get-user",
    "data-sources/get-user-permissions",
    "data-sources/get-connection-profiles",
    "data-sources/get-role",
    "data-sources/get-group",
    "data-sources/get-role-groups",
    "data-sources/get-device-credentials",
  ],
  Changes: ["review", "held", "audits", "revocations", "pipelines", "recovery"],
  Operation: [
    "doctor",
    "messages",
    "logging",
    "state-and-secrets",
    "requests",
    "scale",
    "upgrading",
    "support",
  ],
  Programs: ["testing", "pulumi"],
  Inside: ["how-it-works", "reliability", "mutation"],
};

/** Pages beside docs/, and pages in docs/ that no group names. */
export const OTHERS = "More";
export const OTHER_PAGES = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];
