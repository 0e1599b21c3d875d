import { ApiError, InsufficientScopeError, NotFoundError, NotServedError } from "../../http/errors";
import { type Granted, minus } from "./plan";

/*
 * Decides what is sent next for the groups of a call, some of which the service may refuse. Pure: send.ts
 * sends it.
 *
 * The service refuses the whole call because of one group, such as one that its directory has deleted. So a
 * refused call is repeated with its halves, their halves, and so on, until each refused group is known. With
 * one of 50 groups refused, that's at most 12 further calls, 2 · log₂ 50. The document doesn't say if a
 * refused call may be done in part, as it may after a lost answer. The role's list shows it, so that is read
 * once after the first refusal, and once more after further ones.
 */

export type RoleCall = "grant" | "revoke";

/** The groups of a call; or a look at those that have the role. */
export type RoleRequest = readonly string[] | "list";

export type Reply =
  /** The groups of the call, or those that have the role. */
  | { result: "done"; groups: readonly string[] }
  /** The service refused the call because of its groups. */
  | { result: "refused"; error: ApiError }
  | { result: "lost"; error: unknown }
  /** Nothing that a smaller call, or the same one again, would change. */
  | { result: "failed"; error: unknown };

/** A group that the service refuses, alone or together with others. */
export interface Refusal {
  group: string;
  error: ApiError;
}

/** The result of a call for each of its groups. */
export interface Sent {
  done: readonly string[];
  refused: readonly Refusal[];
  /** An answer was lost, so these may be done, even if some have been refused since. */
  unclear: readonly string[];
  /** The reason why the rest wasn't done, not due to single groups. */
  failure?: unknown;
}

/** A call for many groups, as far as it has come. */
export interface Sending {
  readonly call: RoleCall;
  readonly groups: readonly string[];
  /** True if the role was written so recently that its list may lack a group that has it. */
  readonly mayLag: boolean;
  /** Still to send, the next one first. */
  readonly parts: readonly (readonly string[])[];
  readonly done: readonly string[];
  readonly refused: readonly Refusal[];
  /** Parts whose answer was lost; sent again once. */
  readonly lost: readonly string[];
  /** The reason why the rest isn't sent. */
  readonly failure?: unknown;
  /** Why the list is read now. `end`: refused groups may be done all the same. */
  readonly looking?: Looking | undefined;
  /** The state of the list. `outdated`: refusals came since. An error: the client can't read it. */
  readonly list: "unread" | "read" | "outdated" | "no help" | ApiError;
  /** Those who have the role, once the list was read. */
  readonly listed?: readonly string[];
  /** Refusals until the rest isn't sent; `Infinity` after a call that succeeded. */
  readonly refusalsLeft: number;
}

type Looking =
  | { after: "lost"; part: readonly string[]; error: unknown }
  | { after: "refused"; part: readonly string[]; error: ApiError }
  | { after: "end" };

/**
 * After this many refusals (a call, its halves, quarters and eighths) before any call succeeds, the reason
 * isn't single groups: the tenant's limit of roles on groups, for example, refuses all alike. Groups that the
 * list shows as done count for no success: the service may do a part of each call that it refuses.
 */
const MOST_IN_VAIN = 15;

/** `most`: groups that one call can be about. */
export function begin(
  call: RoleCall,
  groups: readonly string[],
  { isJustWritten = false }: Granted,
  most = groups.length,
): Sending {
  return {
    call,
    groups,
    mayLag: isJustWritten,
    parts: chunks(groups, most),
    done: [],
    refused: [],
    lost: [],
    list: "unread",
    refusalsLeft: MOST_IN_VAIN,
  };
}

/** Returns what to send; undefined once the call is over. */
export function requestOf({ looking, parts }: Sending): RoleRequest | undefined {
  return looking === undefined ? parts[0] : "list";
}

/** Returns the result of a call so far. */
export function sentBy({ done, refused, lost, failure }: Sending): Sent {
  return { done, refused, unclear: minus(lost, done), failure };
}

/** Returns what an assignment has after a call for some of its groups. */
export function withSent(
  granted: Granted,
  call: RoleCall,
  { done, unclear }: Pick<Sent, "done" | "unclear">,
): Granted {
  const after = { grant: [...granted.groups, ...done, ...unclear], revoke: minus(granted.groups, done) };
  const groups = [...new Set(after[call])];
  // State must know what may have the role, for a later removal, and grant again what may have lost it.
  const open = minus(unclear, minus(unclear, groups));
  return { ...granted, groups, unconfirmed: [...new Set([...minus(granted.unconfirmed, done), ...open])] };
}

/** Returns the call after the answer to its request. */
export function next(sending: Sending, answer: Reply): Sending {
  const after = withAnswer(sending, answer);
  const isOver = requestOf(after) === undefined;
  // Groups refused since the list was read may have been done too.
  const isOpen = after.list === "outdated" && (after.refused.length > 0 || after.failure !== undefined);
  return isOver && isOpen ? { ...after, looking: { after: "end" } } : after;
}

