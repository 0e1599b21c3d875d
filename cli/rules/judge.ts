import {
  type Edge,
  groupIn,
  type Holder,
  holderId,
  holderKey,
  isOfGroup,
  organizationsOf,
  type RoleAt,
  roleKey,
  roleOfKey,
} from "../../provider/access/edge";
import { endOf, type Grant, type Grants, groupedBy } from "../../provider/access/grants";
import { DAY_MS, endOfUntil, isPast, isWithin } from "../../provider/access/until";
import { type Sentence } from "../../provider/sentence";
import { compare, optional } from "../lists";
import { type Breach, breachBy, byKind, grantsOf } from "./breach";
import { type Exception, faultsOf, unusedIn, withExceptions } from "./exceptions";

/** Rules with ids in place of names. Roles are keys: of a role wherever it counts, or in an organization. */
export interface Rules {
  allow: RulesFor<Allowed>;
  conflicts: readonly Conflict[];
  ends: RulesFor<{ days: number; line: number }>;
  /** `forbidden`: the line that forbids people to have a role directly; undefined: they may. */
  direct: RulesFor<{ forbidden: number | undefined }>;
  /** By the key of a role, in its one place: the groups of which one must keep it. */
  require: ReadonlyMap<string, Required>;
  exceptions: readonly Exception[];
}

interface Required {
  groups: readonly string[];
  line: number;
}

/** One kind of rules. */
interface RulesFor<Rule> {
  byRole: ReadonlyMap<string, Rule>;
  /** For all other roles in an organization, or, by `undefined`, in any place without its own. */
  byPlace: ReadonlyMap<string | undefined, Rule>;
}

/** The groups that may have a role. */
interface Allowed {
  /** Those that the rule names. */
  groups: readonly string[];
  allows: (group: string) => boolean;
  /** Undefined for a default. */
  line?: number;
}

/** Any group. */
export const FREE: Allowed = { groups: [], allows: () => true };
/** None. */
export const CLOSED: Allowed = { groups: [], allows: () => false };

export function onlyGroups(groups: readonly string[]): Allowed {
  const all = new Set(groups);
  return { groups: [...all], allows: (group) => all.has(group) };
}

export interface Conflict {
  roles: readonly string[];
  line: number;
  /** True if one of the roles may be in an organization, and another one elsewhere. */
  anyContext: boolean;
}

/** Returns what the rules say of a role: in its organization, or else wherever it counts. */
function ruleFor<Rule>({ byRole, byPlace }: RulesFor<Rule>, at: RoleAt): Rule | undefined {
  const named = byRole.get(roleKey(at)) ?? byRole.get(at.role);
  return named ?? byPlace.get(at.organization) ?? byPlace.get(undefined);
}

/** Returns the line that forbids people to have a role directly; undefined if they may. */
export function lineAgainstDirect({ direct }: Rules, at: RoleAt): number | undefined {
  return ruleFor(direct, at)?.forbidden;
}

/** Returns the groups that rules name, each with the key of the role that it may have, or keeps. */
export function groupsNamed({ allow, require }: Rules): { role: string; group: string }[] {
  return [...allow.byRole, ...require].flatMap(([role, { groups }]) =>
    groups.map((group) => ({ role, group })),
  );
}

/** Returns the organizations that rules name, each once. */
export function organizationsNamed(rules: Rules): string[] {
  const { allow, conflicts, ends, direct, require, exceptions } = rules;
  const byRole = [allow, ends, direct];
  const places = byRole.flatMap(({ byPlace }) => [...byPlace.keys()]).filter((place) => place !== undefined);
  const keys = [
    ...byRole.flatMap((rule) => [...rule.byRole.keys()]),
    ...conflicts.flatMap(({ roles }) => roles),
    ...require.keys(),
    ...exceptions.flatMap((exception) => exception.keys),
  ];
  return [...new Set([...places, ...organizationsOf(keys)])];
}

