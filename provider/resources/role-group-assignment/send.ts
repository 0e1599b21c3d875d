import { type IdentityClient } from "../../http/client";
import {
  ApiError,
  AuthenticationError,
  InsufficientScopeError,
  NotFoundError,
  outcomeOf,
} from "../../http/errors";
import { assignRoleGroups, listRoleGroups, removeRoleGroups } from "../../service/roles";
import { minus } from "./plan";

/* One call for many groups, of which the service may refuse one. Knows nothing of other assignments. */

export type RoleCall = "grant" | "revoke";

const CALLS = {
  grant: { send: assignRoleGroups, left: minus },
  revoke: {
    send: removeRoleGroups,
    left: (groups: readonly string[], assigned: readonly string[]) =>
      groups.filter((group) => assigned.includes(group)),
  },
};

/** What became of a call for each of its groups. */
export interface Sent {
  done: string[];
  refused: Refusal[];
  unclear: string[];
  /** Why the rest was not done: no matter of single groups. */
  failure?: unknown;
}

/** A group that the service refuses, alone or whatever it comes with. */
export interface Refusal {
  group: string;
  error: ApiError;
}

/**
 * So many calls in a row without any success are no matter of single groups: a call, its halves, quarters and
 * eighths. The tenant's limit of roles on groups refuses all alike.
 */
const MOST_IN_VAIN = 15;

/**
 * Makes a call for groups of a role. The service refuses the whole call for one group, such as one that its
 * directory has deleted. So a refused call is repeated with its halves, theirs, and so on, until each refused
 * group is known: of 50 groups with one refused, at most 12 further calls, 2 · log₂ 50. The document does not
 * say whether a refused call is done in part, as it may be when its answer is lost: the list of the role
 * shows it, which is read once after the first refusal, and once more after further ones.
 */
export async function sendGroups(
  client: IdentityClient,
  roleId: string,
  kind: RoleCall,
  groups: readonly string[],
): Promise<Sent> {
  const call = CALLS[kind];
  const done = new Set<string>();
  const refused = new Map<string, ApiError>();
  const parts: (readonly string[])[] = [groups];
  const settle = (some: readonly string[]) => some.forEach((group) => done.add(group));
  const result = (rest: Partial<Sent> = {}): Sent => ({
    done: [...done],
    refused: [...refused].map(([group, error]) => ({ group, error })),
    unclear: [],
    ...rest,
  });
  let isLost = false;
  /** Undefined: the list was not looked at after a refusal. */
  let looked: { mayNotLook?: InsufficientScopeError } | undefined;
  let isRefusedSince = false;
  for (let calls = 1, part = parts.shift(); part !== undefined; calls++, part = parts.shift()) {
    try {
      await call.send(client, roleId, part);
      settle(part);
      continue;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === "unknown") {
        // One lost answer is looked into.
        if (isLost) return result({ unclear: [...part], failure: error });
        isLost = true;
        const assigned = await listRoleGroups(client, roleId).catch(() => undefined);
        if (assigned === undefined) return result({ unclear: [...part], failure: error });
        const left = call.left(part, assigned);
        settle(minus(part, left));
        if (left.length > 0) parts.unshift(left);
        continue;
      }
      if (!isOfItsGroups(error)) return result({ failure: error });
      if (looked !== undefined) isRefusedSince = true;
      else {
        const assigned = await listRoleGroups(client, roleId).catch((failure: unknown) => failure);
        if (assigned instanceof NotFoundError) return result({ failure: error });
        if (Array.isArray(assigned)) {
          looked = {};
          const left = call.left(part, assigned as string[]);
          settle(minus(part, left));
          // It may have been refused for those that are done.
          if (left.length < part.length) {
            if (left.length > 0) parts.unshift(left);
            continue;
          }
        } else if (assigned instanceof InsufficientScopeError) looked = { mayNotLook: assigned };
        else return result({ unclear: [...part], failure: error });
      }
      if (calls >= MOST_IN_VAIN && done.size === 0 && part.length > 1) return result({ failure: error });
      if (part.length === 1) refused.set(part[0]!, withDoubt(kind, error, looked.mayNotLook));
      else parts.push(part.slice(0, Math.ceil(part.length / 2)), part.slice(Math.ceil(part.length / 2)));
    }
  }
  if (refused.size > 0 && isRefusedSince && looked?.mayNotLook === undefined) {
    const assigned = await listRoleGroups(client, roleId).catch(() => undefined);
    if (assigned !== undefined) {
      settle(minus([...refused.keys()], call.left([...refused.keys()], assigned)));
      for (const group of done) refused.delete(group);
    }
  }
  return result();
}

/** Whether a call was refused for what it asks: not for the client, and not for the moment. */
function isOfItsGroups(error: unknown): error is ApiError {
  const isOfClient = error instanceof AuthenticationError || error instanceof InsufficientScopeError;
  return error instanceof ApiError && outcomeOf(error) === "refused" && error.status !== 429 && !isOfClient;
}

/** The refusal of a group that may be done all the same, which the client may not look at. */
function withDoubt(
  kind: RoleCall,
  refusal: ApiError,
  mayNotLook: InsufficientScopeError | undefined,
): ApiError {
  if (mayNotLook === undefined) return refusal;
  const doubt = kind === "grant" ? "It may have the role" : "It may have lost the role";
  const message = `${refusal.message} ${doubt} all the same, which could not be read: ${mayNotLook.message}`;
  return new ApiError(refusal.call, refusal.answer, "", message);
}
