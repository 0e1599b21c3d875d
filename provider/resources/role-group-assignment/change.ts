import { type IdentityClient } from "../../http/client";
import { ApiError, IdentityError, NotFoundError, outcomeOf } from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { assignRoleGroups, listRoleGroups, removeRoleGroups } from "../../service/role-groups";
import { ROLES } from "./roles-of-run";

/** The service names no limit of its own for one call. */
export const GROUPS_PER_CALL = 50;

/** One of the two calls that a change is made of. */
export interface RoleCall {
  send(client: IdentityClient, roleId: string, groups: readonly string[]): Promise<void>;
  /** The groups that a change needs it for. */
  groupsOf(change: Change): readonly string[];
  /** Which of the groups it is still needed for when these have the role. */
  left(groups: readonly string[], assigned: readonly string[]): string[];
}

export const ASSIGN: RoleCall = {
  send: assignRoleGroups,
  groupsOf: ({ add }) => add,
  left: without,
};

export const REMOVE: RoleCall = {
  send: removeRoleGroups,
  groupsOf: ({ remove }) => remove,
  left: (groups, assigned) => groups.filter((group) => assigned.includes(group)),
};

/** Has a call made for groups of a change. */
export type Send = (call: RoleCall, groups: readonly string[]) => Promise<void>;

/** What is to be done about one role. */
export interface Change {
  roleId: string;
  /** Groups that the assignment had before. */
  had: readonly string[];
  /** Those of them for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
  add: readonly string[];
  remove: readonly string[];
}

/** How far a change has come. */
export interface Progress {
  /** Groups that the assignment has, including the unconfirmed ones. */
  has: string[];
  unconfirmed: string[];
  /** Why it is not done. */
  failure?: unknown;
}

/** Adds, then removes, so that nobody loses access in between. A failure ends it; the result says how far it came. */
export async function changeRole(
  { client, run }: Context,
  change: Change,
  send: Send = alone(client, change.roleId),
): Promise<Progress> {
  const { roleId, had } = change;
  const role = run.recall(ROLES).role(roleId);
  const has = new Set(had);
  const unconfirmed = new Set(change.unconfirmed);
  run.recall(ROLES).forgetReads();
  try {
    for (const groups of chunks(change.add)) {
      await send(ASSIGN, groups).catch((error: unknown) => {
        if (outcomeOf(error) !== "unknown") throw error;
        // They may have the role: state has to know them, so that they can lose it again.
        for (const group of groups) {
          unconfirmed.add(group);
          has.add(group);
        }
        throw error;
      });
      for (const group of groups) {
        has.add(group);
        unconfirmed.delete(group);
        role.taken.delete(group);
      }
    }
    for (const groups of chunks(change.remove)) {
      for (const group of groups) role.taken.add(group);
      await send(REMOVE, groups);
      for (const group of groups) {
        has.delete(group);
        unconfirmed.delete(group);
      }
    }
    return { has: [...has], unconfirmed: [...unconfirmed] };
  } catch (error) {
    return { has: [...has], unconfirmed: [...unconfirmed], failure: explained(error) };
  } finally {
    run.recall(ROLES).forgetReads();
  }
}

/**
 * Makes calls for one change only. The document does not say whether a call fails as a whole when one of its groups
 * already has the role, or does not have it. An answer can be lost, too. In both cases the list shows which groups are
 * left, and the call is repeated with these.
 */
export function alone(client: IdentityClient, roleId: string): Send {
  return async (call, groups) => {
    try {
      await call.send(client, roleId, groups);
    } catch (error) {
      const isRefused = error instanceof ApiError && [400, 404, 409].includes(error.status);
      if (!isRefused && outcomeOf(error) !== "unknown") throw error;
      const assigned = await listRoleGroups(client, roleId).catch(() => undefined);
      // A failure to look must not hide why the call failed.
      if (assigned === undefined) throw error;
      const rest = call.left(groups, assigned);
      if (isRefused && rest.length === groups.length) throw call === REMOVE ? notOfTheRole(error) : error;
      if (rest.length > 0) await call.send(client, roleId, rest);
    }
  };
}

/** The role was just listed: its groups have not gone with it. */
function notOfTheRole(error: ApiError): ApiError {
  if (!(error instanceof NotFoundError)) return error;
  return new ApiError(
    error.call,
    error.answer,
    "The role exists, and the groups still have it: run this again.",
  );
}

/** The service's limits are documented, but its error answer does not name them. */
function explained(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.code !== "insufficient_entitlement") return error;
  return new IdentityError(
    `${error.message} The service allows at most 10 roles on a group, and 100 different roles on groups.`,
  );
}

export function without(groups: readonly string[], excluded: readonly string[]): string[] {
  const gone = new Set(excluded);
  return groups.filter((group) => !gone.has(group));
}

function chunks(groups: readonly string[]): string[][] {
  const count = Math.ceil(groups.length / GROUPS_PER_CALL);
  return Array.from({ length: count }, (_, i) =>
    groups.slice(i * GROUPS_PER_CALL, (i + 1) * GROUPS_PER_CALL),
  );
}
