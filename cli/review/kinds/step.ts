import { type KindName } from "../../../provider/kinds";
import { type Place, say, type Sentence } from "../../../provider/sentence";
import { type Fact } from "../../../provider/review/facts";
import { hiddenIn, SECRET, UNKNOWN } from "../../../provider/seen";
import { type RawInputs } from "../../../provider/review/raw-inputs";

/*
 * The engine's steps from `pulumi preview --json`, in the form from which each kind's file here derives
 * the effects. Values may be unknown or hidden at any depth.
 */

export interface Side {
  id: string | undefined;
  /** Host name; undefined if the preview doesn't name it. */
  tenant: string | undefined;
  inputs: RawInputs;
  /** The resource as last seen on the tenant; empty if it doesn't exist yet. */
  outputs: RawInputs;
  protect: boolean;
  retainOnDelete: boolean;
  /** By input: what the same run creates for it, so that its value isn't known yet. */
  made?: Readonly<Record<string, readonly MadeObject[]>>;
}

/** An object that a run creates, and of which nobody knows the id before. */
export interface MadeObject {
  what: "role" | "user" | "organization";
  /** As people know it: a role's name, for example. */
  title: string;
}

interface OfResource<Kind> {
  kind: Kind;
  urn: string;
  name: string;
  /** URN of its provider: one provider's process doesn't know what another's does. */
  provider: string | undefined;
  /** True if an earlier run left it half-done: inputs in state are older than its outputs. */
  isHalfDone: boolean;
  /** Inputs that differ according to the engine, even if both values are secret. */
  differs: readonly string[];
  /** True if it's registered after another one, because it depends on it, directly or not. */
  isAfter: (other: { urn: string }) => boolean;
  /** Place in the program: `index.ts:9`. */
  line: Place | undefined;
  /** The facts in lines with the resource's name in front. Anybody may have printed them. */
  printed: readonly Fact[];
}

interface Before {
  /** The managed resource in state; undefined if `get` read it, or it's already deleted. */
  before?: Side | undefined;
}

interface After {
  /** The managed resource that the program declares. */
  after?: Side | undefined;
}

/** The end of the old resource. */
export interface Ending {
  /**
   * Why nothing is sent at the end of `before`, so that the tenant keeps it. `later`: a later run deletes it.
   */
  leaves?: "retainOnDelete" | "deletedWith" | "get" | "later" | undefined;
  /** True if the tenant may keep it because of `deletedWith`; an unknown value or the CLI decides. */
  mayLeave: boolean;
}

interface CreateOrUpdate extends Before, After {
  op: "create" | "update";
}

interface Replace extends Before, After, Ending {
  op: "replace";
  /**
   * True if it may stay: an option replaces it only if an unknown value changes, or another resource is
   * replaced.
   */
  mayNotBeReplaced: boolean;
  /** True if it deletes before it creates. */
  deletesFirst: boolean;
  /** True if an earlier run deleted the old resource, but stopped before it created the new one. */
  isGone: boolean;
  /** Inputs that cause it; empty if something else does. */
  replacedFor: readonly string[];
}

interface Delete extends Before, Ending {
  op: "delete";
}

interface Same extends Before, After {
  op: "same";
  /** True if it isn't among the run's targets, so the program's wishes for it are hidden. */
  isOutside: boolean;
  /** True if a destroy leaves it: without a program, nothing is listed any more. */
  isSpared: boolean;
}

type AnyOf = CreateOrUpdate | Replace | Delete | Same;
type NamesIn<Of> = Of extends unknown ? keyof Of : never;
/** Members of other operations are undefined, so that all steps can be read alike. */
type Alone<Of> = Of extends unknown
  ? Of & { [Name in Exclude<NamesIn<AnyOf>, keyof Of>]?: undefined }
  : never;

/** `Kind`: for a resource of another package, its type. */
export type Step<Kind extends string = KindName> = OfResource<Kind> & Alone<AnyOf>;

/** True if only unknown values ask for a replacement: it may become an update, or nothing. */
export function mayBeUpdated({ op, replacedFor, mayNotBeReplaced, after }: Step<string>): boolean {
  if (op !== "replace") return false;
  const isOpen = (name: string) => hiddenIn(after?.inputs[name]) === UNKNOWN;
  return mayNotBeReplaced || (replacedFor.length > 0 && replacedFor.every(isOpen));
}

/** True if only hidden values ask for an update: if none of them changes, there is none. */
export function mayStay({ op, differs, isHalfDone, after }: Step<string>): boolean {
  const isHidden = (name: string) => hiddenIn(after?.inputs[name]) !== undefined;
  return op === "update" && !isHalfDone && differs.length > 0 && differs.every(isHidden);
}

export const TURNS_OUT_THE_SAME = say`what does not show turns out to be as it is`;

/** `secret`, or that it's known only later. */
export function whyHidden(seen: unknown): Sentence {
  return seen === SECRET ? say`secret` : say`known only when the change is made`;
}
