import { type Place, say, type Sentence } from "./sentence";
import { type RawInputs, UNKNOWN } from "./raw-inputs";

/*
 * What the engine is going to do, as `pulumi preview --json` tells it, in the terms in which a resource's
 * `review.ts` says what comes of it. Values may be unknown or hidden at any depth.
 */

/** What Pulumi prints in place of a secret. */
export const SECRET = "[secret]";

export type Hidden = "unknown" | "secret";

export interface Side {
  id: string | undefined;
  /** Host name; undefined where the preview doesn't tell it. */
  tenant: string | undefined;
  inputs: RawInputs;
  /** What the tenant was last seen to hold; empty for what is still to be made. */
  outputs: RawInputs;
  protect: boolean;
  retainOnDelete: boolean;
}

export interface Step {
  kind: string;
  name: string;
  op: "create" | "update" | "replace" | "delete" | "same";
  /** The managed resource in state; undefined for what `get` has read, and for what is deleted already. */
  before?: Side;
  /** The managed resource that the program declares. */
  after?: Side;
  /** Why nothing is sent for the end of `before`, which the tenant keeps. `later`: a later run deletes it. */
  leaves?: "retainOnDelete" | "deletedWith" | "get" | "later";
  /** Whether the tenant may keep it because of `deletedWith`, which an unknown value or the CLI decides. */
  mayLeave: boolean;
  /** Whether it may stay: an option replaces it only if an unknown value changes, or another is replaced. */
  mayNotBeReplaced: boolean;
  /** URN of its provider: what one provider's process does, that of another does not know. */
  provider: string | undefined;
  /** Whether a replacement deletes what there is before it creates. */
  deletesFirst: boolean;
  /** Whether an earlier run has deleted what is replaced, and ended before it was made again. */
  isGone: boolean;
  /** Whether it is outside of the targets of the run: what the program wants of it does not show. */
  isOutside: boolean;
  /** Whether an earlier run has left the resource half-done: inputs in state are older than its outputs. */
  isHalfDone: boolean;
  /** Inputs that differ, as the engine sees it: also where both values are secret. */
  differs: readonly string[];
  /** Inputs because of which it is replaced; empty where something else asks for it. */
  replacedFor: readonly string[];
  /** Place in the program: `index.ts:9`. */
  line: Place | undefined;
  /** Lines that begin with the resource's name, without it. Anybody may have printed them. */
  told: readonly string[];
}

/** Whether only values that are not known yet ask for a replacement: it may be an update, or nothing. */
export function mayBeUpdated({ replacedFor, mayNotBeReplaced, after }: Step): boolean {
  const isOpen = (name: string) => hiddenIn(after?.inputs[name]) === "unknown";
  return mayNotBeReplaced || (replacedFor.length > 0 && replacedFor.every(isOpen));
}

/** Whether only values that do not show ask for an update: if all turn out to be as they are, none comes. */
export function mayStay({ op, differs, isHalfDone, after }: Step): boolean {
  const isHidden = (name: string) => hiddenIn(after?.inputs[name]) !== undefined;
  return op === "update" && !isHalfDone && differs.length > 0 && differs.every(isHidden);
}

export const TURNS_OUT_THE_SAME = say`what does not show turns out to be as it is`;

/** Why a value does not show, as a whole or in part. */
export function hiddenIn(value: unknown): Hidden | undefined {
  if (value === UNKNOWN) return "unknown";
  if (value === SECRET) return "secret";
  if (typeof value !== "object" || value === null) return undefined;
  const inner = Object.values(value).map(hiddenIn);
  return inner.includes("unknown") ? "unknown" : inner.find((hidden) => hidden !== undefined);
}

/** A switch; it may be either where it does not show. */
export function switchIn(value: unknown, otherwise: boolean): boolean | Hidden {
  return typeof value === "boolean" ? value : (hiddenIn(value) ?? otherwise);
}

/** `secret`, or when it is known. */
export function whyHidden(hidden: Hidden): Sentence {
  return hidden === "secret" ? say`secret` : say`known only when the change is made`;
}

/** An order that is the same on every machine. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