/** True if a conflict of these roles, or of any, compares all organizations. */
export function concernsAll({ conflicts }: Pick<Rules, "conflicts">, keys?: readonly string[]): boolean {
  return conflicts.some(
    (conflict) =>
      conflict.anyContext &&
      conflict.roles.some((key) => roleOfKey(key).organization === undefined) &&
      (keys === undefined || isInConflict(conflict, keys)),
  );
}

/** True if a rule can be broken in an organization that nobody names. */
export function holdsAnywhere({ allow, conflicts, ends, direct }: Rules): boolean {
  const isAnywhere = (key: string) => roleOfKey(key).organization === undefined;
  const has = <Rule>({ byRole, byPlace }: RulesFor<Rule>, canBreak: (rule: Rule) => boolean) =>
    [...byRole].some(([key, rule]) => isAnywhere(key) && canBreak(rule)) ||
    optional(byPlace.get(undefined)).some(canBreak);
  return (
    has(allow, (rule) => rule.allows !== FREE.allows) ||
    has(ends, () => true) ||
    has(direct, ({ forbidden }) => forbidden !== undefined) ||
    conflicts.some(({ roles, anyContext }) => (anyContext ? roles.some(isAnywhere) : roles.every(isAnywhere)))
  );
}

/** Returns which of a conflict's roles one is; -1: none. No conflict names a role in one place and in any. */
function slotIn({ roles }: Conflict, at: RoleAt): number {
  const keys = [roleKey(at), at.role];
  return roles.findIndex((key) => keys.includes(key));
}

/** True if one of these roles is in a conflict. */
function isInConflict(conflict: Conflict, keys: readonly string[]): boolean {
  return keys.some((key) => slotIn(conflict, roleOfKey(key)) >= 0);
}

/** A breach on a tenant, with its sentence. */
export interface TenantBreach extends Breach {
  tenant: string | undefined;
  reason: Sentence;
  /** The exception that lets it pass, in words; empty if none does. */
  passing: Sentence;
}

export interface RulesVerdict {
  file: string;
  breaches: readonly TenantBreach[];
}

export interface Judged {
  /** Of one tenant, as the changes leave it. */
  before: Grants;
  after: Grants;
  /** A group's members; undefined if nobody asked, or there was no answer. */
  members?: (group: string) => ReadonlySet<string> | undefined;
  /** True for the key of a role of which it's known who has it. Default: it is known of all. */
  isRead?: (key: string) => boolean;
  /** What others have taken: it was there before, for a role that must be kept. */
  taken?: Grants | undefined;
  /** True if everything was read: then an exception without a breach is unused. Default: not all was. */
  isWhole?: boolean;
}

/** The organizations in which roles count; undefined, which comes first, for the tenant itself. */
export function placesIn(...all: readonly Grants[]): (string | undefined)[] {
  const organizations = all.flatMap((grants) => [...grants].map(({ organization }) => organization));
  return [...new Set([undefined, ...organizations])];
}

/**
 * Returns the breaches after a change, including those from before it. Each organization is judged alone: who
 * signs in through one has the roles assigned there, and no others. Only a conflict that says so compares
 * roles across them.
 */
export function breachesIn(rules: Rules, judged: Judged, moment: number): Breach[] {
  const { before, after, members, isWhole = false } = judged;
  const { exceptions } = rules;
  const people = (holder: Holder) => ("group" in holder ? members?.(holder.group) : new Set([holder.user]));
  const alone = { ...rules, conflicts: rules.conflicts.filter(({ anyContext }) => !anyContext) };
  const across = rules.conflicts.filter(({ anyContext }) => anyContext);
  const excepting = (breaches: Breach[]) => withExceptions(breaches, exceptions, moment);
  const inPlaces = placesIn(before, after).map((place) =>
    compared(before.in(place), after.in(place), people, (grants) =>
      excepting(breachesOf(alone, grants, people, moment)),
    ),
  );
  const acrossPlaces = compared(before, after, people, (grants) =>
    excepting(across.flatMap((conflict) => conflictsOf(conflict, grants, people))),
  );
  const all = [...inPlaces, acrossPlaces];
  const found = { before: all.flatMap((one) => one.before), after: all.flatMap((one) => one.after) };
  return [
    ...notKept(rules, judged, moment),
    ...found.after,
    ...faultsOf(exceptions, moment),
    ...unusedIn(exceptions, { ...found, isWhole }, moment),
  ].sort(byWeight);
}

