/* The types of what a profile holds: names for programs, which load no rules. */

/** What a connection made from the profile can do. */
export type ConnectionFeature = "scim" | "universal_logout";

/** Strategies that the service names; others are accepted too. */
export type ConnectionStrategy =
  "ad" | "adfs" | "google-apps" | "oidc" | "okta" | "pingfederate" | "samlp" | "waad";

/** Whether users of an organization meet a thing: never, if they choose so, or always. */
export type OrganizationParticipation = "none" | "optional" | "required";

/** Other spellings of members that are known: as further members they would be sent as they are. */
export type NotWritten<Spelling extends string> = { [Member in Spelling]?: never };

export type OrganizationSpellings = "showAsButton" | "assignMembershipOnLogin";
export type OverrideSpellings = "enabled_features" | "enabledFeature" | "connection_config";

/** The `organization` of a `ConnectionProfile` as the tenant holds it. */
export interface ConnectionProfileOrganizationValues extends NotWritten<OrganizationSpellings> {
  /** Whether the connection is a button on the login page. */
  show_as_button?: OrganizationParticipation;
  /** Whether users become members of the organization when they log in. */
  assign_membership_on_login?: OrganizationParticipation;
  [field: string]: unknown;
}

/** An override of a `ConnectionProfile` as the tenant holds it. */
export interface StrategyOverrideValues extends NotWritten<OverrideSpellings> {
  /** The override's `enabled_features`. */
  enabledFeatures?: ConnectionFeature[];
  /** The override's `connection_config`: free-form. */
  connectionConfig?: Record<string, unknown>;
  [field: string]: unknown;
}

/** By strategy. One that is written in capitals would be another strategy. */
export type ByStrategy<Override> = NotWritten<
  Capitalize<ConnectionStrategy> | Uppercase<ConnectionStrategy>
> & {
  [Strategy in ConnectionStrategy]?: Override;
} & { [strategy: string]: Override | undefined };

/** Overrides by strategy as the tenant holds them. */
export type StrategyOverridesValues = ByStrategy<StrategyOverrideValues>;