function withAnswer(sending: Sending, answer: Reply): Sending {
  const { looking } = sending;
  if (looking !== undefined) return withList({ ...sending, looking: undefined }, looking, answer);
  const [part = [], ...parts] = sending.parts;
  const sent = { ...sending, parts };
  switch (answer.result) {
    case "done":
      return { ...settled(sent, part), refusalsLeft: Infinity };
    case "refused":
      return withRefusal({ ...sent, refusalsLeft: sent.refusalsLeft - 1 }, part, answer.error);
    case "lost":
      return withLostAnswer(sent, part, answer.error);
    case "failed":
      return ended(sent, answer.error);
  }
}

function withRefusal(sending: Sending, part: readonly string[], error: ApiError): Sending {
  if (sending.list === "unread") return { ...sending, looking: { after: "refused", part, error } };
  return split({ ...sending, list: sending.list === "read" ? "outdated" : sending.list }, part, error);
}

function withLostAnswer(sending: Sending, part: readonly string[], error: unknown): Sending {
  if (sending.lost.length > 0) return unclearEnd(sending, part, error);
  const open = { ...sending, lost: part };
  // A list that lacks a group may just lag behind, so it doesn't prove a removal.
  if (sending.call === "revoke") return { ...open, parts: [part, ...sending.parts] };
  return { ...open, looking: { after: "lost", part, error } };
}

function withList(sending: Sending, looking: Looking, answer: Reply): Sending {
  if (looking.after === "end") return withLastList({ ...sending, list: "read" }, answer);
  const { part } = looking;
  if (answer.result !== "done") return withoutList(sending, looking, answer.error);
  const left = leftOf(sending, part, answer.groups);
  const parts = [left, ...sending.parts].filter(({ length }) => length > 0);
  const rest = { ...settled(sending, minus(part, left)), parts, listed: answer.groups };
  if (looking.after === "lost") return rest;
  // It may have been refused because of groups that are already done.
  if (left.length < part.length) return { ...rest, list: "read" };
  return split({ ...sending, list: "read", listed: answer.groups }, part, looking.error);
}

function withoutList(
  sending: Sending,
  { after, part, error }: Exclude<Looking, { after: "end" }>,
  why: unknown,
): Sending {
  if (after === "lost") return unclearEnd(sending, part, error);
  if (why instanceof NotFoundError) return ended(sending, error);
  if (why instanceof InsufficientScopeError || why instanceof NotServedError)
    return split({ ...sending, list: why }, part, error);
  return unclearEnd(sending, part, error);
}

function withLastList(sending: Sending, answer: Reply): Sending {
  if (answer.result !== "done") return sending;
  const open = minus(sending.groups, sending.done);
  const { done, refused } = settled(sending, minus(open, leftOf(sending, open, answer.groups)));
  return { ...sending, done, refused: refused.filter(({ group }) => !done.includes(group)) };
}

/** Sends the halves of a refused part; with a single group, it's known which one is refused. */
function split(sending: Sending, part: readonly string[], error: ApiError): Sending {
  const [first = "", ...others] = part;
  if (others.length === 0 && isLostAlready(sending, first, error)) return settled(sending, part);
  if (others.length === 0)
    return { ...sending, refused: [...sending.refused, { group: first, error: withDoubt(sending, error) }] };
  if (sending.refusalsLeft <= 0) return ended(sending, error);
  const half = Math.ceil(part.length / 2);
  return { ...sending, parts: [...sending.parts, part.slice(0, half), part.slice(half)] };
}

/** A list may lag behind, but not where the service says, too, that the group has nothing to lose. */
function isLostAlready({ call, listed }: Sending, group: string, error: ApiError): boolean {
  return call === "revoke" && error instanceof NotFoundError && listed?.includes(group) === false;
}

function settled(sending: Sending, groups: readonly string[]): Sending {
  return { ...sending, done: [...sending.done, ...minus(groups, sending.done)] };
}

function ended(sending: Sending, failure: unknown): Sending {
  return { ...sending, parts: [], failure };
}

/** Another look wouldn't help: the list may lag behind the lost answer, or can't be read. */
function unclearEnd(sending: Sending, part: readonly string[], failure: unknown): Sending {
  return {
    ...ended(sending, failure),
    lost: [...sending.lost, ...minus(part, sending.lost)],
    list: "no help",
  };
}

/** Returns the groups of a part that still need a call, given the groups that have the role. */
function leftOf(
  { call, mayLag }: Sending,
  part: readonly string[],
  listed: readonly string[],
): readonly string[] {
  if (call === "grant") return minus(part, listed);
  return mayLag ? part : minus(part, minus(part, listed));
}

/** Adds to a refusal that the group may be done anyway, because the client isn't allowed to look. */
function withDoubt({ call, list }: Sending, refusal: ApiError): ApiError {
  if (typeof list === "string") return refusal;
  const message = `${refusal.message} ${DOUBT[call]} all the same, which could not be read: ${list.message}`;
  return new ApiError(refusal.call, refusal.answer, "", message);
}

const DOUBT = { grant: "It may have the role", revoke: "It may have lost the role" } as const;

export function chunks(groups: readonly string[], most: number): string[][] {
  const count = Math.ceil(groups.length / most);
  return Array.from({ length: count }, (_, index) => groups.slice(index * most, (index + 1) * most));
}