/** Returns the breaches before and after a change, and of the latter, which are new. */
function compared(
  before: Grants,
  after: Grants,
  people: PeopleOf,
  breaches: (grants: Grants) => Breach[],
): Record<"before" | "after", Breach[]> {
  const was = breaches(before);
  const old = groupedBy(was, keyOf);
  const had = peopleOf(before, people);
  const isOld = (breach: Breach): boolean =>
    breach.rule !== "conflict" || breach.people === undefined
      ? (old.get(keyOf(breach))?.some((known) => excuses(known, breach)) ?? false)
      : breach.people.every((person) => breach.keys.every((key) => had(key).has(person)));
  return { before: was, after: breaches(after).map((breach) => ({ ...breach, isNew: !isOld(breach) })) };
}

/**
 * Returns the roles that none of their groups keeps. A grant that has ended keeps nothing, but whoever takes
 * it away takes the role from the last one who has it.
 */
function notKept({ require }: Rules, judged: Judged, moment: number): Breach[] {
  const { before, after, taken, isRead = () => true } = judged;
  return [...require].flatMap(([key, { groups, line }]) => {
    const had = [before, ...optional(taken)].flatMap((grants) => grantsTo(groups, key, grants));
    const isKept = grantsTo(groups, key, after).some((grant) => !isEnded(grant, moment));
    if (isKept || !isRead(key)) return [];
    const { organization, role } = roleOfKey(key);
    const by = had.flatMap((grant) => grant.by);
    const none = groups.flatMap((group) => grantsOf([key], { group }));
    const isNew = had.length > 0;
    return [breachBy("require", line, none, { organization, roles: [role], keys: [key], isNew, by })];
  });
}

/** Returns the grants of a role, by its key, to these groups. */
export function grantsTo(groups: readonly string[], key: string, grants: Grants): Grant[] {
  return grants
    .ofRole(roleOfKey(key).role)
    .filter((grant) => roleKey(grant) === key && groupIn(grant.holder).some((id) => groups.includes(id)));
}

export function isEnded(grant: Pick<Grant, "by">, moment: number): boolean {
  const until = endOf(grant);
  return until !== undefined && isPast(until, moment);
}

type PeopleOf = (holder: Holder) => ReadonlySet<string> | undefined;

/**
 * Returns the grants of those who have one of these roles, by their keys, directly. `direct`: by role, if it
 * is known.
 */
export function directGrants(
  roles: Iterable<string>,
  direct: (role: string) => ReadonlySet<string> | undefined,
): Grant[] {
  return [...new Set(roles)].flatMap((role) =>
    [...(direct(role) ?? [])].map((user) => ({ ...roleOfKey(role), holder: { user }, by: [] })),
  );
}

/** Identifies a breach before and after a change, which may have made it better or worse. */
function keyOf({ rule, line, roles, groups, people }: Breach): string {
  return JSON.stringify([rule, line, rule === "conflict" ? [] : roles, groups, people !== undefined]);
}

function excuses(old: Breach, breach: Breach): boolean {
  if (breach.rule === "end") return isWithin(breach.until, old.until);
  return (
    breach.keys.every((key) => old.keys.includes(key)) &&
    (breach.people ?? []).every((person) => old.people?.includes(person))
  );
}

