import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";
import { ASSIGNMENT_TYPE } from "../role-group-assignment/program";

/**
 * Inputs of an {@link OrganizationRoleGroupAssignment}. Only a change of `organizationId` or `roleId`
 * replaces the resource.
 */
export interface OrganizationRoleGroupAssignmentArgs {
  /**
   * Id of the organization, e.g. `org_5vJmTq8XbRz3kWcY`.
   *
   * Changing it replaces the assignment. It is a part of the resource's id, so state holds it in clear text
   * even if you give it as a secret.
   */
  organizationId: pulumi.Input<string>;
  /**
   * Id of a role of the tenant or of the organization, e.g. `rol_4hNkVx8QmTz2bRcW`.
   *
   * Changing it replaces the assignment. It is a part of the resource's id, so state holds it in clear text
   * even if you give it as a secret.
   */
  roleId: pulumi.Input<string>;
  /**
   * Ids of groups in the organization that get the role there, one or more, in any order, e.g.
   * `grp_7TqWc2nYx5RkHbVd9sPmZa`.
   *
   * Each matches `^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$`. State encrypts secret ids.
   */
  groupIds: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * If true, the assignment takes the role in the organization from all other groups. If false, it leaves
   * them alone.
   *
   * @default false
   */
  exclusive?: pulumi.Input<boolean>;
  /**
   * If true, destroying the assignment takes the role from its groups. If false, they keep it, unmanaged.
   *
   * A change of `organizationId` or `roleId` does the same with the old role. The value from the last
   * `pulumi up` decides.
   *
   * @default true
   */
  deleteOnDestroy?: pulumi.Input<boolean>;
  /**
   * End of the grant: a day in UTC, e.g. `2026-12-31`, or a time with its zone, e.g.
   * `2026-12-31T18:00:00+01:00`. Plain text, no Output.
   *
   * The first `pulumi up` after it takes the role from all groups of the assignment, which stays in state
   * without groups until you remove or prolong it. Previews need it before other resources resolve.
   *
   * @default `undefined`: no end.
   */
  until?: string;
}

/**
 * Assigns a role to groups within an organization: their members have it when they sign in through the
 * organization, and only then. Everything else is as with a `RoleGroupAssignment`: groups assigned elsewhere
 * keep the role and aren't reported as drift, unless `exclusive` is true, and destroying the assignment takes
 * the role from its own groups only.
 *
 * The service takes one group at a time, so each group costs a request.
 *
 * Scopes: `create:organization_group_roles`, `delete:organization_group_roles`, and
 * `read:organization_group_roles` for refresh, and if `exclusive` is true.
 *
 * @remarks
 * A group that moves from one assignment of a role in an organization to another keeps the role throughout.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or have a key `__proto__`, when
 * `options` has `import`, or when this package isn't installed in the program's folder.
 *
 * @example A role in an organization, all by name
 * ```ts
 * import {
 *   getGroupOutput,
 *   getOrganizationOutput,
 *   getRoleOutput,
 *   OrganizationRoleGroupAssignment,
 * } from "pulumi-identity";
 *
 * const acme = getOrganizationOutput({ name: "acme" });
 *
 * export const orders = new OrganizationRoleGroupAssignment("acme-orders", {
 *   organizationId: acme.id,
 *   roleId: getRoleOutput({ name: "order-manager", organization: acme.id }).id,
 *   groupIds: [getGroupOutput({ name: "acme-staff" }).id],
 * });
 * ```
 */
export class OrganizationRoleGroupAssignment extends pulumi.CustomResource {
  /** Id of the organization. */
  declare readonly organizationId: pulumi.Output<string>;
  /** Id of the role. */
  declare readonly roleId: pulumi.Output<string>;
  /** Sorted, without repetition. Empty after the end. */
  declare readonly groupIds: pulumi.Output<string[]>;
  /** True if the assignment manages all groups of the role in the organization. False after the end. */
  declare readonly exclusive: pulumi.Output<boolean>;
  /** End of the grant. */
  declare readonly until: pulumi.Output<string | undefined>;
  /** Host name of the tenant. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(
    name: string,
    args: OrganizationRoleGroupAssignmentArgs,
    options?: pulumi.CustomResourceOptions,
  ) {
    super(...registration(ORGANIZATION_ROLE_GROUP_ASSIGNMENT, { name, args, options }));
  }

  /**
   * Reads all groups that have a role in an organization, by the ids of both, `org_…/rol_…`, and never
   * changes it.
   *
   * @throws an {@link InvalidInputError} when the id is empty.
   *
   * @example All groups of a role in an organization
   * ```ts
   * import { OrganizationRoleGroupAssignment } from "pulumi-identity";
   *
   * export const existing = OrganizationRoleGroupAssignment.get(
   *   "existing",
   *   "org_5vJmTq8XbRz3kWcY/rol_4hNkVx8QmTz2bRcW",
   * );
   * ```
   */
  static readonly get = getExisting;
}

/** @internal */
export const ORGANIZATION_ROLE_GROUP_ASSIGNMENT: Readonly<ResourceType<OrganizationRoleGroupAssignment>> = {
  ...ASSIGNMENT_TYPE,
  name: "OrganizationRoleGroupAssignment",
  properties: {
    organizationId: undefined,
    roleId: undefined,
    groupIds: undefined,
    exclusive: undefined,
    until: undefined,
    tenant: undefined,
  },
};
