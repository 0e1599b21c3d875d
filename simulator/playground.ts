import { ADMINS, AGENT, BILLING, CONTRACTORS, DEFAULT_SEED, SUPPORT } from "./default-seed";
import { type SeedInput } from "./types";

/** The role "admin", which "directory-admins" and one person have. */
export const ROLE_ADMIN = "rol_7eGcWn2VtRz5yKbM";
/** The role "payment-creator", which "accounting" has. */
export const ROLE_PAYMENT_CREATOR = "rol_3uFpHj8XqSd6wLgA";
/** The role "payment-approver", which "finance-leads" has. */
export const ROLE_PAYMENT_APPROVER = "rol_5mTkYb9CzNv4hQeR";
/** The role "auditor", which no group has. */
export const ROLE_AUDITOR = "rol_8xDsPa6JgWu2nEfZ";

/** The organization "acme", with two groups; "contractors" has "support-agent" there. */
export const ORGANIZATION_ACME = "org_5vJmTq8XbRz3kWcY";

/** The group "accounting", which has {@link ROLE_PAYMENT_CREATOR}. */
export const GROUP_ACCOUNTING = "grp_2WqLx9bTn5MvKfYd7rHsGc";
/** The group "finance-leads", which has {@link ROLE_PAYMENT_APPROVER}. */
export const GROUP_FINANCE_LEADS = "grp_6RcZj4uHg8PwNeXa3kVtBm";

const { users = [], groups = [], roles = [] } = DEFAULT_SEED;

/** The last of them has conflicting roles, through two groups. */
const FURTHER = [[GROUP_ACCOUNTING], [GROUP_ACCOUNTING], [GROUP_ACCOUNTING, GROUP_FINANCE_LEADS]].map(
  (groups, index) => ({ user_id: `oidc|partner-directory|${2017 + index}`, groups }),
);

/** Has "admin" without a group that has it. */
const ADMIN_DIRECTLY = "oidc|partner-directory|2016";

const TEAMS: Record<string, string> = {
  [ADMINS]: "Admin",
  [SUPPORT]: "Support",
  [BILLING]: "Billing",
  [CONTRACTORS]: "Contractor",
  [GROUP_ACCOUNTING]: "Accounting",
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
  users: [...users, ...FURTHER].map((user) => {
    const number = user.user_id.split("|").at(-1);
    const team = TEAMS[user.groups?.[0] ?? ""];
    const named = {
      name: `${team} ${number}`,
      email: `${team}.${number}@example.com`.toLowerCase(),
      email_verified: true,
      ...user,
    };
    return user.user_id === ADMIN_DIRECTLY ? { ...named, roles: [ROLE_ADMIN] } : named;
  }),
  groups: [
    ...groups,
    { id: GROUP_ACCOUNTING, name: "accounting" },
    { id: GROUP_FINANCE_LEADS, name: "finance-leads" },
  ],
  roles: [
    ...roles,
    {
      id: ROLE_ADMIN,
      name: "admin",
      description: "Changes settings",
      groups: [ADMINS],
      permissions: [permission("update:settings", "Settings")],
    },
    {
      id: ROLE_PAYMENT_CREATOR,
      name: "payment-creator",
      description: "Enters payments",
      groups: [GROUP_ACCOUNTING],
      permissions: [permission("create:payments", "Payments")],
    },
    {
      id: ROLE_PAYMENT_APPROVER,
      name: "payment-approver",
      description: "Releases payments",
      groups: [GROUP_FINANCE_LEADS],
      permissions: [permission("approve:payments", "Payments")],
    },
    {
      id: ROLE_AUDITOR,
      name: "auditor",
      description: "Reads reports",
      permissions: [permission("read:reports", "Reports")],
    },
  ],
  organizations: [
    {
      id: ORGANIZATION_ACME,
      name: "acme",
      display_name: "Acme",
      groups: [CONTRACTORS, BILLING],
      roles: [{ id: AGENT, groups: [CONTRACTORS] }],
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
