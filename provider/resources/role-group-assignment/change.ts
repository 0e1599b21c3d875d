import { type IdentityClient } from "../../http/client";
import {
  ApiError,
  AuthenticationError,
  IdentityError,
  InsufficientScopeError,
  NotFoundError,
  outcomeOf,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type Context } from "../../pulumi/resource-kind";
import { assignRoleGroups, listRoleGroups, removeRoleGroups } from "../../service/roles";
import { minus } from "./plan";
import { roleOf } from "./roles-of-run";

/** The service names no limit of its own for one call. */
const GROUPS_PER_CALL = 50;

/** A service that does a part of each call that it refuses would be asked once for each group. */
const MOST_REPEATS = 2;

interface RoleCall {
  send(client: IdentityClient, roleId: string, groups: readonly string[]): Promise<void>;
  /** Which of the groups it is still needed for when these have the role. */
  left(groups: readonly string[], assigned: readonly string[]): string[];
}

const ASSIGN: RoleCall = {
  send: assignRoleGroups,
  left: minus,
};

const REMOVE: RoleCall = {
  send: removeRoleGroups,
  left: (groups, assigned) => groups.filter((group) => assigned.includes(group)),
};

/** How far a call came for groups of a change. */
interface Sent {
  done: readonly string[];
  unclear: readonly string[];
  failure?: unknown;
}

interface AssignmentChange {
  roleId: string;
  /** Groups that the assignment had before. */
  had: readonly string[];
  /** Those of them for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
  add: readonly string[];
  remove: readonly string[];
}

export interface RoleProgress {
  /** Groups that the assignment has, including the unconfirmed ones. */
  has: string[];
  unconfirmed: string[];
  failure?: unknown;
}

/** Adds, then removes, so that nobody loses access in between. Ends at a failure; says how far it came. */
export async function changeRole({ client, run }: Context, change: AssignmentChange): Promise<RoleProgress> {
  const { roleId, had } = change;
  const role = roleOf(run, roleId);
  // What never spoke as the service may be any host, and state would bind the assignment to it.
  const mayBeTenant = (failure: unknown) =>
    run.isKnownTenant || client.hasHeardService || !(failure instanceof UnexpectedAnswerError);
  const has = new Set(had);
  const unconfirmed = new Set(change.unconfirmed);
  role.forgetRead();
  try {
    for (const groups of chunks(change.add)) {
      const { done, unclear, failure } = await send(client, roleId, ASSIGN, groups);
      role.note("given", done);
      for (const group of done) {
        has.add(group);
        unconfirmed.delete(group);
      }
      // They may have the role: state has to know them, so that they can lose it again.
      for (const group of mayBeTenant(failure) ? unclear : []) {
        has.add(group);
        unconfirmed.add(group);
      }
      if (failure !== undefined) return progress(failure);
    }
    for (const groups of chunks(change.remove)) {
      role.note("taken", groups);
      const { done, unclear, failure } = await send(client, roleId, REMOVE, groups);
      for (const group of done) {
        has.delete(group);
        unconfirmed.delete(group);
      }
      // They may have lost the role: should the program list them again, they have to get it again.
      for (const group of unclear) if (has.has(group)) unconfirmed.add(group);
      if (failure !== undefined) return progress(failure);
    }
    return progress();
  } finally {
    role.forgetRead();
  }

  function progress(failure?: unknown): RoleProgress {
    return {
      has: [...has],
      unconfirmed: [...unconfirmed],
      ...(failure !== undefined && { failure: explained(failure) }),
    };
  }
}

/**
 * Makes a call for one change. The document does not say whether a call fails as a whole when it is refused
 * for one of its groups, such as one that already has the role, or does not have it. An answer can be lost,
 * too. In both cases the list shows which groups are left, and the call is repeated with these.
 */
async function send(
  client: IdentityClient,
  roleId: string,
  call: RoleCall,
  groups: readonly string[],
): Promise<Sent> {
  let rest = groups;
  let isLost = false;
  const fail = (failure: unknown, unclear: readonly string[] = []) => ({
    done: minus(groups, rest),
    unclear,
    failure,
  });
  for (let repeats = 0; rest.length > 0; repeats++) {
    try {
      await call.send(client, roleId, rest);
      break;
    } catch (error) {
      const isRefused = outcomeOf(error) === "refused";
      if (!mayBeDoneInPart(error)) return fail(error);
      // One lost answer is looked into, be it the first or that of a call that was repeated after a refusal.
      if (isLost && !isRefused) return fail(error, rest);
      isLost ||= !isRefused;
      const assigned = await listRoleGroups(client, roleId).catch((failure: unknown) => failure);
      if (!Array.isArray(assigned)) {
        const isSettled = isRefused && mayNotLook(assigned);
        return isSettled ? fail(withDoubt(call, error as ApiError, assigned)) : fail(error, rest);
      }
      const left = call.left(rest, assigned as string[]);
      const isAnyDone = left.length < rest.length;
      rest = left;
      const refusal = isRefused ? finalRefusal(call, error as ApiError, isAnyDone, repeats) : undefined;
      if (refusal !== undefined) return fail(refusal);
    }
  }
  return { done: groups, unclear: [] };
}

/** What a refused call fails with; undefined where it is to be repeated with the groups that are left. */
function finalRefusal(
  call: RoleCall,
  refusal: ApiError,
  isAnyDone: boolean,
  repeats: number,
): ApiError | undefined {
  if (!isAnyDone && call === REMOVE) return notOfTheRole(refusal);
  // It may have been refused for one of its groups alone, so that it can succeed without it.
  const mayHelp = isAnyDone && repeats < MOST_REPEATS && [400, 404, 409].includes(refusal.status);
  return mayHelp ? undefined : refusal;
}

/** Whether looking again will not help: state must not keep what no later run can settle. */
function mayNotLook(failure: unknown): failure is ApiError {
  return failure instanceof InsufficientScopeError || failure instanceof NotFoundError;
}

/** The refusal of a call of which a part may be done. A role that does not exist has no part. */
function withDoubt(call: RoleCall, refusal: ApiError, look: ApiError): ApiError {
  if (look instanceof NotFoundError) return refusal;
  const doubt =
    call === ASSIGN ? "Some of the groups may have the role" : "Some of the groups may have lost the role";
  const message = `${refusal.message} ${doubt} all the same, and which could not be read: ${look.message}`;
  return new ApiError(refusal.call, refusal.answer, "", message);
}

/** Whether a call may have been done for some of its groups. */
function mayBeDoneInPart(error: unknown): boolean {
  if (outcomeOf(error) !== "refused") return outcomeOf(error) === "unknown";
  const isOfClient = error instanceof AuthenticationError || error instanceof InsufficientScopeError;
  return error instanceof ApiError && error.status !== 429 && !isOfClient;
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

function chunks(groups: readonly string[]): string[][] {
  const count = Math.ceil(groups.length / GROUPS_PER_CALL);
  return Array.from({ length: count }, (_, i) =>
    groups.slice(i * GROUPS_PER_CALL, (i + 1) * GROUPS_PER_CALL),
  );
}
