import {
  allScopesOf,
  SCOPED,
  type Scoped,
  type ScopedOperation,
  SCOPES,
  scopesOf,
} from "../../provider/service/scopes";

/** For roles in organizations: groups, along the shorter side. */
const GROUPS_IN_ORGANIZATIONS = [
  { does: "roles in organizations", scopes: ["read:organization_group_roles"], isSpecial: true },
  { does: "the same with fewer requests", scopes: ["read:organization_groups"], isSpecial: true },
  { does: "names of organizations", scopes: ["read:organizations"], isSpecial: true },
] as const;
const PEOPLE_IN_ORGANIZATIONS = {
  does: "people in organizations",
  scopes: ["read:organization_member_roles"],
  isSpecial: true,
} as const;

/** For a review as README shows it: what a client for pull requests reads. */
const SHOWN_IN_REVIEW = [
  { does: "who has the roles today", scopes: ["read:group_roles"] },
  { does: "names, also in `--rules`, and permissions of roles", scopes: ["read:roles", "read:groups"] },
  { does: "the number of people", scopes: ["read:group_members", "read:role_members"], isSpecial: true },
  { does: "new profiles", scopes: ["read:connection_profiles"], isSpecial: true },
  { does: "removed credentials", scopes: ["read:device_credentials"], isSpecial: true },
] as const;

export const READER_SCOPES = allScopesOf(SHOWN_IN_REVIEW);

/** The scopes that commands use, by what they show. SECURITY.md has the list. */
export const COMMAND_SCOPES = {
  review: [
    ...SHOWN_IN_REVIEW,
    { does: "a user of `--sample-user`", scopes: ["read:users"], isSpecial: true },
    { does: "whether other tokens end with one", scopes: ["read:tenant_settings"], isSpecial: true },
    {
      does: "who is signed out, and of how much",
      scopes: ["read:users", "read:sessions", "read:refresh_tokens", "read:device_credentials"],
      isSpecial: true,
    },
    ...GROUPS_IN_ORGANIZATIONS,
    PEOPLE_IN_ORGANIZATIONS,
  ],
  access: [
    { does: "who has the roles", scopes: ["read:roles", "read:group_roles"] },
    { does: "who has them directly, without `--no-direct`", scopes: ["read:role_members"] },
    { does: "names with `--group` and in `--rules`", scopes: ["read:groups"], isSpecial: true },
    {
      does: "people with `--people` in a page or JSON, and in conflicts of rules",
      scopes: ["read:group_members", "read:role_members"],
      isSpecial: true,
    },
    { does: "`--user`", scopes: ["read:users"], isSpecial: true },
    {
      does: "a user's groups; `read:group_roles` does in their place",
      scopes: ["read:user_effective_roles", "read:user_role_source_groups"],
      isSpecial: true,
    },
    {
      does: "`--leave`",
      scopes: ["read:sessions", "read:refresh_tokens", "read:device_credentials", "read:group_members"],
      isSpecial: true,
    },
    ...GROUPS_IN_ORGANIZATIONS,
    PEOPLE_IN_ORGANIZATIONS,
    {
      does: "`--user` in organizations",
      scopes: [
        "read:organizations",
        "read:organization_member_effective_roles",
        "read:organization_member_role_source_groups",
      ],
      isSpecial: true,
    },
  ],
  adopt: [
    { does: "profiles", scopes: ["read:connection_profiles"] },
    { does: "`--role`", scopes: ["read:group_roles"] },
    { does: "`--all-roles`, and names of roles", scopes: ["read:roles"] },
    { does: "names of groups", scopes: ["read:groups"], isSpecial: true },
    ...GROUPS_IN_ORGANIZATIONS,
  ],
} as const satisfies Record<string, readonly ScopedOperation[]>;

type ScopedCommand = keyof typeof COMMAND_SCOPES;

/** Everything that sends requests: a resource, a data source or a command. */
export type Caller = Scoped | ScopedCommand;

const COMMANDS = Object.keys(COMMAND_SCOPES) as readonly ScopedCommand[];

export const CALLERS: readonly Caller[] = [...SCOPED, ...COMMANDS];

export function isCommand(name: Caller): name is ScopedCommand {
  return Object.hasOwn(COMMAND_SCOPES, name);
}

export function usualScopesOf(name: Caller): string[] {
  return scopesOf(operationsOf(name));
}

export function everyScopeOf(name: Caller): string[] {
  return allScopesOf(operationsOf(name));
}

function operationsOf(name: Caller): readonly ScopedOperation[] {
  return isCommand(name) ? COMMAND_SCOPES[name] : SCOPES[name];
}
