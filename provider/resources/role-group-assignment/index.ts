import * as pulumi from "@pulumi/pulumi";
import { InvalidInputError } from "../../http/errors";
import {
  type Declaration,
  getExisting,
  registration,
  type ResourceType,
} from "../../pulumi/program/registration";
import { isMocked } from "../../pulumi/program/program-run";
import { DECLARED_ASSIGNMENTS } from "./declared";
import { LISTING } from "./listing";

/** Inputs of a {@link RoleGroupAssignment}. Changes are made in place, but for `roleId`. */
export interface RoleGroupAssignmentArgs {
  /**
   * Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`. Changing it replaces the assignment. It is the resource's
   * id, which state holds in clear, also where it is given as a secret.
   */
  roleId: pulumi.Input<string>;
  /**
   * Ids of the groups that get the role, at least one; a set: order and repetition mean nothing. Each matches
   * `^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$`, e.g. `grp_7TqWc2nYx5RkHbVd9sPmZa`. Given as secrets they are
   * encrypted in state.
   */
  groupIds: pulumi.Input<pulumi.Input<string>[]>;
  /**
   * False: the assignment owns the groups that it lists, and leaves all others of the role alone. True: the
   * role has exactly the groups listed, and others are taken away.
   *
   * @default false
   */
  exclusive?: pulumi.Input<boolean>;
  /**
   * Whether destroying the assignment takes the role from its groups. False: they keep it, and no resource
   * manages it any more. The same holds for what a new `roleId` replaces: what the last `pulumi up` has
   * recorded decides.
   *
   * @default true
   */
  deleteOnDestroy?: pulumi.Input<boolean>;
  /**
   * When the groups lose the role: a day, `2026-12-31`, which ends in UTC, or an instant with its zone,
   * `2026-12-31T18:00:00+01:00`. The first `pulumi up` after it takes the role from all groups of the
   * assignment, which stays in state as `ended` until it is removed or prolonged. Plain text, since previews
   * need it before other resources resolve.
   *
   * @default none
   */
  until?: string;
}

/**
 * Gives a role of the tenant to groups. Additive unless `exclusive`: groups that others gave the role to are
 * neither shown as drift nor taken away. Destroying it takes the role from the groups it lists, and from no
 * others; from none if `deleteOnDestroy` is false.
 *
 * A group that moves from one assignment of a role to another keeps the role throughout. Two assignments of
 * a program that list the same group of a role, or an exclusive one beside another, fail in the preview.
 *
 * Scopes: `create:group_roles`, `delete:group_roles`, and `read:group_roles` for refresh and `exclusive`.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or hold a key `__proto__`, when
 * `options` has `import`, or when the program's folder does not have this package installed.
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
 * @example Secret groups, which state holds encrypted
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
  /** Sorted, without repetition. */
  declare readonly groupIds: pulumi.Output<string[]>;
  /** Whether the assignment owns all groups of the role. */
  declare readonly exclusive: pulumi.Output<boolean>;
  /** When the groups lose the role. */
  declare readonly until: pulumi.Output<string | undefined>;
  /** True once a run has taken the role away because the assignment has ended: no group has it from here. */
  declare readonly ended: pulumi.Output<boolean | undefined>;
  /** Host name of the tenant that the resource is on. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: RoleGroupAssignmentArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(ROLE_GROUP_ASSIGNMENT, { name, args, options }));
  }

  /**
   * An existing role with all its groups, by the role's id; it is read, and never changed.
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

/** Previews need `until` before other resources resolve. */
function refuseLate({ name, props: { until } }: Declaration): void {
  if (until === undefined || until === null || typeof until === "string") return;
  throw new InvalidInputError(
    `RoleGroupAssignment "${name}": until must be plain text, not an Output or a promise: previews need it before other resources resolve.`,
  );
}

/** @internal */
export const ROLE_GROUP_ASSIGNMENT: Readonly<ResourceType<RoleGroupAssignment>> = {
  name: "RoleGroupAssignment",
  properties: {
    roleId: undefined,
    groupIds: undefined,
    exclusive: undefined,
    until: undefined,
    ended: undefined,
    tenant: undefined,
  },
  importAdvice: "Remove the import option: creating the resource takes over what is already there.",
  sends: (declaration) => {
    refuseLate(declaration);
    const declared = isMocked() ? undefined : DECLARED_ASSIGNMENTS.recall();
    // A promise, since an Output would put the dependencies of other assignments on this one.
    return declared === undefined
      ? {}
      : { [LISTING]: declared.add(declaration).then((role) => declared.listingInATurn(role)) };
  },
};
