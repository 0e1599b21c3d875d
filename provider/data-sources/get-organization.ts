import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { isPathId, PATH_ID_RULE } from "../http/call";
import { findOrganizations, organizationRecord } from "../service/organizations";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { fromWire, noneOfName, ofName } from "./records";

/** Argument of {@link getOrganization}. */
export interface GetOrganizationArgs {
  /** Exact name of the organization, e.g. `acme`, and not its display name. */
  name: string;
}

/** Argument of {@link getOrganizationOutput}. */
export type GetOrganizationOutputArgs = {
  [Name in keyof GetOrganizationArgs]: pulumi.Input<GetOrganizationArgs[Name]>;
};

/** Result of {@link getOrganization}. */
export interface GetOrganizationResult {
  /**
   * Id of the organization, e.g. `org_5vJmTq8XbRz3kWcY`: the `organizationId` of an
   * `OrganizationRoleGroupAssignment`.
   */
  id: string;
  /** The name from the arguments. */
  name: string;
  /** The name that people see, if it has one. */
  displayName?: string;
}

const NAME = z
  .string()
  .min(1, "must be the name of an organization; it is empty")
  .refine((given) => given === "" || isPathId(given), PATH_ID_RULE.replace("an id", "a name"));

/** @internal */
export const getOrganizationSource: DataSource<GetOrganizationArgs, GetOrganizationResult> = {
  name: "getOrganization",
  findsByName: true,
  schema: z.strictObject({ name: NAME }),

  async read(client, { name }, ask) {
    const {
      items,
      next,
      total = items.length,
    } = await ask(["organization", name], () => findOrganizations(client, name));
    const [organization] = ofName(items, name);
    if (organization === undefined) {
      const isWhole = next === undefined && total <= items.length;
      const among = isWhole ? "names" : `names among the first ${items.length} organizations`;
      throw noneOfName("organization", name, items, among);
    }
    return { ...fromWire(organizationRecord.shape, organization).known, id: organization.id, name };
  },
};

/**
 * Finds an organization by its name, in previews too.
 *
 * Scope: `read:organizations`.
 *
 * @remarks
 * Calls for the same name in one program share their request.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws an {@link IdentityError} when no organization has the name. It lists similar names.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example The id of an organization
 * ```ts
 * import { getOrganization } from "pulumi-identity";
 *
 * export const id = getOrganization({ name: "acme" }).then((organization) => organization.id);
 * ```
 */
export function getOrganization(
  args: GetOrganizationArgs,
  options?: DataSourceOptions,
): Promise<GetOrganizationResult> {
  return invoke(getOrganizationSource, args, options);
}

/**
 * {@link getOrganization} for Outputs as arguments, and for inputs of resources. An error fails the Output,
 * and so the program.
 *
 * @example A role of an organization
 * ```ts
 * import { getOrganizationOutput, getRoleOutput } from "pulumi-identity";
 *
 * const acme = getOrganizationOutput({ name: "acme" });
 *
 * export const roleId = getRoleOutput({ name: "order-manager", organization: acme.id }).id;
 * ```
 */
export function getOrganizationOutput(
  args: GetOrganizationOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetOrganizationResult> {
  return invokeOutput(getOrganizationSource, args, options);
}