/** Returns everyone who has a role, by its key, through any holder. */
function peopleOf(grants: Grants, people: PeopleOf): (key: string) => ReadonlySet<string> {
  const found = new Map<string, ReadonlySet<string>>();
  return (key) => {
    const { organization, role } = roleOfKey(key);
    const ofRole = () => grants.ofRole(role).filter((grant) => grant.organization === organization);
    const known = found.get(key) ?? new Set(ofRole().flatMap(({ holder }) => [...(people(holder) ?? [])]));
    found.set(key, known);
    return known;
  };
}

const WEIGHTS = {
  require: 0,
  allow: 1,
  conflict: 2,
  direct: 3,
  end: 4,
  exception: 5,
} as const satisfies Record<Breach["rule"], number>;

/** Sorts breaches, the worst first. */
export function byWeight(one: Breach, other: Breach): number {
  return (
    Number(other.isNew) - Number(one.isNew) ||
    Number(one.exception !== undefined) - Number(other.exception !== undefined) ||
    WEIGHTS[one.rule] - WEIGHTS[other.rule] ||
    compare(one.organization ?? "", other.organization ?? "") ||
    compare(orderOf(one), orderOf(other))
  );
}

function orderOf({ roles, groups, contexts = [] }: Breach): string {
  return JSON.stringify([roles, groups, ...contexts.map((place) => place ?? "")]);
}

function breachesOf(rules: Rules, grants: Grants, people: PeopleOf, moment: number): Breach[] {
  const [ofGroups, ofPeople] = byKind([...grants]);
  const direct = groupedBy(ofPeople, ({ role }) => role);
  return [
    ...[...direct.values()].flatMap((all) => hadDirectly(rules, all)),
    ...ofGroups.flatMap((grant) => [...notAllowed(rules, grant), ...withoutEnd(rules, grant, moment)]),
    ...rules.conflicts.flatMap((conflict) => conflictsOf(conflict, grants, people)),
  ];
}

/** `grants`: of people, to one role. */
function hadDirectly(rules: Rules, grants: readonly Grant[]): Breach[] {
  const people = grants.map(({ holder }) => holderId(holder)).sort(compare);
  const by = grants.flatMap((grant) => grant.by);
  return grants.slice(0, 1).flatMap((grant) => {
    const lines = optional(lineAgainstDirect(rules, grant));
    return lines.map((line) => breachBy("direct", line, [grant], { people, by }));
  });
}

/** True if a group may have a role. */
export function mayHave({ allow }: Rules, at: RoleAt, group: string): boolean {
  return (ruleFor(allow, at) ?? FREE).allows(group);
}

function notAllowed({ allow }: Rules, grant: Grant): Breach[] {
  const { allows, line } = ruleFor(allow, grant) ?? FREE;
  return groupIn(grant.holder).some(allows) ? [] : [breachBy("allow", line, [grant])];
}

function withoutEnd({ ends }: Rules, grant: Grant, moment: number): Breach[] {
  const rule = ruleFor(ends, grant);
  if (rule === undefined) return [];
  const until = endOf(grant);
  const isInTime = until !== undefined && beginOf(until) <= moment + rule.days * DAY_MS;
  return isInTime ? [] : [breachBy("end", rule.line, [grant], { until, days: rule.days })];
}

/** A day counts from its beginning: `in 30 days` is a date, whatever the time of day. */
function beginOf(until: string): number {
  const end = endOfUntil(until) ?? Infinity;
  return until.includes("T") ? end : end - DAY_MS;
}

