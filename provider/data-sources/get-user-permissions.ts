import type * as pulumi from "@pulumi/pulumi";
import * as z from "../zod";
import { type IdentityClient } from "../http/client";
import { NotFoundError } from "../http/errors";
import { PER_PAGE } from "../http/page";
import { USER_ID } from "../service/ids";
import {
  listUserPermissions,
  permissionKey,
  permissionRecord,
  type PermissionRecord,
  readUserPermissions,
  readUserPermissionsPage,
  sourcesOf,
} from "../service/users";
import { type Ask, type DataSource } from "../pulumi/data-source-kind";
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
   * With `page` or `perPage`, those on that page.
   *
   * @default `undefined`: all resource servers.
   */
  resourceServerIdentifier?: string;
  /**
   * Returns at most this many permissions, 1 or more.
   *
   * It stops reading there. Not together with `page` or `perPage`.
   *
   * @default `undefined`: all.
   */
  maxItems?: number;
  /**
   * Returns only this page, from 0, in one request.
   *
   * Sent as `page`.
   *
   * @default `undefined`: all pages; with `perPage`, the first.
   */
  page?: number;
  /**
   * Returns one page, in one request: at most this many permissions, 1 to 100.
   *
   * Sent as `per_page`.
   *
   * @default `undefined`: all pages; with `page`, the tenant's number.
   */
  perPage?: number;
  /**
   * True returns the `total`, too, with `page`, `perPage` or `maxItems`.
   *
   * Without them all permissions are read, and the total is there anyway. Sent with a page as
   * `include_totals`.
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
  /** Kind of the source: `ROLE`, `DIRECT` or another word of the tenant's; empty if it doesn't say. */
  sourceType: string;
}

/** Result of {@link getUserPermissions}. */
export interface GetUserPermissionsResult {
  /** Id of the user. */
  userId: string;
  /** The permissions, sorted by resource server and name; a page is sorted, too. */
  permissions: UserPermission[];
  /**
   * True if `maxItems` left some out. With `page` or `perPage`, true unless this is the first page and known
   * to be everything: it is empty, or `total` counts no more.
   */
  truncated: boolean;
  /**
   * Number of all permissions of the user, on all resource servers. When not all were read, it's there only
   * with `includeTotals`, as the tenant counts, and missing if the tenant doesn't say.
   */
  total?: number;
}

const MAX_ITEMS_RULE = "must be a whole number from 1";
const PAGE_RULE = "must be a whole number from 0";
const PER_PAGE_RULE = "must be a whole number from 1 to 100";

const schema = z
  .strictObject({
    userId: USER_ID,
    resourceServerIdentifier: z.string("must be a text").min(1, "must not be empty").optional(),
    maxItems: z.int(MAX_ITEMS_RULE).min(1, MAX_ITEMS_RULE).optional(),
    page: z.int(PAGE_RULE).min(0, PAGE_RULE).optional(),
    perPage: z.int(PER_PAGE_RULE).min(1, PER_PAGE_RULE).max(PER_PAGE, PER_PAGE_RULE).optional(),
    includeTotals: z.boolean("must be true or false").optional(),
  })
  .check(({ value, issues }) => {
    const { maxItems } = value;
    if (maxItems === undefined || !isOnePage(value)) return;
    const message = "must be left out with page or perPage, which ask for one page";
    issues.push({ code: "custom", path: ["maxItems"], input: maxItems, message });
  });

/** @internal */
export const getUserPermissionsSource: DataSource<GetUserPermissionsArgs, GetUserPermissionsResult> = {
  name: "getUserPermissions",
  schema,

  async read(client, args, ask) {
    const { userId, resourceServerIdentifier, maxItems } = args;
    const { items, isMore, total } = await found(client, args, ask);
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
      ...(total !== undefined && { total }),
    };
  },

  advice: (error) => (error instanceof NotFoundError ? "Check userId." : undefined),
};

interface FoundPermissions {
  items: PermissionRecord[];
  /** False if these are known to be all. */
  isMore: boolean;
  total?: number | undefined;
}

async function found(
  client: IdentityClient,
  args: GetUserPermissionsArgs,
  ask: Ask,
): Promise<FoundPermissions> {
  const { userId, resourceServerIdentifier, maxItems, page, perPage, includeTotals } = args;
  if (isOnePage(args)) {
    const at = { page, perPage, includeTotals };
    const { items, total } = await ask(["permissions", userId, at], () =>
      readUserPermissionsPage(client, userId, at),
    );
    const told = includeTotals === true ? total : undefined;
    const isAll = (page ?? 0) === 0 && (items.length === 0 || items.length === told);
    return { items, isMore: !isAll, total: isAll ? items.length : told };
  }
  // The tenant has no filter, so the first pages may have nothing of one resource server.
  if (maxItems === undefined || resourceServerIdentifier !== undefined) {
    const items = await ask(["permissions", userId], () => listUserPermissions(client, userId));
    return { items, isMore: false, total: items.length };
  }
  const { items, isMore, total } = await ask(["permissions", userId, maxItems], () =>
    readUserPermissions(client, userId, maxItems),
  );
  return { items, isMore, total: !isMore ? items.length : includeTotals === true ? total : undefined };
}

function isOnePage({ page, perPage }: Pick<GetUserPermissionsArgs, "page" | "perPage">): boolean {
  return page !== undefined || perPage !== undefined;
}

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
 * Lists all permissions of a user, in previews too, in as few requests as possible. With `page` or `perPage`,
 * it lists one page, in one request.
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
 *
 * @example How many permissions a user has, in one request
 * ```ts
 * import { getUserPermissions } from "pulumi-identity";
 *
 * export const count = getUserPermissions({
 *   userId: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
 *   page: 0,
 *   perPage: 1,
 *   includeTotals: true,
 * }).then(({ total }) => total);
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
