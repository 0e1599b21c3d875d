import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";
import {
  type ByStrategy,
  type ConnectionFeature,
  type ConnectionProfileOrganizationValues,
  type ConnectionProvisioningValues,
  type CrossAppAccess,
  type CrossAppAccessSpellings,
  type CrossAppAccessValues,
  type NotWritten,
  type OrganizationParticipation,
  type OrganizationSpellings,
  type OverrideSpellings,
  type ScimTokenScope,
  type ScimTokenSpellings,
  type StrategyOverridesValues,
} from "../../service/profile-types";

/** With the API's own keys; further ones are sent as they are. */
export interface ConnectionProfileOrganization extends NotWritten<OrganizationSpellings> {
  /** Whether the connection is a button on the login page. */
  show_as_button?: pulumi.Input<OrganizationParticipation | undefined>;
  /** Whether users become members of the organization when they log in. */
  assign_membership_on_login?: pulumi.Input<OrganizationParticipation | undefined>;
  [field: string]: unknown;
}

/** With the API's own keys; further ones are sent as they are. */
export interface CrossAppAccessResourceApp {
  /** Whether identity providers take part, and whether organization admins can change that. */
  status?: pulumi.Input<CrossAppAccessStatus | undefined>;
  [field: string]: unknown;
}

/** With the API's own keys; further ones are sent as they are. */
export interface CrossAppAccessStatus extends NotWritten<CrossAppAccessSpellings> {
  /** Applies unless an organization sets another value: `enabled` or `disabled`. Required. */
  default_value: pulumi.Input<CrossAppAccess>;
  /** What organization admins can set, a set: `enabled` and `disabled`, or left out. */
  allowed_values?: pulumi.Input<pulumi.Input<CrossAppAccess>[] | undefined>;
  [field: string]: unknown;
}

/** With the API's own keys; further ones are sent as they are. */
export interface ConnectionProvisioning {
  /** How users are provisioned by SCIM. */
  scim?: pulumi.Input<ScimProvisioning | undefined>;
  [field: string]: unknown;
}

/** With the API's own keys; further ones are sent as they are. */
export interface ScimProvisioning {
  /** What SCIM tokens are allowed to do, and for how long. Required. */
  tokens: pulumi.Input<ScimTokens>;
  [field: string]: unknown;
}

/** With the API's own keys; further ones are sent as they are. */
export interface ScimTokens extends NotWritten<ScimTokenSpellings> {
  /**
   * What tokens are allowed to do, a set of `get:users`, `post:users`, `put:users`, `patch:users` and
   * `delete:users`. Required.
   */
  scopes: pulumi.Input<pulumi.Input<ScimTokenScope>[]>;
  /** Lifetime of a token that is made without one, in whole seconds, 1 or more. */
  default_expiry?: pulumi.Input<number | undefined>;
  /** Longest lifetime of a token, in whole seconds, 1 or more. */
  max_allowed_expiry?: pulumi.Input<number | undefined>;
  [field: string]: unknown;
}

/** How connections of one strategy differ from the profile. Fields beyond these are sent as they are. */
export interface StrategyOverride extends NotWritten<OverrideSpellings> {
  /** The override's `enabled_features`, a set: order means nothing. */
  enabledFeatures?: pulumi.Input<pulumi.Input<ConnectionFeature>[] | undefined>;
  /** The override's `connection_config`: free-form, sent as it is. */
  connectionConfig?: pulumi.Input<Record<string, unknown> | undefined>;
  /** The override's `cross_app_access_resource_app`. Newer: not every tenant has it. */
  crossAppAccessResourceApp?: pulumi.Input<CrossAppAccessResourceApp | undefined>;
  /** The override's `provisioning`. Newer: not every tenant has it. */
  provisioning?: pulumi.Input<ConnectionProvisioning | undefined>;
  [field: string]: unknown;
}

/**
 * Inputs of a {@link ConnectionProfile}. An input that is null counts as not set, at any depth. Changes are
 * made in place, but for `adopt`.
 */
export interface ConnectionProfileArgs {
  /** The profile's `name`: 1 to 50 characters, e.g. `enterprise`. */
  name: pulumi.Input<string>;
  /** The profile's `organization`, with the service's own keys, e.g. `{ show_as_button: "optional" }`. */
  organization?: pulumi.Input<ConnectionProfileOrganization | undefined>;
  /**
   * The profile's `connection_name_prefix_template`: at most 15 characters, which are letters, digits, single
   * hyphens but none at the start, and the placeholders `{org_id}` and `{org_name}`, e.g. `con-{org_id}`.
   */
  connectionNamePrefixTemplate?: pulumi.Input<string | undefined>;
  /**
   * The profile's `enabled_features`, a set: order means nothing. E.g. `["scim", "universal_logout"]`.
   * `directory_sync` is newer: not every tenant has it.
   */
  enabledFeatures?: pulumi.Input<pulumi.Input<ConnectionFeature>[] | undefined>;
  /** The profile's `connection_config`: free-form, sent as it is. */
  connectionConfig?: pulumi.Input<Record<string, unknown> | undefined>;
  /**
   * The profile's `cross_app_access_resource_app`, with the service's own keys: whether identity providers
   * take part in Cross App Access, e.g. `{ status: { default_value: "disabled" } }`. Newer: not every tenant
   * has it.
   */
  crossAppAccessResourceApp?: pulumi.Input<CrossAppAccessResourceApp | undefined>;
  /**
   * The profile's `provisioning`, with the service's own keys: what SCIM tokens are allowed to do,
   * and for how long, e.g.
   * `{ scim: { tokens: { scopes: ["get:users"], default_expiry: 86400 } } }`. Newer: not every tenant has it.
   */
  provisioning?: pulumi.Input<ConnectionProvisioning | undefined>;
  /** The profile's `strategy_overrides`, by strategy, e.g. `{ okta: { enabledFeatures: ["scim"] } }`. */
  strategyOverrides?: pulumi.Input<ByStrategy<pulumi.Input<StrategyOverride>> | undefined>;
  /**
   * Id of an existing profile, e.g. `cop_2GjRf8mYd5LcVt7K9sPmZa`, that is taken over instead of making a new
   * one; the preview tells what would change on it. Changing it to an id other than the resource's own
   * replaces the resource; once adopted, the argument may be removed. It becomes the resource's id, which
   * state holds in clear, also where it is given as a secret.
   *
   * @default `undefined`: a new profile is made.
   */
  adopt?: pulumi.Input<string>;
  /**
   * Whether destroying the resource deletes the profile.
   *
   * @default `true`, but `false` for an adopted profile.
   */
  deleteOnDestroy?: pulumi.Input<boolean>;
}

