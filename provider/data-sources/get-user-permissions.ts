import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { NotFoundError } from "../http/errors";
import { USER_ID } from "../service/ids";
import { type Page } from "../http/page";
import {
  listUserPermissions,
  permissionKey,
  permissionRecord,
  type PermissionRecord,
  readUserPermissionPage,
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
   * Reads one page of this size, 1 to 100, instead of all pages. Sent as `per_page`.
   *
   * @default `undefined`: all pages or, with `page`, the service's page size.
   */
  perPage?: number;
  /**
   * Reads this page, counted from 0, instead of all pages. Sent as `page`.
   *
   * @default `undefined`: all pages or, with `perPage`, the first.
   */
  page?: number;
  /**
   * With `page` or `perPage`, returns the number of all permissions too. Sent as `include_totals`.
   *
   * @default false
   */
  includeTotals?: boolean;
}

/** Arguments of {@link getUserPermissionsOutput}. */
export type GetUserPermissionsOutputArgs = {
  [Name in keyof GetUserPermissionsArgs]: pulumi.Input<GetUserPermissionsArgs[Name]>;
};

/** A permission of a user on a resource server. Fields that the tenant leaves out are missing. */
export interface Permission {
  /** The permission's `resource_server_identifier`, e.g. `https://api.example.com/orders`. */
  resourceServerIdentifier?: string;
  /** The permission's `permission_name`, e.g. `read:orders`. */
  permissionName?: string;
  /** The permission's `resource_server_name`. */
  resourceServerName?: string;
  /** The permission's `description`. */
  description?: string;
  /**
   * Direct grants and roles that give the permission, as the tenant sends them, e.g.
   * `[{ source_id: "", source_name: "", source_type: "DIRECT" }]`.
   */
  sources?: unknown;
}

/** Result of {@link getUserPermissions}. */
export interface GetUserPermissionsResult {
  /** Id of the user. */
  userId: string;
  /** All pages are sorted by resource server and name, one page keeps the tenant's order. */
  permissions: Permission[];
  /** Number of all permissions of the user, before any filter; a page may lack it. */
  total?: number;
}

const PER_PAGE_RULE = "must be a whole number from 1 to 100";
const PAGE_RULE = "must be a whole number from 0";

const schema = z.strictObject({
  userId: USER_ID,
  resourceServerIdentifier: z.string("must be a text").min(1, "must not be empty").optional(),
  perPage: z.int(PER_PAGE_RULE).min(1, PER_PAGE_RULE).max(100, PER_PAGE_RULE).optional(),
  page: z.int(PAGE_RULE).min(0, PAGE_RULE).optional(),
  includeTotals: z.boolean("must be true or false").optional(),
});

/** @internal */
export const getUserPermissionsSource: DataSource<GetUserPermissionsArgs, GetUserPermissionsResult> = {
  name: "getUserPermissions",
  schema,

  async read(client, { userId, resourceServerIdentifier, ...request }, ask) {
    const { perPage, page, includeTotals } = request;
    const onePage = perPage !== undefined || page !== undefined;
    const { items, total } = onePage
      ? await ask(["permissions", userId, perPage, page, includeTotals], () =>
          readUserPermissionPage(client, userId, request),
        )
      : await ask(["permissions", userId], () => readAll(client, userId));
    const wanted = items.filter(
      (item) =>
        resourceServerIdentifier === undefined ||
        item.resource_server_identifier === resourceServerIdentifier,
    );
    return {
      userId,
      permissions: wanted.map((item) => fromWire(permissionRecord.shape, item).known),
      ...(total !== undefined && { total }),
    };
  },

  advice: (error) => (error instanceof NotFoundError ? "Check userId." : undefined),
};

async function readAll(client: IdentityClient, userId: string): Promise<Page<PermissionRecord>> {
  const records = await listUserPermissions(client, userId);
  const sorted = records
    .map((record) => ({ record, key: permissionKey(record) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ record }) => record);
  return { items: sorted, total: sorted.length };
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
