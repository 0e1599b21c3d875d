import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { IncompleteListError } from "../http/errors";
import { idOrAdvice, ORGANIZATION_ID } from "../service/ids";
import { listOrganizationRoles, listSystemRoles } from "../service/organizations";
import { isOfOrganization, listRoles, roleRecord, type RoleRecord, SYSTEM_OWNER } from "../service/roles";
import { type Ask, type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { fromWire, noneOfName, ofName, onlyOrganizations, severalOfName } from "./records";

/** Arguments of {@link getRole}. */
export interface GetRoleArgs {
  /** Exact name of the role, e.g. `support-agent`. */
  name: string;
  /**
   * Id of an organization, e.g. `org_5vJmTq8XbRz3kWcY`, to find its own roles, too.
   *
   * If neither it nor the tenant has a role of the name, the function looks at the service's own (System
   * Roles). All of them can be assigned in the organization.
   *
   * @default `undefined`: only roles of the tenant.
   */
  organization?: string;
}

/** Arguments of {@link getRoleOutput}. */
export type GetRoleOutputArgs = {
  [Name in keyof GetRoleArgs]: pulumi.Input<GetRoleArgs[Name]>;
};

/** Result of {@link getRole}: a role of the tenant, or of an organization. */
export interface GetRoleResult {
  /** Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`: the `roleId` of a `RoleGroupAssignment`. */
  id: string;
  /** The name from the arguments. */
  name: string;
  /** Description of the role on the tenant. */
  description?: string;
}

/** @internal */
export const getRoleSource: DataSource<GetRoleArgs, GetRoleResult> = {
  name: "getRole",
  findsByName: true,
  schema: z.strictObject({
    name: z.string().min(1, "must be the name of a role; it is empty"),
    organization: idOrAdvice(ORGANIZATION_ID, "getOrganization").optional(),
  }),

  async read(client, { name, organization }, ask) {
    const roles = await ask(["roles"], () => listRoles(client));
    const tenants = roles.filter((one) => !isOfOrganization(one));
    const candidates = [...tenants, ...(await rolesOf(organization, client, ask))];
    if (organization !== undefined && ofName(candidates, name).length === 0)
      candidates.push(...(await ask(["roles", SYSTEM_OWNER], () => listSystemRoles(client))));
    const [role, ...others] = ofName(candidates, name);
    if (role === undefined) {
      // An organization's administrators name its roles, so such a name must not grant access elsewhere.
      const ids = ofName(roles, name).map(({ id }) => id);
      throw ids.length > 0
        ? onlyOrganizations(ids, organization)
        : noneOfName("role", name, candidates, "names");
    }
    if (others.length > 0) {
      const ids = [role, ...others].map((one) => one.id + (isOfOrganization(one) ? " (organization)" : ""));
      throw severalOfName("roles", ids, "Write the id of the one that you mean in place of this call.");
    }
    return { ...fromWire(roleRecord.shape, role).known, id: role.id, name };
  },

  // Roles beyond this page may have the name too.
  advice: (error) =>
    error instanceof IncompleteListError ? "Write the id of the role in place of this call." : undefined,
};

async function rolesOf(
  organization: string | undefined,
  client: IdentityClient,
  ask: Ask,
): Promise<RoleRecord[]> {
  if (organization === undefined) return [];
  return ask(["roles", organization], () => listOrganizationRoles(client, organization));
}

/**
 * Finds a role by its name, in previews too. Exactly one role of the tenant must have it. Roles of an
 * organization count only if `organization` is given. It takes one request for each page of 100 roles.
 *
 * Scope: `read:roles`.
 *
 * @remarks
 * All calls in one program share their requests.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws an {@link IdentityError} when no role has the name, or several do. It lists similar names, or their
 * ids.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
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
export function getRole(args: GetRoleArgs, options?: DataSourceOptions): Promise<GetRoleResult> {
  return invoke(getRoleSource, args, options);
}

/**
 * {@link getRole} for Outputs as arguments, and for inputs of resources. An error fails the Output, and so
 * the program.
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
): pulumi.Output<GetRoleResult> {
  return invokeOutput(getRoleSource, args, options);
}
