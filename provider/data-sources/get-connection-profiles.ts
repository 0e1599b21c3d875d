import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { connectionProfiles } from "../service/connection-profiles";
import { fromWire, PROFILE_FIELDS, profileRecord } from "../service/profile-fields";
import { type DataSource, invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { sortedById } from "./sorted";

export interface GetConnectionProfilesArgs {
  /** Keeps the profiles of exactly this name; several may have it. Default: all profiles. */
  name?: string;
}

/** Arguments of the Output form. */
export type GetConnectionProfilesOutputArgs = {
  [Name in keyof GetConnectionProfilesArgs]: pulumi.Input<GetConnectionProfilesArgs[Name]>;
};

/** A profile as the tenant holds it, with the names of the outputs of `ConnectionProfile`. What is not set is undefined. */
export interface ConnectionProfileValues {
  /** E.g. `cop_2GjRf8mYd5LcVt7K9sPmZa`, as `adopt` of a `ConnectionProfile` takes it. */
  id: string;
  name: string;
  /** With the API's own keys, e.g. `{ show_as_button: "optional" }`. */
  organization?: Record<string, unknown>;
  connectionNamePrefixTemplate?: string;
  /** E.g. `["scim", "universal_logout"]`. */
  enabledFeatures?: string[];
  /** Free-form. */
  connectionConfig?: Record<string, unknown>;
  /** By strategy, e.g. `{ okta: { enabledFeatures: ["scim"] } }`. */
  strategyOverrides?: Record<string, Record<string, unknown>>;
}

export interface GetConnectionProfilesResult {
  /** Sorted by id. */
  connectionProfiles: ConnectionProfileValues[];
}

const schema = z.strictObject({ name: PROFILE_FIELDS.name.schema.optional() });

const source: DataSource<
  GetConnectionProfilesArgs,
  GetConnectionProfilesResult,
  GetConnectionProfilesResult
> = {
  name: "getConnectionProfiles",
  schema,

  async read(client, { name }, ask) {
    const records = await ask(["connection profiles"], () =>
      connectionProfiles(client, profileRecord).list(),
    );
    const wanted = name === undefined ? records : records.filter((record) => record.name === name);
    const values = wanted.map((record) => ({ ...fromWire(record), id: record.id, name: record.name }));
    return { connectionProfiles: sortedById(values) };
  },

  result: (answer) => answer,
};

/**
 * Lists the tenant's connection profiles, in previews too: every page. All calls in one program share their requests, one
 * for each page of 10.
 *
 * Scope: `read:connection_profiles`.
 *
 * @throws InvalidInputError before any call when an argument breaks a rule.
 * @throws InsufficientScopeError, AuthenticationError, RateLimitedError, NetworkError as their names say.
 *
 * @example
 * const { connectionProfiles } = await getConnectionProfiles({ name: "enterprise" });
 */
export function getConnectionProfiles(
  args: GetConnectionProfilesArgs = {},
  options?: DataSourceOptions,
): Promise<GetConnectionProfilesResult> {
  return invoke(source, args, options);
}

/** `getConnectionProfiles` for arguments that are Outputs. */
export function getConnectionProfilesOutput(
  args: GetConnectionProfilesOutputArgs = {},
  options?: DataSourceOutputOptions,
): pulumi.Output<GetConnectionProfilesResult> {
  return invokeOutput(source, args, options);
}
