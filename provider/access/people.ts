import { type AccessEffect, isLoss } from "./change";
import { type Edge, type Holder, holderId, holderKey, roleKey } from "./edge";

/** The people of a group, as far as they are known. */
export interface Members {
  people: readonly string[];
  /** Groups within it; their people aren't known. */
  groups: number;
  /** Members that may be people or not. */
  others: number;
  /** True if there are more people than were read. */
  isMore: boolean;
}

/** Returns a group's people; undefined if nobody asked, or there was no answer. */
export type MembersOf = (group: string) => Members | undefined;

/** Returns the people who have what a holder has. */
export function membersOfHolder(holder: Holder, membersOf: MembersOf): Members | undefined {
  return "group" in holder
    ? membersOf(holder.group)
    : { people: [holder.user], groups: 0, others: 0, isMore: false };
}

/** True if a holder's people are all known. */
export function isKnownWhole(members: Members | undefined): boolean {
  return members !== undefined && !members.isMore && members.groups + members.others === 0;
}

/** How many people of a holder are in others, too; `through`: the ids of these. */
interface Shared {
  count: number;
  through: readonly string[];
}

/** The people behind a gain, a loss, or a grant whose end moves. */
export interface RowPeople extends Members {
  /**
   * People who keep what the holder loses, or already have what it gains, with the ids of the holders through
   * which they have it.
   */
  same: Shared;
  /** Further people who may keep it, or may have it already: a change of these holders isn't certain. */
  maybe: Shared;
  /** People who have the role directly; or why that is unknown, undefined if nobody asked. */
  direct: { count: number } | { reason: string | undefined };
  /** Other holders of the role whose people aren't known. */
  notCompared: number;
}

/** A row about who gains and who loses. */
export type Change = Pick<
  AccessEffect,
  "tenant" | "organization" | "role" | "holder" | "effect" | "forgotten" | "unless" | "ends"
>;

export function isChange(row: Pick<AccessEffect, "effect" | "forgotten">): boolean {
  return row.effect === "gains" || isLoss(row);
}

/** True if a row matters to people: who gains and who loses, and whose grant ends on another day. */
export function concernsPeople(row: Pick<AccessEffect, "effect" | "forgotten" | "ends">): boolean {
  return isChange(row) || row.ends !== undefined;
}

/** True if people lose the role, or have it for less time. */
export function hasLess(row: Pick<AccessEffect, "effect" | "forgotten" | "ends">): boolean {
  return isLoss(row) || row.ends === "earlier";
}

/**
 * Returns the people behind a row; undefined if they aren't known. `changes`: all on the tenant. `others`:
 * who has the role and doesn't change.
 */
export function peopleBehind(
  row: Change,
  changes: readonly Change[],
  others: readonly Edge[],
  membersOf: MembersOf,
): Omit<RowPeople, "direct"> | undefined {
  const members = membersOfHolder(row.holder, membersOf);
  if (members === undefined) return undefined;
  const ofRole = changes.filter((change) => roleKey(change) === roleKey(row));
  // People who also gain it by the same change don't lose it, and the other way round.
  const opposite = hasLess(row) ? "gains" : "loses";
  const moved = ofRole.filter(({ effect }) => effect === opposite);
  const open = ofRole.filter((one) => isOpen(one, row));
  const beside = new Map([...others, ...moved, ...open].map(({ holder }) => [holderKey(holder), holder]));
  const unsure = new Set(open.map(({ holder }) => holderKey(holder)));
  const all = [...beside.values()];
  const here = new Set(members.people);
  const sharedWith = (holders: readonly Holder[], but?: ReadonlySet<string>) => {
    const people = new Set<string>();
    const through = holders.filter((holder) => {
      const both = (membersOfHolder(holder, membersOf)?.people ?? []).filter(
        (person) => here.has(person) && but?.has(person) !== true,
      );
      for (const person of both) people.add(person);
      return both.length > 0;
    });
    return { people, shared: { count: people.size, through: through.map(holderId) } };
  };
  const same = sharedWith(all.filter((holder) => !unsure.has(holderKey(holder))));
  const maybe = sharedWith(
    all.filter((holder) => unsure.has(holderKey(holder))),
    same.people,
  );
  // People who weren't read may be in any of the other groups.
  const unknown = all.filter(
    (holder) => !isKnownWhole(members) || !isKnownWhole(membersOfHolder(holder, membersOf)),
  );
  return {
    ...members,
    same: same.shared,
    maybe: maybe.shared,
    notCompared: unknown.length,
  };
}

/** True if people may keep what a row takes, or already have what it gives, through this change. */
function isOpen({ effect, holder, unless }: Change, row: Change): boolean {
  if (unless === undefined || holderKey(holder) === holderKey(row.holder)) return false;
  return hasLess(row) ? effect !== "gains" : effect === "gains";
}
