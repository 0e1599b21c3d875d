/* Types for the contents of a profile: names for programs, without loading any rules. */

/** A feature of connections made from the profile. */
export type ConnectionFeature =
  /** Users and groups come from the directory. Newer: not every tenant has it. */
  | "directory_sync"
  /** The identity provider provisions users by SCIM. */
  | "scim"
  /** The identity provider can end a user's sessions everywhere. */
  | "universal_logout";

/** Switches a connection's part in Cross App Access on or off. */
export type CrossAppAccess =
  /** Identity providers take part. */
  | "enabled"
  /** They don't. */
  | "disabled";

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

/** Strategies that the service names; others are accepted too. */
export type ConnectionStrategy =
  "ad" | "adfs" | "google-apps" | "oidc" | "okta" | "pingfederate" | "samlp" | "waad";

/** How far users of an organization take part. */
export type OrganizationParticipation =
  /** Never. */
  | "none"
  /** If the organization chooses so. */
  | "optional"
  /** Always. */
  | "required";

/** Rejects other spellings of known members, because they would be sent unchanged as further members. */
export type NotWritten<Spelling extends string> = { [Member in Spelling]?: never };

export type OverrideSpellings =
  "enabled_features" | "enabledFeature" | "connection_config" | "cross_app_access_resource_app";

/** The `organization` of a `ConnectionProfile` as the tenant holds it. */
export interface ConnectionProfileOrganizationValues {
  /** Shows the connection as a button on the login page. */
  showAsButton?: OrganizationParticipation;
  /** Makes users members of the organization when they log in. */
  assignMembershipOnLogin?: OrganizationParticipation;
  [field: string]: unknown;
}

/** The `crossAppAccessResourceApp` of a `ConnectionProfile` as the tenant holds it. */
export interface CrossAppAccessValues {
  /** Settings for organization admins. */
  status?: CrossAppAccessStatusValues;
  [field: string]: unknown;
}

/** The `status` of {@link CrossAppAccessValues}. */
export interface CrossAppAccessStatusValues {
  /** The value unless an organization sets another. */
  defaultValue: CrossAppAccess;
  /** The values that organization admins may set. */
  allowedValues?: CrossAppAccess[];
  [field: string]: unknown;
}

/** The `provisioning` of a `ConnectionProfile` as the tenant holds it. */
export interface ConnectionProvisioningValues {
  /** How users are provisioned by SCIM. */
  scim?: ScimProvisioningValues;
  [field: string]: unknown;
}

/** The `scim` of {@link ConnectionProvisioningValues}. */
export interface ScimProvisioningValues {
  /** Scopes and lifetime of SCIM tokens. */
  tokens: ScimTokensValues;
  [field: string]: unknown;
}

/** The `tokens` of {@link ScimProvisioningValues}. */
export interface ScimTokensValues {
  /** The actions that the tokens allow. */
  scopes: ScimTokenScope[];
  /** In seconds. */
  defaultExpiry?: number;
  /** In seconds. */
  maxAllowedExpiry?: number;
  [field: string]: unknown;
}

/** An override of a `ConnectionProfile` as the tenant holds it. */
export interface StrategyOverrideValues extends NotWritten<OverrideSpellings> {
  /** The override's `enabled_features`. */
  enabledFeatures?: ConnectionFeature[];
  /** The override's `connection_config`: free-form. */
  connectionConfig?: Record<string, unknown>;
  /** The override's `cross_app_access_resource_app`. */
  crossAppAccessResourceApp?: CrossAppAccessValues;
  /** The override's `provisioning`. */
  provisioning?: ConnectionProvisioningValues;
  [field: string]: unknown;
}

/** By strategy. A name in capitals would be another strategy. */
export type ByStrategy<Override> = NotWritten<
  Capitalize<ConnectionStrategy> | Uppercase<ConnectionStrategy>
> & {
  [Strategy in ConnectionStrategy]?: Override;
} & { [strategy: string]: Override | undefined };

/** Overrides by strategy as the tenant holds them. */
export type StrategyOverridesValues = ByStrategy<StrategyOverrideValues>;
