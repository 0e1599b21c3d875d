import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { NotFoundError } from "../http/errors";
import { idOrAdvice, ROLE_ID } from "../service/ids";
import { readRoleGroups } from "../service/roles";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { sortedById } from "./records";

/** Argument of {@link getRoleGroups}. */
export interface GetRoleGroupsArgs {
  /** Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`. */
  roleId: string;
}

/** Argument of {@link getRoleGroupsOutput}. */
export type GetRoleGroupsOutputArgs = {
  [Name in keyof GetRoleGroupsArgs]: pulumi.Input<GetRoleGroupsArgs[Name]>;
};

/** A group that has the role. */
export interface RoleGroup {
  /** Id of the group, e.g. `grp_7TqWc2nYx5RkHbVd9sPmZa`. */
  id: string;
  /** Name of the group. Missing if the tenant doesn't send it. */
  name?: string;
}

/** Result of {@link getRoleGroups}. */
export interface GetRoleGroupsResult {
  /** The groups, sorted by id. */
  groups: RoleGroup[];
}

const ADVICE = "Check roleId: getRole finds the id of a role by its name.";

/** @internal */
export const getRoleGroupsSource: DataSource<GetRoleGroupsArgs, GetRoleGroupsResult> = {
  name: "getRoleGroups",
  schema: z.strictObject({ roleId: idOrAdvice(ROLE_ID, "getRole") }),

  async read(client, { roleId }, ask) {
    const records = await ask(["role groups", roleId], () => readRoleGroups(client, roleId));
    const groups = records.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
    return { groups: sortedById(groups) };
  },

  advice: (error) => (error instanceof NotFoundError ? ADVICE : undefined),
};

/**
 * Lists all groups that have a role, in previews too, in one request for each page of 100.
 *
 * Scope: `read:group_roles`.
 *
 * @remarks
 * Calls for the same role in one program share their requests.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws a {@link NotFoundError} when the role doesn't exist.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example Who has a role
 * ```ts
 * import { getRoleGroups } from "pulumi-identity";
 *
 * export const names = getRoleGroups({ roleId: "rol_4hNkVx8QmTz2bRcW" }).then(({ groups }) =>
 *   groups.map(({ name }) => name),
 * );
 * ```
 */
export function getRoleGroups(
  args: GetRoleGroupsArgs,
  options?: DataSourceOptions,
): Promise<GetRoleGroupsResult> {
  return invoke(getRoleGroupsSource, args, options);
}

/**
 * {@link getRoleGroups} for Outputs as arguments. An error fails the Output, and so the program.
 *
 * @example Once an assignment is made
 * ```ts
 * import { getRoleGroupsOutput, RoleGroupAssignment } from "pulumi-identity";
 *
 * const support = new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"],
 * });
 *
 * export const groups = getRoleGroupsOutput({ roleId: support.roleId }).groups;
 * ```
 */
export function getRoleGroupsOutput(
  args: GetRoleGroupsOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetRoleGroupsResult> {
  return invokeOutput(getRoleGroupsSource, args, options);
}
