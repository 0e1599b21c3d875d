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

/*
 * Sends one call for many groups, some of which the service may refuse. Knows nothing of other assignments.
 */

export type RoleCall = "grant" | "revoke";

const CALLS = {
  grant: { send: assignRoleGroups, left: minus },
  revoke: {
    send: removeRoleGroups,
    left: (groups: readonly string[], assigned: readonly string[], mayLag?: boolean) =>
      mayLag === true ? [...groups] : groups.filter((group) => assigned.includes(group)),
  },
} as const;

/** The result of a call for each of its groups. */
export interface Sent {
  done: string[];
  refused: Refusal[];
  /** An answer was lost, so these may be done, even if some have been refused since. */
  unclear: string[];
  /** The reason why the rest wasn't done, not due to single groups. */
  failure?: unknown;
}

/** A group that the service refuses, alone or together with others. */
export interface Refusal {
  group: string;
  error: ApiError;
}

/**
 * After this many refusals in a row (a call, its halves, quarters and eighths) without any success, the
 * reason isn't single groups: the tenant's limit of roles on groups, for example, refuses all alike. The same
 * if the service does a part of each call it refuses, which would otherwise go on group by group.
 */
const MOST_IN_VAIN = 15;

/**
 * Makes a call for groups of a role. The service refuses the whole call because of one group, such as one
 * that its directory has deleted. So a refused call is repeated with its halves, their halves, and so on,
 * until each refused group is known. With one of 50 groups refused, that's at most 12 further calls, 2 · log₂
 * 50. The document doesn't say if a refused call may be done in part, as it may after a lost answer. The
 * role's list shows it, so that is read once after the first refusal, and once more after further ones.
 */
export function sendGroups(
  { client, roleId, mayLag }: Target,
  kind: RoleCall,
  groups: readonly string[],
): Promise<Sent> {
  return new SplitCall({ client, roleId, mayLag }, kind).send(groups);
}

interface Target {
  client: IdentityClient;
  roleId: string;
  /** True if the role was written so recently that its list may lack a group that has it. */
  mayLag?: boolean | undefined;
}

/** The reason why a call ended before each of its groups was done or refused. */
interface End {
  failure: unknown;
  unclear?: string[];
}

class SplitCall {
  readonly #done = new Set<string>();
  readonly #refused = new Map<string, ApiError>();
  readonly #parts: (readonly string[])[] = [];
  #refusalsInARow = 0;
  /** True if a refused call seems to have been done for some of its groups. */
  #isDoneInPart = false;
  /** Groups of a call without an answer: a list that lacks them may just lag behind. */
  #lost: readonly string[] | undefined;
  /** Undefined if the role wasn't read after a refusal. */
  #looked: { mayNot?: InsufficientScopeError } | undefined;
  #isRefusedSince = false;

  constructor(
    private readonly target: Target,
    private readonly kind: RoleCall,
  ) {}

