import { allScopesOf, SCOPED, type Scoped, scopesOf } from "../../provider/service/scopes";

/** `more`: only some of the command's options need them. */
interface CommandScopes {
  usual: readonly string[];
  more: readonly string[];
}

/** For roles in organizations: names, groups along the shorter side, and people. */
const GROUPS_IN_ORGANIZATIONS = [
  "read:organizations",
  "read:organization_groups",
  "read:organization_group_roles",
] as const;
const IN_ORGANIZATIONS = [...GROUPS_IN_ORGANIZATIONS, "read:organization_member_roles"] as const;

/** The scopes of the commands. The tests compare SECURITY.md with them. */
const COMMAND_SCOPES = {
  review: {
    usual: ["read:group_roles", "read:roles", "read:groups"],
    more: [
      "read:users",
      "read:device_credentials",
      "read:tenant_settings",
      "read:group_members",
      "read:role_members",
      "read:connection_profiles",
      ...IN_ORGANIZATIONS,
    ],
  },
  access: {
    usual: ["read:roles", "read:group_roles", "read:role_members"],
    more: [
      ...["read:groups", "read:group_members", "read:users"],
      ...["read:user_effective_roles", "read:user_role_source_groups"],
      ...IN_ORGANIZATIONS,
      ...["read:organization_member_effective_roles", "read:organization_member_role_source_groups"],
    ],
  },
  adopt: {
    usual: ["read:connection_profiles", "read:group_roles", "read:roles"],
    more: ["read:groups", ...GROUPS_IN_ORGANIZATIONS],
  },
} as const satisfies Record<string, CommandScopes>;

type ScopedCommand = keyof typeof COMMAND_SCOPES;

/** Everything that sends requests: a resource, a data source or a command. */
export type Caller = Scoped | ScopedCommand;

const COMMANDS = Object.keys(COMMAND_SCOPES) as readonly ScopedCommand[];

export const CALLERS: readonly Caller[] = [...SCOPED, ...COMMANDS];

export function isCommand(name: Caller): name is ScopedCommand {
  return Object.hasOwn(COMMAND_SCOPES, name);
}

export function usualScopesOf(name: Caller): readonly string[] {
  return isCommand(name) ? COMMAND_SCOPES[name].usual : scopesOf(name);
}

export function everyScopeOf(name: Caller): readonly string[] {
  if (!isCommand(name)) return allScopesOf(name);
  const { usual, more } = COMMAND_SCOPES[name];
  return [...usual, ...more];
}
