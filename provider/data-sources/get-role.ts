import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { IncompleteListError } from "../http/errors";
import { isOfOrganization, listRoles, roleRecord } from "../service/roles";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { fromWire, noneOfName, ofName, onlyOrganizations, severalOfName } from "./records";

/** Argument of {@link getRole}. */
export interface GetRoleArgs {
  /** Name of the role, e.g. `support-agent`: all of it, in the same case. */
  name: string;
}

/** Argument of {@link getRoleOutput}. */
export type GetRoleOutputArgs = {
  [Name in keyof GetRoleArgs]: pulumi.Input<GetRoleArgs[Name]>;
};

/** A role of the tenant. */
export interface Role {
  /** E.g. `rol_4hNkVx8QmTz2bRcW`: the `roleId` of a `RoleGroupAssignment`. */
  id: string;
  /** As it was given. */
  name: string;
  /** What the tenant says about it. */
  description?: string;
}

/** @internal */
export const getRoleSource: DataSource<GetRoleArgs, Role> = {
  name: "getRole",
  schema: z.strictObject({ name: z.string().min(1, "must be the name of a role; it is empty") }),

  async read(client, { name }, ask) {
    const roles = await ask(["roles"], () => listRoles(client));
    const tenants = roles.filter((one) => !isOfOrganization(one));
    const [role, ...others] = ofName(tenants, name);
    if (role === undefined) {
      // Whoever administers an organization names its roles: such a name must not give away access.
      const ids = ofName(roles, name).map(({ id }) => id);
      throw ids.length > 0 ? onlyOrganizations(ids) : noneOfName("role", name, tenants, "names");
    }
    if (others.length > 0) {
      const ids = [role, ...others].map(({ id }) => id);
      throw severalOfName("roles", ids, "Write the id of the one that you mean in place of this call.");
    }
    return { ...fromWire(roleRecord.shape, role).known, id: role.id, name };
  },

  // The rest may have the name, too.
  advice: (error) =>
    error instanceof IncompleteListError ? "Write the id of the role in place of this call." : undefined,
};

/**
 * Finds a role by its name, in previews too; exactly one role of the tenant must have it. Roles of
 * organizations don't count. All calls in one program share their requests, one for each page of 100 roles.
 *
 * Scope: `read:roles`.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. Nothing is sent.
 * @throws an {@link IdentityError} when no role of the tenant has the name, or several do: it names the
 * nearest, or their ids.
 * @throws another {@link IdentityError} when the tenant can't be asked, or refuses.
 *
 * @example A role for a group, both by name
 * ```ts
 * import { getGroupOutput, getRoleOutput, RoleGroupAssignment } from "pulumi-identity";
 *
 * export const support = new RoleGroupAssignment("support", {
 *   roleId: getRoleOutput({ name: "support-agent" }).id,
 *   groupIds: [getGroupOutput({ name: "support-desk" }).id],
 * });
 * ```
 */
export function getRole(args: GetRoleArgs, options?: DataSourceOptions): Promise<Role> {
  return invoke(getRoleSource, args, options);
}

/**
 * {@link getRole} for arguments that are Outputs, and for inputs of resources. An error fails the Output, and
 * with it the program.
 *
 * @example The id of a role
 * ```ts
 * import { getRoleOutput } from "pulumi-identity";
 *
 * export const roleId = getRoleOutput({ name: "support-agent" }).id;
 * ```
 */
export function getRoleOutput(
  args: GetRoleOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<Role> {
  return invokeOutput(getRoleSource, args, options);
}
