import { type KindName } from "../kinds";

/** An operation of a resource, a data source or a command, and the scopes it needs. */
export interface ScopedOperation {
  /** In Markdown: SECURITY.md has it. */
  does: string;
  /** It needs all of them. */
  scopes: readonly string[];
  /** Only some programs do this, so using the resource, data source or command doesn't require it. */
  isSpecial?: true;
}

/**
 * The fewest scopes for each operation, by the exported name of the resource or data source. SECURITY.md has
 * the list, and tests run each operation with exactly its scopes.
 */
export const SCOPES = {
  ConnectionProfile: [
    { does: "create", scopes: ["create:connection_profiles"] },
    { does: "adopt", scopes: ["read:connection_profiles", "update:connection_profiles"] },
    { does: "update", scopes: ["update:connection_profiles"] },
    {
      does: "update a setting that is an object, such as `organization`",
      scopes: ["read:connection_profiles", "update:connection_profiles"],
    },
    { does: "refresh", scopes: ["read:connection_profiles"] },
    { does: "get", scopes: ["read:connection_profiles"] },
    { does: "destroy", scopes: ["delete:connection_profiles"] },
    { does: "destroy one that was adopted", scopes: [] },
  ],
  RoleGroupAssignment: [
    { does: "create", scopes: ["create:group_roles"] },
    {
      does: "create with `exclusive`",
      scopes: ["create:group_roles", "read:group_roles", "delete:group_roles"],
    },
    { does: "add groups", scopes: ["create:group_roles"] },
    { does: "remove groups", scopes: ["delete:group_roles"] },
    {
      does: "add and remove groups with `exclusive`",
      scopes: ["create:group_roles", "read:group_roles", "delete:group_roles"],
    },
    { does: "end, after `until`", scopes: ["delete:group_roles"] },
    { does: "refresh", scopes: ["read:group_roles"] },
    { does: "get", scopes: ["read:group_roles"] },
    { does: "destroy", scopes: ["delete:group_roles"] },
  ],
  OrganizationRoleGroupAssignment: [
    { does: "create", scopes: ["create:organization_group_roles"] },
    {
      does: "create with `exclusive`",
      scopes: [
        "create:organization_group_roles",
        "read:organization_group_roles",
        "delete:organization_group_roles",
      ],
    },
    { does: "add groups", scopes: ["create:organization_group_roles"] },
    { does: "remove groups", scopes: ["delete:organization_group_roles"] },
    {
      does: "add and remove groups with `exclusive`",
      scopes: [
        "create:organization_group_roles",
        "read:organization_group_roles",
        "delete:organization_group_roles",
      ],
    },
    { does: "end, after `until`", scopes: ["delete:organization_group_roles"] },
    { does: "refresh", scopes: ["read:organization_group_roles"] },
    { does: "get", scopes: ["read:organization_group_roles"] },
    { does: "destroy", scopes: ["delete:organization_group_roles"] },
  ],
  DeviceCredentialRemoval: [
    { does: "create", scopes: ["delete:device_credentials"] },
    { does: "refresh", scopes: [] },
    { does: "destroy", scopes: [] },
  ],
  UserSignOut: [
    {
      does: "create",
      scopes: [
        "delete:sessions",
        "delete:refresh_tokens",
        "read:device_credentials",
        "delete:device_credentials",
      ],
    },
    {
      does: "create with `clientId`",
      scopes: ["delete:refresh_tokens", "read:device_credentials", "delete:device_credentials"],
    },
    { does: "refresh", scopes: [] },
    { does: "destroy", scopes: [] },
  ],
  getUser: [
    { does: "any user", scopes: ["read:users"] },
    { does: "the user whose token it is", scopes: ["read:current_user"], isSpecial: true },
    { does: "with `includeIdentityTokens`", scopes: ["read:user_idp_tokens"], isSpecial: true },
  ],
  getUserPermissions: [{ does: "any user", scopes: ["read:users"] }],
  getConnectionProfiles: [
    { does: "all", scopes: ["read:connection_profiles"] },
    { does: "by name", scopes: ["read:connection_profiles"] },
  ],
  getRole: [{ does: "by name", scopes: ["read:roles"] }],
  getOrganization: [{ does: "by name", scopes: ["read:organizations"] }],
  getGroup: [{ does: "by name", scopes: ["read:groups"] }],
  getRoleGroups: [{ does: "any role", scopes: ["read:group_roles"] }],
  getDeviceCredentials: [{ does: "any user", scopes: ["read:device_credentials"] }],
} as const satisfies Record<KindName | `get${string}`, readonly ScopedOperation[]>;

/** Exported name of a resource or data source. */
export type Scoped = keyof typeof SCOPES;

export const SCOPED = Object.keys(SCOPES) as readonly Scoped[];

/** Returns the scopes for everything that callers do, except special operations. */
export function scopesOf(operations: readonly ScopedOperation[]): string[] {
  return allScopesOf(operations.filter(({ isSpecial }) => isSpecial !== true));
}

/** Returns the scopes that at least one of the operations needs. */
export function allScopesOf(operations: readonly ScopedOperation[]): string[] {
  return [...new Set(operations.flatMap(({ scopes }) => scopes))];
}
