import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { connectionProfiles } from "../service/connection-profiles";
import { settingsFromWire, PROFILE_FIELDS } from "../service/profile-fields";
import {
  type ConnectionFeature,
  type ConnectionProfileOrganization,
  type ConnectionProvisioning,
  type CrossAppAccessResourceApp,
  type StrategyOverrides,
} from "../service/profile-types";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { sortedById } from "./records";

/** Arguments of {@link getConnectionProfiles}. */
export interface GetConnectionProfilesArgs {
  /**
   * Returns only profiles with exactly this name, e.g. `enterprise`. Several can have it.
   *
   * @default `undefined`: all profiles.
   */
  name?: string;
}

/** Arguments of {@link getConnectionProfilesOutput}. */
export type GetConnectionProfilesOutputArgs = {
  [Name in keyof GetConnectionProfilesArgs]: pulumi.Input<GetConnectionProfilesArgs[Name]>;
};

/**
 * A profile as the tenant holds it, with the names of the inputs of `ConnectionProfile`. Settings without a
 * value are left out.
 */
export interface ConnectionProfileValues {
  /** Id of the profile, e.g. `cop_2GjRf8mYd5LcVt7K9sPmZa`: the `adopt` of a `ConnectionProfile`. */
  id: string;
  /** Name of the profile. Several can have the same. */
  name: string;
  /** The profile's `organization`, e.g. `{ showAsButton: "optional" }`. */
  organization?: ConnectionProfileOrganization;
  /** The profile's `connection_name_prefix_template`, e.g. `con-{org_id}`. */
  connectionNamePrefixTemplate?: string;
  /** The profile's `enabled_features`, e.g. `scim` and `universal_logout`. */
  enabledFeatures?: ConnectionFeature[];
  /** The profile's `connection_config`, which is free-form. */
  connectionConfig?: Record<string, unknown>;
  /** The profile's `cross_app_access_resource_app`, e.g. `{ status: { defaultValue: "disabled" } }`. */
  crossAppAccessResourceApp?: CrossAppAccessResourceApp;
  /** The profile's `provisioning`, e.g. `{ scim: { tokens: { scopes: ["get:users"] } } }`. */
  provisioning?: ConnectionProvisioning;
  /** The profile's `strategy_overrides`, by strategy, e.g. `{ okta: { enabledFeatures: ["scim"] } }`. */
  strategyOverrides?: StrategyOverrides;
}

/** Result of {@link getConnectionProfiles}. */
export interface GetConnectionProfilesResult {
  /** The profiles, sorted by id. */
  connectionProfiles: ConnectionProfileValues[];
}

/** @internal */
export const getConnectionProfilesSource: DataSource<GetConnectionProfilesArgs, GetConnectionProfilesResult> =
  {
    name: "getConnectionProfiles",
    schema: z.strictObject({ name: PROFILE_FIELDS.name.schema().optional() }),

    async read(client, { name }, ask) {
      const records = await ask(["connection profiles"], () => connectionProfiles(client).list());
      const wanted = name === undefined ? records : records.filter((record) => record.name === name);
      const values = wanted.map((record) => ({
        ...settingsFromWire(record),
        id: record.id,
        name: record.name,
      }));
      return { connectionProfiles: sortedById(values) };
    },
  };

/**
 * Lists all connection profiles of the tenant, in previews too, in one request for each page of 10.
 *
 * Scope: `read:connection_profiles`.
 *
 * @remarks
 * All calls in one program share their requests.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example Ids of all profiles
 * ```ts
 * import { getConnectionProfiles } from "pulumi-identity";
 *
 * export const ids = getConnectionProfiles().then(({ connectionProfiles }) =>
 *   connectionProfiles.map(({ id }) => id),
 * );
 * ```
 */
export function getConnectionProfiles(
  args: GetConnectionProfilesArgs = {},
  options?: DataSourceOptions,
): Promise<GetConnectionProfilesResult> {
  return invoke(getConnectionProfilesSource, args, options);
}

/**
 * {@link getConnectionProfiles} for Outputs as arguments. An error fails the Output, and so the program.
 *
 * @example Profiles with the same name as a resource
 * ```ts
 * import { ConnectionProfile, getConnectionProfilesOutput } from "pulumi-identity";
 *
 * const enterprise = new ConnectionProfile("enterprise", { name: "enterprise" });
 *
 * export const namesakes = getConnectionProfilesOutput({ name: enterprise.name }).connectionProfiles;
 * ```
 */
export function getConnectionProfilesOutput(
  args: GetConnectionProfilesOutputArgs = {},
  options?: DataSourceOutputOptions,
): pulumi.Output<GetConnectionProfilesResult> {
  return invokeOutput(getConnectionProfilesSource, args, options);
}
