import { type RawInputs } from "../../review/raw-inputs";
import { type Hidden, hiddenIn, switchIn } from "../../review/step";

/*
 * What a change of an assignment does, decided once: the handler sends it, the preview prints it, and the
 * review runs it over every step.
 */

/** What the tenant has because of an assignment, as its outputs say. */
export interface Held {
  groups: readonly string[];
  /** Those of `groups` for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
}

export const NOTHING: Held = { groups: [], unconfirmed: [] };

/** The other assignments of the role in the program. */
export interface Others {
  /** Whether one of them lists a group; `unknown` while the groups of one are not known. */
  lists(group: string): boolean | "unknown";
  /** Whether this run has taken the role from a group, which may have had it from several assignments. */
  hasLost?(group: string): boolean;
}

export interface Plan {
  add: string[];
  remove: string[];
  /** Let go of: another assignment lists them, so they keep the role. */
  handOver: string[];
}

/**
 * What happens to a role when an assignment that holds these groups is to have those. `live`: the groups from
 * which it takes the role; of an exclusive assignment, all that have it on the tenant.
 */
export function plan(held: Held, wanted: readonly string[], others: Others, live = held.groups): Plan {
  const had = new Set(minus(held.groups, held.unconfirmed));
  const leaving = minus(live, wanted);
  const handOver = leaving.filter((group) => others.lists(group) === true);
  return {
    add: wanted.filter((group) => !had.has(group) || others.hasLost?.(group) === true),
    remove: minus(leaving, handOver),
    handOver,
  };
}

export function heldBy(outputs: RawInputs): Held {
  return {
    groups: knownTexts(wantedIn(outputs)),
    // The first draft has another name for it.
    unconfirmed: knownTexts(outputs["unconfirmed"] ?? outputs["unsure"]),
  };
}

/** Whether `check` has found that an assignment has ended. */
export function hasEnded(values: RawInputs): boolean {
  return values["ended"] === true;
}

/** The groups that are to have the role because of an assignment: none after its end. May be unknown. */
export function wantedIn(values: RawInputs): unknown {
  return hasEnded(values) ? [] : values["groupIds"];
}

/** Whether the role is to have these groups and no others. After its end it leaves all others alone. */
export function exclusiveIn(values: RawInputs): unknown {
  return hasEnded(values) ? false : values["exclusive"];
}

/** Whether destroying it takes the role from its groups; a switch that does not show may be either. */
export function isTakenOnDestroy(values: RawInputs): boolean | Hidden {
  return switchIn(values["deleteOnDestroy"], true);
}

/** What the limit on revocations counts as one. */
export function lossOf(roleId: string, group: string): string {
  return `${roleId} ${group}`;
}

/** What every assignment of a role wants, so that the others know of it. */
export function anyOf(roleId: string): string {
  return `${roleId} any`;
}

export function minus(groups: readonly string[], excluded: readonly string[]): string[] {
  const gone = new Set(excluded);
  return groups.filter((group) => !gone.has(group));
}

export function knownTexts(value: unknown): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string" && hiddenIn(item) === undefined)
    : [];
}
