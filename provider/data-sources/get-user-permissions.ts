import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { NotFoundError } from "../http/errors";
import { USER_ID } from "../service/ids";
import {
  listUserPermissions,
  permissionKey,
  permissionRecord,
  type PermissionRecord,
  readUserPermissions,
  sourcesOf,
} from "../service/users";
import { type DataSource } from "../pulumi/data-source-kind";
import { invoke, invokeOutput } from "../pulumi/program/data-source";
import { type DataSourceOptions, type DataSourceOutputOptions } from "../pulumi/program/data-source-options";
import { fromWire } from "./records";

/** Arguments of {@link getUserPermissions}. */
export interface GetUserPermissionsArgs {
  /** Id of the user, e.g. `auth0|64c1f0a2b7d83e5f9a1b2c3d`. */
  userId: string;
  /**
   * Returns only permissions of this resource server, e.g. `https://api.example.com/orders`.
   *
   * @default `undefined`: all resource servers.
   */
  resourceServerIdentifier?: string;
  /**
   * Returns at most this many permissions, 1 or more, and stops reading there.
   *
   * @default `undefined`: all of them.
   */
  maxItems?: number;
}

/** Arguments of {@link getUserPermissionsOutput}. */
export type GetUserPermissionsOutputArgs = {
  [Name in keyof GetUserPermissionsArgs]: pulumi.Input<GetUserPermissionsArgs[Name]>;
};

/** A permission of a user on a resource server. Fields that the tenant leaves out are missing. */
export interface UserPermission {
  /** The permission's `resource_server_identifier`, e.g. `https://api.example.com/orders`. */
  resourceServerIdentifier?: string;
  /** The permission's `permission_name`, e.g. `read:orders`. */
  permissionName?: string;
  /** The permission's `resource_server_name`. */
  resourceServerName?: string;
  /** The permission's `description`. */
  description?: string;
  /** Direct grants and roles that give the permission. Missing if the tenant doesn't say. */
  sources?: UserPermissionSource[];
}

/** The source of a permission of a user. */
export interface UserPermissionSource {
  /** Id of the role, e.g. `rol_4hNkVx8QmTz2bRcW`; empty for a direct grant. */
  sourceId: string;
  /** Name of the role; empty for a direct grant. */
  sourceName: string;
  /** `ROLE`, `DIRECT` or another word of the tenant's; empty if it doesn't say. */
  sourceType: string;
}

/** Result of {@link getUserPermissions}. */
export interface GetUserPermissionsResult {
  /** Id of the user. */
  userId: string;
  /** Sorted by resource server and name. */
  permissions: UserPermission[];
  /** True if `maxItems` left some out. */
  truncated: boolean;
  /** Number of all permissions of the user, on all resource servers. Missing if not all were read. */
  total?: number;
}

const MAX_ITEMS_RULE = "must be a whole number from 1";

const schema = z.strictObject({
  userId: USER_ID,
  resourceServerIdentifier: z.string("must be a text").min(1, "must not be empty").optional(),
  maxItems: z.int(MAX_ITEMS_RULE).min(1, MAX_ITEMS_RULE).optional(),
});

const READS_ALL = "leave it out: all pages are read, or as many as maxItems takes";

/** @internal */
export const getUserPermissionsSource: DataSource<GetUserPermissionsArgs, GetUserPermissionsResult> = {
  name: "getUserPermissions",
  schema,
  ended: {
    page: READS_ALL,
    perPage: READS_ALL,
    includeTotals: "leave it out: total is there whenever all pages were read",
  },

  async read(client, { userId, resourceServerIdentifier, maxItems }, ask) {
    // The tenant has no filter, so the first pages may have nothing of one resource server.
    const isPart = maxItems !== undefined && resourceServerIdentifier === undefined;
    const { items, isMore } = isPart
      ? await ask(["permissions", userId, maxItems], () => readUserPermissions(client, userId, maxItems))
      : {
          items: await ask(["permissions", userId], () => listUserPermissions(client, userId)),
          isMore: false,
        };
    const matching = items.filter(
      (item) =>
        resourceServerIdentifier === undefined ||
        item.resource_server_identifier === resourceServerIdentifier,
    );
    const sorted = sortedByKey(matching);
    return {
      userId,
      permissions: sorted.slice(0, maxItems).map(toPermission),
      truncated: isMore || sorted.length > (maxItems ?? Infinity),
      ...(!isMore && { total: items.length }),
    };
  },

  advice: (error) => (error instanceof NotFoundError ? "Check userId." : undefined),
};

function toPermission(record: PermissionRecord): UserPermission {
  const { sources: _, ...known } = fromWire(permissionRecord.shape, record).known;
  const sources = sourcesOf(record)?.map(({ id, name, type }) => ({
    sourceId: id,
    sourceName: name,
    sourceType: type,
  }));
  return { ...known, ...(sources !== undefined && { sources }) };
}

function sortedByKey(records: readonly PermissionRecord[]): PermissionRecord[] {
  return records
    .map((record) => ({ record, key: permissionKey(record) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ record }) => record);
}

/**
 * Lists all permissions of a user, in previews too, in as few requests as possible.
 *
 * Scope: `read:users`.
 *
 * @remarks
 * Calls for the same user in one program share one request.
 *
 * @throws an {@link InvalidInputError} when an argument breaks a rule. It sends nothing.
 * @throws a {@link NotFoundError} when the user doesn't exist.
 * @throws another {@link IdentityError} when the tenant can't be reached, or refuses.
 *
 * @example All permissions on one resource server
 * ```ts
 * import { getUserPermissions } from "pulumi-identity";
 *
 * export const names = getUserPermissions({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   resourceServerIdentifier: "https://api.example.com/orders",
 * }).then(({ permissions }) => permissions.map(({ permissionName }) => permissionName));
 * ```
 */
export function getUserPermissions(
  args: GetUserPermissionsArgs,
  options?: DataSourceOptions,
): Promise<GetUserPermissionsResult> {
  return invoke(getUserPermissionsSource, args, options);
}

/**
 * {@link getUserPermissions} for Outputs as arguments. An error fails the Output, and so the program.
 *
 * @example Once an assignment is made
 * ```ts
 * import { getUserPermissionsOutput, RoleGroupAssignment } from "pulumi-identity";
 *
 * const support = new RoleGroupAssignment("support", {
 *   roleId: "rol_4hNkVx8QmTz2bRcW",
 *   groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"],
 * });
 *
 * export const access = getUserPermissionsOutput(
 *   { userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d" },
 *   { dependsOn: support },
 * ).permissions;
 * ```
 */
export function getUserPermissionsOutput(
  args: GetUserPermissionsOutputArgs,
  options?: DataSourceOutputOptions,
): pulumi.Output<GetUserPermissionsResult> {
  return invokeOutput(getUserPermissionsSource, args, options);
}