function conflictsOf(conflict: Conflict, grants: Grants, people: PeopleOf): Breach[] {
  const inSet = grantsIn(conflict, grants);
  const [ofGroups, ofPeople] = byKind(inSet);
  const byGroup = [...groupedBy(ofGroups, ({ holder }) => holderKey(holder)).values()];
  const alone = byGroup.filter((all) => new Set(all.map(({ slot }) => slot)).size > 1);
  // Those who have a role directly are as a group that has this role alone.
  const directly = [...groupedBy(ofPeople, roleKey).values()];
  const ways = [
    ...byGroup.map((all) => ({ grants: all, holders: all.slice(0, 1) })),
    ...directly.map((all) => ({ grants: all.slice(0, 1), holders: all })),
  ];
  return [
    ...alone.map((all) => breachBy("conflict", conflict.line, all)),
    ...peopleWithTwo(
      conflict,
      ways.map((way, place) => wayOf(way, place, people)),
    ),
  ];
}

/** A grant of a conflict. `slot`: which of its roles it is. */
interface GrantInSet extends Grant {
  slot: number;
}

/** Returns the grants of a conflict's roles, in the order of the roles. */
function grantsIn(conflict: Conflict, grants: Grants): GrantInSet[] {
  return conflict.roles.flatMap((key, slot) =>
    grants
      .ofRole(roleOfKey(key).role)
      .filter((grant) => slotIn(conflict, grant) === slot)
      .map((grant) => ({ ...grant, slot })),
  );
}

/** A way to roles of a conflict: a group, or one of the roles directly. */
interface Way {
  place: number;
  grants: readonly GrantInSet[];
  /** Of the roles, in their places. */
  keys: ReadonlySet<string>;
  /** Equal for ways to the same roles. */
  keysText: string;
  people: ReadonlySet<string>;
}

function wayOf(
  { grants, holders }: { grants: readonly GrantInSet[]; holders: readonly Grant[] },
  place: number,
  peopleIn: PeopleOf,
): Way {
  const keys = new Set(grants.map(roleKey));
  const people = new Set(holders.flatMap(({ holder }) => [...(peopleIn(holder) ?? [])]));
  return { place, grants, keys, keysText: [...keys].sort(compare).join(" "), people };
}

/**
 * Returns people with one role of a conflict in one way, and another in another. It goes from people to pairs
 * of ways: nearly all pairs have nobody in common.
 */
function peopleWithTwo({ roles, line }: Conflict, ways: readonly Way[]): Breach[] {
  const byPerson = groupedBy(
    ways.flatMap((way) => [...way.people].map((person) => ({ person, way }))),
    ({ person }) => person,
  );
  const pairs = [...byPerson].flatMap(([person, all]) =>
    pairsOf(all.map(({ way }) => way)).map((pair) => ({ person, pair })),
  );
  const byPair = groupedBy(pairs, ({ pair }) => pair.map(({ place }) => place).join(" "));
  const rank = (grant: GrantInSet) => grant.slot + Number(!isOfGroup(grant)) * roles.length;
  return [...byPair.values()].flatMap((all) => {
    const people = all.map(({ person }) => person).sort(compare);
    return all
      .slice(0, 1)
      .flatMap(({ pair }) => apart(...pair))
      .map((two) =>
        breachBy(
          "conflict",
          line,
          two.sort((one, other) => rank(one) - rank(other)),
          { people },
        ),
      );
  });
}

/** Returns pairs of ways to different roles. */
function pairsOf(all: readonly Way[]): [Way, Way][] {
  return all.flatMap((way, index) =>
    all
      .slice(index + 1)
      .filter(({ keysText }) => keysText !== way.keysText)
      .map((other): [Way, Way] => [way, other]),
  );
}

/** Returns pairs of grants, each lacking to the other: a group with both is a breach of its own. */
function apart(way: Way, other: Way): [GrantInSet, GrantInSet][] {
  const second = other.grants.filter((grant) => !way.keys.has(roleKey(grant)));
  return way.grants
    .filter((grant) => !other.keys.has(roleKey(grant)))
    .flatMap((first) =>
      second
        .filter(({ slot }) => slot !== first.slot)
        .map((grant): [GrantInSet, GrantInSet] => [first, grant]),
    );
}

/** In a conflict with more groups, only the groups are compared, not their members: each costs a request. */
export const MOST_CONFLICT_GROUPS = 100;

