import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";
import { PROFILE_SETS } from "../../service/profile-fields";
import {
  type ByStrategy,
  type ConnectionFeature,
  type ConnectionProfileOrganization,
  type ConnectionProvisioning,
  type CrossAppAccessResourceApp,
  type StrategyOverride,
  type StrategyOverrides,
} from "../../service/profile-types";

/** A value as an input: each of its parts can be an Output, at any depth. */
export type InputsOf<Value> = Value extends readonly (infer Item)[]
  ? pulumi.Input<InputsOf<Item>>[]
  : Value extends object
    ? { [Name in keyof Value]: InputOf<Value, Name> }
    : Value;

/** A part that may be missing can be an Output of undefined too. */
type InputOf<Value, Name extends keyof Value> =
  object extends Pick<Value, Name>
    ? pulumi.Input<InputsOf<Value[Name]> | undefined>
    : pulumi.Input<InputsOf<Value[Name]>>;

/**
 * Inputs of a {@link ConnectionProfile}. Null means not set, at any depth. Only a change of `adopt` replaces
 * the resource.
 */
export interface ConnectionProfileArgs {
  /**
   * The profile's `name`: 1 to 50 characters, e.g. `enterprise`. Required unless `adopt` is given.
   *
   * @default `undefined`: the adopted profile keeps its name, and others can change it.
   */
  name?: pulumi.Input<string | undefined>;
  /**
   * How users of organizations use the connections: the profile's `organization`, e.g.
   * `{ showAsButton: "optional" }`.
   */
  organization?: pulumi.Input<InputsOf<ConnectionProfileOrganization> | undefined>;
  /**
   * The profile's `connection_name_prefix_template`, at most 15 characters: letters, digits, single hyphens,
   * and the placeholders `{org_id}` and `{org_name}`, e.g. `con-{org_id}`.
   *
   * It can't start with a hyphen.
   */
  connectionNamePrefixTemplate?: pulumi.Input<string | undefined>;
  /**
   * The profile's `enabled_features`, in any order, e.g. `scim` and `universal_logout`.
   *
   * `directory_sync` is newer: not every tenant has it.
   */
  enabledFeatures?: pulumi.Input<pulumi.Input<ConnectionFeature>[] | undefined>;
  /** The profile's `connection_config`: free-form, sent as it is. */
  connectionConfig?: pulumi.Input<Record<string, unknown> | undefined>;
  /**
   * The profile's `cross_app_access_resource_app`: lets identity providers take part in Cross App Access,
   * e.g. `{ status: { defaultValue: "disabled" } }`.
   *
   * Newer: not every tenant has it.
   */
  crossAppAccessResourceApp?: pulumi.Input<InputsOf<CrossAppAccessResourceApp> | undefined>;
  /**
   * The profile's `provisioning`: scopes and lifetime of SCIM tokens, e.g.
   * `{ scim: { tokens: { scopes: ["get:users"], defaultExpiry: 86400 } } }`.
   *
   * Newer: not every tenant has it.
   */
  provisioning?: pulumi.Input<InputsOf<ConnectionProvisioning> | undefined>;
  /**
   * How connections of a strategy, such as `okta`, differ from the profile: its `strategy_overrides`, e.g.
   * `{ okta: { enabledFeatures: ["scim"] } }`.
   */
  strategyOverrides?: pulumi.Input<ByStrategy<pulumi.Input<InputsOf<StrategyOverride>>> | undefined>;
  /**
   * Id of an existing profile to take over, e.g. `cop_2GjRf8mYd5LcVt7K9sPmZa`. After the adoption you can
   * remove the argument, if `name` is given.
   *
   * The preview lists what would change on the profile. Changing `adopt` to an id other than the resource's
   * own replaces the resource. It becomes the resource's id, so state holds it in clear text even if you give
   * it as a secret.
   *
   * @default `undefined`: the resource creates a new profile.
   */
  adopt?: pulumi.Input<string>;
  /**
   * If true, destroying the resource deletes the profile. If false, it stays, unmanaged.
   *
   * @default `true`, but `false` for an adopted profile.
   */
  deleteOnDestroy?: pulumi.Input<boolean>;
}

/**
 * Manages a profile for connections to enterprise identity providers. The program owns each setting that it
 * gives, as a whole: if you take one out, the next update empties it on the tenant, except the name. The
 * resource leaves all other settings alone and doesn't output them: read them with `getConnectionProfiles`.
 *
 * If two resources of a program manage the same profile, the preview fails.
 *
 * Scopes: `create:`, `read:`, `update:` and `delete:connection_profiles`, each for the operation of its name.
 * Before it changes a setting that is an object, the resource reads the profile, and refuses to remove keys
 * that nobody has seen.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or have a key `__proto__`, when
 * `options` has `import`, or when this package isn't installed in the program's folder.
 *
 * @example A new profile
 * ```ts
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   organization: { showAsButton: "optional" },
 *   connectionNamePrefixTemplate: "con-{org_id}",
 *   enabledFeatures: ["scim", "universal_logout"],
 *   strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
 * });
 * ```
 *
 * @example Adopting an existing profile
 * ```ts
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   name: "enterprise",
 *   adopt: "cop_2GjRf8mYd5LcVt7K9sPmZa",
 * });
 * ```
 *
 * @example Some settings of an existing profile, and not its name
 * ```ts
 * import { ConnectionProfile } from "pulumi-identity";
 *
 * export const enterprise = new ConnectionProfile("enterprise", {
 *   adopt: "cop_2GjRf8mYd5LcVt7K9sPmZa",
 *   enabledFeatures: ["scim"],
 * });
 * ```
 *
 * @example A secret, encrypted in state
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
  /** {@link ConnectionProfileArgs.name} as the tenant holds it, also where the program doesn't give it. */
  declare readonly name: pulumi.Output<string>;
  /** {@link ConnectionProfileArgs.organization} as the tenant holds it. */
  declare readonly organization: pulumi.Output<ConnectionProfileOrganization | undefined>;
  /** {@link ConnectionProfileArgs.connectionNamePrefixTemplate} as the tenant holds it. */
  declare readonly connectionNamePrefixTemplate: pulumi.Output<string | undefined>;
  /** {@link ConnectionProfileArgs.enabledFeatures} as the tenant holds them. */
  declare readonly enabledFeatures: pulumi.Output<ConnectionFeature[] | undefined>;
  /** {@link ConnectionProfileArgs.connectionConfig} as the tenant holds it. */
  declare readonly connectionConfig: pulumi.Output<Record<string, unknown> | undefined>;
  /** {@link ConnectionProfileArgs.crossAppAccessResourceApp} as the tenant holds it. */
  declare readonly crossAppAccessResourceApp: pulumi.Output<CrossAppAccessResourceApp | undefined>;
  /** {@link ConnectionProfileArgs.provisioning} as the tenant holds it. */
  declare readonly provisioning: pulumi.Output<ConnectionProvisioning | undefined>;
  /** {@link ConnectionProfileArgs.strategyOverrides} as the tenant holds it. */
  declare readonly strategyOverrides: pulumi.Output<StrategyOverrides | undefined>;
  /** True if the profile is older than the resource. */
  declare readonly adopted: pulumi.Output<boolean>;
  /** Host name of the tenant. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: ConnectionProfileArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(CONNECTION_PROFILE, { name, args, options }));
  }

  /**
   * Reads an existing profile by its id, and never changes or deletes it.
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
  sets: () => PROFILE_SETS,
  importAdvice: "Remove the import option and give the argument adopt: {id} instead.",
};
