import { DEFAULT_SEED, GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT } from "./default-seed";
import { type SeedInput } from "./types";

/** The role "admin", which "directory-admins" and one person have. */
export const ROLE_ADMIN = "rol_7eGcWn2VtRz5yKbM";
/** The role "payment-creator", which "billing-team" has. */
export const ROLE_PAYMENT_CREATOR = "rol_3uFpHj8XqSd6wLgA";
/** The role "payment-approver", which "directory-admins" has. */
export const ROLE_PAYMENT_APPROVER = "rol_5mTkYb9CzNv4hQeR";
/** The role "auditor", which no group has. */
export const ROLE_AUDITOR = "rol_8xDsPa6JgWu2nEfZ";

/** In two groups, which have conflicting roles. */
const BOTH_PAYMENT_ROLES = "oidc|partner-directory|2003";
/** Has "admin" without a group. */
const ADMIN_DIRECTLY = "oidc|partner-directory|2016";

const { users = [], roles = [] } = DEFAULT_SEED;

/** Other groups than in {@link DEFAULT_SEED}; each group keeps its number of members. */
const MOVED: Record<string, { groups: string[]; roles?: string[] }> = {
  [BOTH_PAYMENT_ROLES]: { groups: [GROUP_ADMINS, GROUP_BILLING] },
  "oidc|partner-directory|2014": { groups: [GROUP_CONTRACTORS] },
  [ADMIN_DIRECTLY]: { groups: [], roles: [ROLE_ADMIN] },
};

const TEAMS: Record<string, string> = {
  [GROUP_ADMINS]: "Admin",
  [GROUP_SUPPORT]: "Support",
  [GROUP_BILLING]: "Billing",
  [GROUP_CONTRACTORS]: "Contractor",
};

function permission(name: string, api: string) {
  return {
    resource_server_identifier: `https://${api.toLowerCase()}.example.com/`,
    resource_server_name: api,
    permission_name: name,
  };
}

/**
 * The tenant of `npx pulumi-identity-simulator` without `--seed`: the one of {@link DEFAULT_SEED}, with names
 * for its people, profiles to adopt, and roles that break the rules of docs/rules.md.
 */
export const PLAYGROUND_SEED: SeedInput = {
  ...DEFAULT_SEED,
  users: users.map((user) => {
    const moved = { ...user, ...MOVED[user.user_id] };
    const number = user.user_id.split("|").at(-1);
    const team = TEAMS[moved.groups?.[0] ?? ""] ?? "Operator";
    const name = `${team} ${number}`;
    const email = `${team}.${number}@example.com`.toLowerCase();
    return { name, email, email_verified: true, ...moved };
  }),
  roles: [
    ...roles,
    {
      id: ROLE_ADMIN,
      name: "admin",
      description: "Changes settings",
      groups: [GROUP_ADMINS],
      permissions: [permission("update:settings", "Settings")],
    },
    {
      id: ROLE_PAYMENT_CREATOR,
      name: "payment-creator",
      description: "Enters payments",
      groups: [GROUP_BILLING],
      permissions: [permission("create:payments", "Payments")],
    },
    {
      id: ROLE_PAYMENT_APPROVER,
      name: "payment-approver",
      description: "Releases payments",
      groups: [GROUP_ADMINS],
      permissions: [permission("approve:payments", "Payments")],
    },
    {
      id: ROLE_AUDITOR,
      name: "auditor",
      description: "Reads reports",
      permissions: [permission("read:reports", "Reports")],
    },
  ],
  connection_profiles: [
    {
      id: "cop_4KfTz8WqLb2MxRvHn6YcPd",
      name: "partners",
      connection_name_prefix_template: "p-{org_name}",
      enabled_features: ["scim"],
      organization: { show_as_button: "optional", assign_membership_on_login: "required" },
    },
    {
      id: "cop_9RbGs3NyJt7CwEkXm5VaQh",
      name: "workforce",
      enabled_features: ["scim", "universal_logout"],
      strategy_overrides: { okta: { enabled_features: ["universal_logout"] } },
    },
  ],
};
