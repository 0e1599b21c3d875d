/* Types for the contents of a profile: names for programs, without loading any rules. */

/** A feature of connections made from the profile. */
export type ConnectionFeature =
  /** Users and groups come from the directory. Newer: not every tenant has it. */
  | "directory_sync"
  /** The identity provider provisions users by SCIM. */
  | "scim"
  /** The identity provider can end a user's sessions everywhere. */
  | "universal_logout";

/** @remarks The values by the names that `pulumi import` and `pulumi convert` print. */
export const ConnectionFeature = {
  DirectorySync: "directory_sync",
  Scim: "scim",
  UniversalLogout: "universal_logout",
} as const satisfies Record<string, ConnectionFeature>;

/** Switches a connection's part in Cross App Access on or off. */
export type CrossAppAccess =
  /** Identity providers take part. */
  | "enabled"
  /** Identity providers don't take part. */
  | "disabled";

/** @remarks The values by the names that `pulumi import` and `pulumi convert` print. */
export const CrossAppAccess = {
  Enabled: "enabled",
  Disabled: "disabled",
} as const satisfies Record<string, CrossAppAccess>;

/** An action that a SCIM token allows. */
export type ScimTokenScope =
  /** Read users. */
  | "get:users"
  /** Create users. */
  | "post:users"
  /** Replace users. */
  | "put:users"
  /** Change users in part. */
  | "patch:users"
  /** Delete users. */
  | "delete:users";

/** @remarks The values by the names that `pulumi import` and `pulumi convert` print. */
export const ScimTokenScope = {
  GetUsers: "get:users",
  PostUsers: "post:users",
  PutUsers: "put:users",
  PatchUsers: "patch:users",
  DeleteUsers: "delete:users",
} as const satisfies Record<string, ScimTokenScope>;

/** Strategies that the service names; others are accepted too. */
export type ConnectionStrategy =
  "ad" | "adfs" | "google-apps" | "oidc" | "okta" | "pingfederate" | "samlp" | "waad";

/** Says who decides if an organization's users take part. */
export type OrganizationParticipation =
  /** Never. */
  | "none"
  /** If the organization chooses so. */
  | "optional"
  /** Always. */
  | "required";

/** @remarks The values by the names that `pulumi import` and `pulumi convert` print. */
export const OrganizationParticipation = {
  None: "none",
  Optional: "optional",
  Required: "required",
} as const satisfies Record<string, OrganizationParticipation>;

/** Refuses members by other names, as the provider does: further keys may have any. */
export type NotWritten<Name extends string> = { [Member in Name]?: never };

/**
 * How users of organizations use the connections.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface ConnectionProfileOrganization extends NotWritten<
  "show_as_button" | "assign_membership_on_login"
> {
  /** Shows the connection as a button on the login page. */
  showAsButton?: OrganizationParticipation;
  /** Makes users members of the organization when they log in. */
  assignMembershipOnLogin?: OrganizationParticipation;
  [field: string]: unknown;
}

/**
 * Part of the connections in Cross App Access, as resource apps.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface CrossAppAccessResourceApp {
  /** Lets identity providers take part, and organization admins change that. */
  status?: CrossAppAccessStatus;
  [field: string]: unknown;
}

/**
 * Who takes part in Cross App Access.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface CrossAppAccessStatus extends NotWritten<"default_value" | "allowed_values"> {
  /** Applies unless an organization sets another value: `enabled` or `disabled`. Required. */
  defaultValue?: CrossAppAccess;
  /** The values that organization admins can set: both `enabled` and `disabled`, in any order, or none. */
  allowedValues?: CrossAppAccess[];
  [field: string]: unknown;
}

/**
 * How users are provisioned.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface ConnectionProvisioning extends NotWritten<"google_workspace"> {
  /** Provisioning of users from a Google Workspace directory. */
  googleWorkspace?: GoogleWorkspaceProvisioning;
  /** Provisioning of users by SCIM. */
  scim?: ScimProvisioning;
  [field: string]: unknown;
}

/**
 * Provisioning of users from a Google Workspace directory.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface GoogleWorkspaceProvisioning extends NotWritten<"sync_users"> {
  /** True synchronizes users, too. */
  syncUsers?: boolean;
  [field: string]: unknown;
}

/**
 * Provisioning of users by SCIM.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface ScimProvisioning {
  /** Scopes and lifetime of SCIM tokens. */
  tokens: ScimTokens;
  [field: string]: unknown;
}

/**
 * Scopes and lifetime of SCIM tokens.
 *
 * @remarks
 * As an input, further keys are sent as they are.
 */
export interface ScimTokens extends NotWritten<"default_expiry" | "max_allowed_expiry"> {
  /**
   * The actions that tokens allow, in any order: `get:users`, `post:users`, `put:users`, `patch:users` and
   * `delete:users`.
   */
  scopes: ScimTokenScope[];
  /** Lifetime of a token that is made without one, in whole seconds, 1 or more. */
  defaultExpiry?: number;
  /** Longest lifetime of a token, in whole seconds, 1 or more. */
  maxAllowedExpiry?: number;
  [field: string]: unknown;
}

/**
 * How connections of one strategy differ from the profile.
 *
 * @remarks
 * As an input, fields beyond these are sent as they are.
 */
export interface StrategyOverride extends NotWritten<
  "enabled_features" | "enabledFeature" | "connection_config" | "cross_app_access_resource_app"
> {
  /** The override's `enabled_features`, in any order. */
  enabledFeatures?: ConnectionFeature[];
  /** The override's `connection_config`: free-form, sent as it is. */
  connectionConfig?: Record<string, unknown>;
  /** The override's `cross_app_access_resource_app`. Newer: not every tenant has it. */
  crossAppAccessResourceApp?: CrossAppAccessResourceApp;
  /** The override's `provisioning`. Newer: not every tenant has it. */
  provisioning?: ConnectionProvisioning;
  [field: string]: unknown;
}

/** By strategy. A name in capitals would be another strategy; a pattern is no name that editors propose. */
export type ByStrategy<Override> = {
  [Strategy in ConnectionStrategy]?: Override;
} & { [strategy: string]: Override | undefined } & { [capital: Capitalize<string>]: undefined };

/** Overrides by strategy, e.g. `{ okta: { enabledFeatures: ["scim"] } }`. */
export type StrategyOverrides = ByStrategy<StrategyOverride>;