  async send(groups: readonly string[]): Promise<Sent> {
    this.#parts.push(groups);
    let end: End | undefined;
    for (let part = this.#parts.shift(); part !== undefined; part = this.#parts.shift()) {
      end = await this.#sendPart(part);
      if (end !== undefined) break;
    }
    if (end?.unclear === undefined) await this.#lookAgain(groups, end !== undefined);
    return {
      done: [...this.#done],
      refused: [...this.#refused].map(([group, error]) => ({ group, error })),
      unclear: minus([...(this.#lost ?? []), ...(end?.unclear ?? [])], [...this.#done]),
      ...(end !== undefined && { failure: end.failure }),
    };
  }

  async #sendPart(part: readonly string[]): Promise<End | undefined> {
    try {
      await CALLS[this.kind].send(this.target.client, this.target.roleId, part);
      this.#refusalsInARow = 0;
      this.#settle(part);
      return undefined;
    } catch (error) {
      if (outcomeOf(error) === "unknown") return this.#afterLostAnswer(part, error);
      return isOfItsGroups(error) ? this.#afterRefusal(part, error) : { failure: error };
    }
  }

  /**
   * After the first lost answer, reads the list or sends the call again. A list that lacks a group may just
   * lag behind, so it doesn't prove a removal.
   */
  async #afterLostAnswer(part: readonly string[], error: unknown): Promise<End | undefined> {
    const isSecond = this.#lost !== undefined;
    this.#lost ??= part;
    if (isSecond) return { unclear: [...part], failure: error };
    if (this.kind === "revoke") {
      this.#sendNext(part);
      return undefined;
    }
    const assigned = await this.#assigned().catch(() => undefined);
    if (assigned === undefined) return { unclear: [...part], failure: error };
    this.#sendNext(this.#leftOf(part, assigned));
    return undefined;
  }

  async #afterRefusal(part: readonly string[], error: ApiError): Promise<End | undefined> {
    this.#refusalsInARow++;
    if (this.#looked !== undefined) this.#isRefusedSince = true;
    else {
      const assigned = await this.#assigned().catch((failure: unknown) => failure);
      if (assigned instanceof NotFoundError) return { failure: error };
      const mayNot = assigned instanceof InsufficientScopeError ? assigned : undefined;
      if (!Array.isArray(assigned) && mayNot === undefined) return { unclear: [...part], failure: error };
      this.#looked = mayNot === undefined ? {} : { mayNot };
      // It may have been refused because of groups that are already done.
      const left = Array.isArray(assigned) ? this.#leftOf(part, assigned as string[]) : part;
      if (left.length < part.length) {
        this.#isDoneInPart = true;
        this.#sendNext(left);
        return undefined;
      }
    }
    return this.#split(part, error);
  }

  #split(part: readonly string[], error: ApiError): End | undefined {
    const isInVain = this.#done.size === 0 || this.#isDoneInPart;
    if (isInVain && this.#refusalsInARow >= MOST_IN_VAIN && part.length > 1) return { failure: error };
    const half = Math.ceil(part.length / 2);
    if (part.length > 1) this.#parts.push(part.slice(0, half), part.slice(half));
    else for (const group of part) this.#refused.set(group, this.#withDoubt(error));
    return undefined;
  }

  /** Groups refused after the first look may have been done too. */
  async #lookAgain(groups: readonly string[], isEnded: boolean): Promise<void> {
    const isOpen = this.#isRefusedSince && (this.#refused.size > 0 || isEnded);
    if (!isOpen || this.#looked?.mayNot !== undefined) return;
    const assigned = await this.#assigned().catch(() => undefined);
    if (assigned === undefined) return;
    this.#leftOf(minus(groups, [...this.#done]), assigned);
    for (const group of this.#done) this.#refused.delete(group);
  }

  /** Returns the groups of a part that still need a call, given the groups that have the role. */
  #leftOf(part: readonly string[], assigned: readonly string[]): string[] {
    const left = CALLS[this.kind].left(part, assigned, this.target.mayLag);
    this.#settle(minus(part, left));
    return left;
  }

  #sendNext(part: readonly string[]): void {
    if (part.length > 0) this.#parts.unshift(part);
  }

  #assigned(): Promise<string[]> {
    return listRoleGroups(this.target.client, this.target.roleId);
  }

  #settle(groups: readonly string[]): void {
    for (const group of groups) this.#done.add(group);
  }

  /** Adds to a refusal that the group may be done anyway, because the client isn't allowed to look. */
  #withDoubt(refusal: ApiError): ApiError {
    const mayNot = this.#looked?.mayNot;
    if (mayNot === undefined) return refusal;
    const doubt = this.kind === "grant" ? "It may have the role" : "It may have lost the role";
    const message = `${refusal.message} ${doubt} all the same, which could not be read: ${mayNot.message}`;
    return new ApiError(refusal.call, refusal.answer, "", message);
  }
}

/** True if the call was refused for its contents, not because of the client or the moment. */
function isOfItsGroups(error: unknown): error is ApiError {
  const isOfClient = error instanceof AuthenticationError || error instanceof InsufficientScopeError;
  return error instanceof ApiError && outcomeOf(error) === "refused" && error.status !== 429 && !isOfClient;
}
