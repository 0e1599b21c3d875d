import * as pulumi from "@pulumi/pulumi";
import { registration, type ResourceType } from "../../pulumi/program/registration";

/** Inputs of a {@link UserSignOut}. */
export interface UserSignOutArgs {
  /**
   * Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. Changing it signs the other user out, too.
   *
   * A change replaces the sign-out, and the first user stays signed out. State holds it in clear text even if
   * you give it as a secret, because it is in the resource's id.
   */
  userId: pulumi.Input<string>;
  /**
   * Id of a client (application), e.g. `mobileApp`: only refresh tokens and device credentials of this client
   * end, and no session.
   *
   * Changing it replaces the sign-out.
   *
   * @default `undefined`: everything ends.
   */
  clientId?: pulumi.Input<string | undefined>;
}

/**
 * Signs a user out for good: ends all sessions and refresh tokens, and deletes all device credentials. That
 * happens when the resource is created, and can't be undone. A user who may still sign in can do so again,
 * which is no drift: revoke access first, and sign out after that (`dependsOn`). Destroying the resource, or
 * removing it from the program, changes nothing on the tenant. To sign the same user out again, replace the
 * resource: `pulumi up --replace URN`.
 *
 * Access tokens that were issued before stay valid until they expire. A tenant may have no calls for sessions
 * and refresh tokens, or no plan with them: then the device credentials are deleted, and the output says what
 * was not done. If a part fails, state records which, and the next `pulumi up` does it.
 *
 * Scopes: `delete:sessions`, `delete:refresh_tokens`, `read:device_credentials`, `delete:device_credentials`.
 *
 * @throws an {@link InvalidInputError} when the arguments are missing or have a key `__proto__`, when
 * `options` has `import`, or when this package isn't installed in the program's folder.
 *
 * @example Somebody leaves
 * ```ts
 * import { RoleGroupAssignment, UserSignOut } from "pulumi-identity";
 *
 * const support = new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_3KzLp8fGt6NvXeJw4uQhCy"],
 * });
 *
 * export const leaver = new UserSignOut(
 *   "leaver",
 *   { userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" },
 *   { dependsOn: support },
 * );
 * ```
 *
 * @example A lost phone
 * ```ts
 * import { UserSignOut } from "pulumi-identity";
 *
 * export const lostPhone = new UserSignOut("lost-phone", {
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   clientId: "mobileApp",
 * });
 * ```
 */
export class UserSignOut extends pulumi.CustomResource {
  /** Id of the user. */
  declare readonly userId: pulumi.Output<string>;
  /** Id of the only client concerned. */
  declare readonly clientId: pulumi.Output<string | undefined>;
  /** `sessions`, `refreshTokens` or `deviceCredentials` that failed and that the next `pulumi up` ends. */
  declare readonly unfinished: pulumi.Output<string[] | undefined>;
  /** Host name of the tenant. */
  declare readonly tenant: pulumi.Output<string>;

  constructor(name: string, args: UserSignOutArgs, options?: pulumi.CustomResourceOptions) {
    super(...registration(USER_SIGN_OUT, { name, args, options }));
  }
}

/** @internal */
export const USER_SIGN_OUT: Readonly<ResourceType<UserSignOut>> = {
  name: "UserSignOut",
  properties: { userId: undefined, clientId: undefined, unfinished: undefined, tenant: undefined },
  importAdvice: "Remove the import option: a sign-out is done when it's created, so there is none to import.",
};
