import { type RawInputs } from "../../pulumi/raw-inputs";
import { type Hidden, hiddenIn, switchIn } from "../../pulumi/step";

/*
 * What a change of an assignment does: said in previews, counted by the limit on revocations, done by the
 * handlers, and added up by the review (net.ts). Nothing else knows it.
 */

/** What a role's groups have because of an assignment. */
export interface Held {
  groups: readonly string[];
  /** Left to other assignments, which did not have them yet. */
  handedOver: readonly string[];
  /** Those of `groups` for which the outcome of an earlier change is unknown. */
  unconfirmed: readonly string[];
}

export const NOTHING: Held = { groups: [], handedOver: [], unconfirmed: [] };

/** Whether an assignment has ended, by the moment of the run that last checked it. */
export function hasEnded(values: RawInputs): boolean {
  return values["ended"] === true;
}

/** The groups that are to have the role because of an assignment, where known: none after its end. */
export function wantedIn(values: RawInputs): unknown {
  return hasEnded(values) ? [] : values["groupIds"];
}

/** Whether the role is to have these groups and no others. After its end it leaves all others alone. */
export function exclusiveIn(values: RawInputs): unknown {
  return hasEnded(values) ? false : values["exclusive"];
}

/** What the tenant holds because of an assignment, as its outputs tell. */
export function heldBy(outputs: RawInputs): Held {
  return {
    groups: knownTexts(wantedIn(outputs)),
    handedOver: knownTexts(outputs["handedOver"]),
    // Release 0.1.0 has another name for it.
    unconfirmed: knownTexts(outputs["unconfirmed"] ?? outputs["unsure"]),
  };
}

/** Whether destroying it takes the role from its groups; a switch that does not show may be either. */
export function isTakenOnDestroy(values: RawInputs): boolean | Hidden {
  return switchIn(values["deleteOnDestroy"], true);
}

export interface Others {
  lists(group: string): boolean;
  /** Whether all of them, and their groups, are known. */
  readonly isListingComplete: boolean;
  /** Whether one of them had the group before this run; `isOwn`: whether the assignment itself did. */
  wasAnothers(group: string, isOwn: boolean): boolean;
  /** Groups that this run has taken the role from. */
  readonly taken: { has(group: string): boolean };
}

export interface RoleChange {
  grants: string[];
  revocations: string[];
  /** Whether no group that is not known yet may turn out to be one of them. */
  isCertain: boolean;
  handOvers: string[];
  /** Groups that were handed over before, and that nobody lists any more. */
  dropped: string[];
  /** Those of them that lose the role: no other assignment had or removed them. */
  ended: string[];
  /** Groups that were handed over before, and of which it can't be known whether anybody lists them. */
  unsettled: string[];
}

/**
 * What happens to a role when an assignment that holds this is to have these groups.
 * `assigned`: the groups of the role on the tenant, of which an exclusive assignment leaves none to others.
 */
export function changeOf(
  held: Held,
  wanted: readonly string[],
  others: Others,
  assigned: readonly string[] = held.groups,
): RoleChange {
  const leaving = minus(assigned, wanted);
  const handOvers = leaving.filter((group) => others.lists(group));
  const dropped = others.isListingComplete ? held.handedOver.filter((group) => !others.lists(group)) : [];
  const isSettled = (group: string) => others.wasAnothers(group, false) || others.taken.has(group);
  return {
    grants: wanted.filter(
      (group) => !held.groups.includes(group) || held.unconfirmed.includes(group) || others.taken.has(group),
    ),
    revocations: minus(leaving, handOvers),
    isCertain: others.isListingComplete,
    handOvers,
    dropped,
    ended: minus(dropped, wanted).filter((group) => !isSettled(group)),
    unsettled: minus(held.handedOver, [...wanted, ...dropped]).filter(
      (group) => !others.lists(group) && !isSettled(group),
    ),
  };
}

/** Groups that others list keep the role; so do handed-over ones, of which a delete knows no holder. */
export function endOf(
  { groups }: Held,
  lists: (group: string) => boolean,
): { removed: string[]; listed: string[] } {
  return { removed: groups.filter((group) => !lists(group)), listed: groups.filter(lists) };
}

/** What the limit on revocations counts as one. */
export function lossOf(roleId: string, group: string): string {
  return `${roleId} ${group}`;
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