/**
 * A profile from which connections to enterprise identity providers are made. A setting that the program
 * gives is the program's, all of it. Take it out, and the next update empties it on the tenant. A setting
 * that the program never gave is left alone, and is no output: `get` reads all.
 *
 * Two resources of a program that adopt one profile, or one that adopts what another manages, fail in the
 * preview.
 *
 * Scopes: `create:`, `read:`, `update:` and `delete:connection_profiles`, each for the operation of its name;
 * changing an object-valued input reads first, and refuses if it would remove keys that nobody has seen.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or hold a key `__proto__`, when
 * `options` has `import`, or when the program's folder does not have this package installed.
 *
 * @example A new profile
 * ```ts
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   organization: { show_as_button: "optional" },
 *   connectionNamePrefixTemplate: "con-{org_id}",
 *   enabledFeatures: ["scim", "universal_logout"],
 *   strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
 * });
 * ```
 *
 * @example A profile that exists is taken over
 * ```ts
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   adopt: "cop_2GjRf8mYd5LcVt7K9sPmZa",
 * });
 * ```
 *
 * @example A secret, which state holds encrypted
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   connectionConfig: { key: new pulumi.Config().requireSecret("connectionKey") },
 * });
 * ```
 *
 * @example Several tenants
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { ConnectionProfile, Provider } from "pulumi-identity";
 *
 * const config = new pulumi.Config();
 * const eu = new Provider("eu", {
 *   domain: "eu.example.com",
 *   clientId: config.require("euClientId"),
 *   clientSecret: config.requireSecret("euClientSecret"),
 * });
 *
 * export const enterprise = new ConnectionProfile("enterprise", { name: "enterprise" }, { provider: eu });
 * ```
 */
export class ConnectionProfile extends pulumi.CustomResource {
  /** {@link ConnectionProfileArgs.name} as the tenant holds it. */
  declare readonly name: pulumi.Output<string>;
  /** {@link ConnectionProfileArgs.organization} as the tenant holds it. */
  declare readonly organization: pulumi.Output<ConnectionProfileOrganizationValues | undefined>;
  /** {@link ConnectionProfileArgs.connectionNamePrefixTemplate} as the tenant holds it. */
  declare readonly connectionNamePrefixTemplate: pulumi.Output<string | undefined>;
  /** {@link ConnectionProfileArgs.enabledFeatures} as the tenant holds them. */
  declare readonly enabledFeatures: pulumi.Output<ConnectionFeature[] | undefined>;
  /** {@link ConnectionProfileArgs.connectionConfig} as the tenant holds it. */
  declare readonly connectionConfig: pulumi.Output<Record<string, unknown> | undefined>;
  /** {@link ConnectionProfileArgs.crossAppAccessResourceApp} as the tenant holds it. */
  declare readonly crossAppAccessResourceApp: pulumi.Output<CrossAppAccessValues | undefined>;
  /** {@link ConnectionProfileArgs.provisioning} as the tenant holds it. */
  declare readonly provisioning: pulumi.Output<ConnectionProvisioningValues | undefined>;
  /** {@link ConnectionProfileArgs.strategyOverrides} as the tenant holds it. */
  declare readonly strategyOverrides: pulumi.Output<StrategyOverridesValues | undefined>;
  /** Whether the profile was there before the resource. */
  declare readonly adopted: pulumi.Output<boolean>;
  /** Host name of the tenant that the resource is on. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: ConnectionProfileArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(CONNECTION_PROFILE, { name, args, options }));
  }

  /**
   * An existing profile, by its id; it is read, and never changed or deleted.
   *
   * @throws an {@link InvalidInputError} when the id is empty.
   *
   * @example A profile that others manage
   * ```ts
   * import { ConnectionProfile } from "pulumi-identity";
   *
   * export const existing = ConnectionProfile.get("existing", "cop_2GjRf8mYd5LcVt7K9sPmZa");
   * ```
   */
  static readonly get = getExisting;
}

/** @internal */
export const CONNECTION_PROFILE: Readonly<ResourceType<ConnectionProfile>> = {
  name: "ConnectionProfile",
  properties: {
    name: undefined,
    organization: undefined,
    connectionNamePrefixTemplate: undefined,
    enabledFeatures: undefined,
    connectionConfig: undefined,
    crossAppAccessResourceApp: undefined,
    provisioning: undefined,
    strategyOverrides: undefined,
    adopted: undefined,
    tenant: undefined,
  },
  importAdvice: "Remove the import option and give the argument adopt: {id} instead.",
};