/** A conflict with the groups whose people may have two of its roles. */
export interface GroupsInConflict {
  line: number;
  groups: readonly string[];
}

export function isCompared({ groups }: GroupsInConflict): boolean {
  return groups.length <= MOST_CONFLICT_GROUPS;
}

/** Returns the groups of each conflict of which a changed grant gives a role, those of such grants first. */
export function groupsInConflict(
  { conflicts }: Rules,
  grants: Grants,
  isChanged: (grant: Edge) => boolean,
): GroupsInConflict[] {
  const places = placesIn(grants).map((place) => grants.in(place));
  return conflicts.flatMap((conflict) =>
    (conflict.anyContext ? [grants] : places).map((here) => {
      const inSet = grantsIn(conflict, here);
      const [beside, besideChanged] = [besideIn(inSet), besideIn(inSet.filter(isChanged))];
      const changed = inSet.filter((grant) => isChanged(grant) && beside(grant));
      const groups = [...changed, ...inSet.filter(besideChanged)].flatMap(({ holder }) => groupIn(holder));
      return { line: conflict.line, groups: [...new Set(groups)] };
    }),
  );
}

/** Returns a test: true if another holder has another one of these roles. */
function besideIn(grants: readonly GrantInSet[]): (grant: GrantInSet) => boolean {
  const [bySlot, byHolder, byBoth] = [
    groupedBy(grants, ({ slot }) => String(slot)),
    groupedBy(grants, ({ holder }) => holderKey(holder)),
    groupedBy(grants, bothOf),
  ];
  return (grant) => {
    const same = [bySlot.get(String(grant.slot)), byHolder.get(holderKey(grant.holder))];
    const count = same.reduce((sum, all) => sum + (all?.length ?? 0), 0);
    return grants.length - count + (byBoth.get(bothOf(grant))?.length ?? 0) > 0;
  };
}

function bothOf({ slot, holder }: GrantInSet): string {
  return `${slot} ${holderKey(holder)}`;
}

/**
 * Returns the keys of roles in conflict with these. `organizations`: all that a conflict across organizations
 * compares.
 */
export function keysBeside(
  { conflicts }: Pick<Rules, "conflicts">,
  keys: readonly string[],
  organizations: readonly string[] = [],
): string[] {
  const given = keys.map(roleOfKey);
  const everywhere = [undefined, ...organizations, ...organizationsOf(keys)];
  const beside = conflictsWith(conflicts, keys).flatMap((conflict) => {
    const inSet = given.filter((at) => slotIn(conflict, at) >= 0);
    const slots = new Set(inSet.map((at) => slotIn(conflict, at)));
    const places = conflict.anyContext ? everywhere : inSet.map(({ organization }) => organization);
    // Roles of one slot conflict with those of the others.
    const isOther = (key: string) => slots.size > 1 || !slots.has(slotIn(conflict, roleOfKey(key)));
    return keysIn(conflict, places).filter(isOther);
  });
  const known = new Set(keys);
  return [...new Set(beside)].filter((key) => !known.has(key));
}

/** Returns the keys of a conflict's roles in some places; undefined: the tenant itself. */
export function keysIn({ roles, anyContext }: Conflict, places: readonly (string | undefined)[]): string[] {
  const all = roles.map(roleOfKey);
  const keys = [...new Set(places)].flatMap((place) =>
    all.flatMap(({ organization, role }) => {
      if (organization === undefined) return [roleKey({ organization: place, role })];
      return anyContext || organization === place ? [roleKey({ organization, role })] : [];
    }),
  );
  return [...new Set(keys)];
}

/** Returns the conflicts in which one of these roles is. */
export function conflictsWith(conflicts: readonly Conflict[], keys: readonly string[]): readonly Conflict[] {
  return conflicts.filter((conflict) => isInConflict(conflict, keys));
}
