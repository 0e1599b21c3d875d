import * as pulumi from "@pulumi/pulumi";
import { getExisting, registration, type ResourceType } from "../../pulumi/program/registration";
import { ASSIGNMENT_TYPE } from "./program";

/** Inputs of a {@link RoleGroupAssignment}. Only a change of `roleId` replaces the resource. */
export interface RoleGroupAssignmentArgs {
  /**
   * Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`.
   *
   * Changing it replaces the assignment. It is the resource's id, so state holds it in clear text even if you
   * give it as a secret.
   */
  roleId: pulumi.Input<string>;
  /**
   * Ids of the groups that get the role, one or more, in any order, e.g. `grp_7TqWc2nYx5RkHbVd9sPmZa`.
   *
   * Each matches `^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$`. State encrypts secret ids.
   */
  groupIds: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * If true, the assignment takes the role from all other groups. If false, it leaves them alone.
   *
   * @default false
   */
  exclusive?: pulumi.Input<boolean>;
  /**
   * If true, destroying the assignment takes the role from its groups. If false, they keep it, unmanaged.
   *
   * A change of `roleId` does the same with the old role. The value from the last `pulumi up` decides.
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
 * Assigns a role of the tenant to groups. Groups assigned elsewhere keep the role and aren't reported as
 * drift, unless `exclusive` is true. Destroying the assignment takes the role from its own groups only, or
 * from none if `deleteOnDestroy` is false.
 *
 * The preview fails if two assignments of a program list the same group of a role, or if a role has an
 * exclusive assignment and another one.
 *
 * Scopes: `create:group_roles`, `delete:group_roles`, and `read:group_roles` for refresh, and if `exclusive`
 * is true.
 *
 * @remarks
 * A group that moves from one assignment of a role to another keeps the role throughout.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or have a key `__proto__`, when
 * `options` has `import`, or when this package isn't installed in the program's folder.
 *
 * @example Give a role to groups
 * ```ts
 * import { RoleGroupAssignment } from "pulumi-identity";
 *
 * export const support = new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa", "grp_5BmRd9aSj2WqTgFx7cUkEn"],
 * });
 * ```
 *
 * @example Take it from all other groups
 * ```ts
 * import { RoleGroupAssignment } from "pulumi-identity";
 *
 * export const admins = new RoleGroupAssignment("admins", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"],
 *   exclusive: true,
 * });
 * ```
 *
 * @example Secret groups, encrypted in state
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { RoleGroupAssignment } from "pulumi-identity";
 *
 * export const support = new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: new pulumi.Config().requireSecretObject<string[]>("supportGroups"),
 * });
 * ```
 *
 * @example Several tenants
 * ```ts
 * import * as pulumi from "@pulumi/pulumi";
 * import { Provider, RoleGroupAssignment } from "pulumi-identity";
 *
 * const config = new pulumi.Config();
 * const eu = new Provider("eu", {
 *   domain: "eu.example.com",
 *   clientId: config.require("euClientId"),
 *   clientSecret: config.requireSecret("euClientSecret"),
 * });
 *
 * export const support = new RoleGroupAssignment(
 *   "support",
 *   { roleId: "rol_4hNkVx8QmTz2bRcW", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] },
 *   { provider: eu },
 * );
 * ```
 */
export class RoleGroupAssignment extends pulumi.CustomResource {
  /** Id of the role. */
  declare readonly roleId: pulumi.Output<string>;
  /** Sorted, without repetition. Empty after the end. */
  declare readonly groupIds: pulumi.Output<string[]>;
  /** True if the assignment manages all groups of the role. False after the end. */
  declare readonly exclusive: pulumi.Output<boolean>;
  /** End of the grant. */
  declare readonly until: pulumi.Output<string | undefined>;
  /** Host name of the tenant. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: RoleGroupAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(ROLE_GROUP_ASSIGNMENT, { name, args, options }));
  }

  /**
   * Reads an existing role with all its groups by the role's id, and never changes it.
   *
   * @throws an {@link InvalidInputError} when the id is empty.
   *
   * @example All groups of a role
   * ```ts
   * import { RoleGroupAssignment } from "pulumi-identity";
   *
   * export const existing = RoleGroupAssignment.get("existing", "rol_4hNkVx8QmTz2bRcW");
   * ```
   */
  static readonly get = getExisting;
}

/** @internal */
export const ROLE_GROUP_ASSIGNMENT: Readonly<ResourceType<RoleGroupAssignment>> = {
  ...ASSIGNMENT_TYPE,
  name: "RoleGroupAssignment",
  properties: {
    roleId: undefined,
    groupIds: undefined,
    exclusive: undefined,
    until: undefined,
    tenant: undefined,
  },
};
