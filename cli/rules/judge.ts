import {
  type Edge,
  edgeKey,
  type Holder,
  holderId,
  holderKey,
  roleKey,
  roleOfKey,
} from "../../provider/access/edge";
import { type Claim, endOf, type Grant, type Grants, groupedBy } from "../../provider/access/grants";
import { endOfUntil, isWithin } from "../../provider/access/until";
import { type Sentence } from "../../provider/sentence";
import { compare } from "../../provider/review/step";

/** Rules with ids in place of names. */
export interface Rules {
  isClosed: boolean;
  allow: ReadonlyMap<string, { groups: ReadonlySet<string> | "*"; line: number }>;
  conflicts: readonly { roles: readonly string[]; line: number }[];
  ends: ReadonlyMap<string, { days: number; line: number }>;
  /** `forbidden`: the line that forbids all other roles. */
  direct: {
    forbidden: number | undefined;
    roles: ReadonlyMap<string, { isForbidden: boolean; line: number }>;
  };
}

/** Returns the line that forbids people to have a role directly; undefined if they may. */
export function lineAgainstDirect({ direct }: Rules, role: string): number | undefined {
  const own = direct.roles.get(role);
  if (own === undefined) return direct.forbidden;
  return own.isForbidden ? own.line : undefined;
}

/** Returns the groups that rules name, each with the role that it may have. */
export function groupsAllowed({ allow }: Rules): { role: string; group: string }[] {
  return [...allow].flatMap(([role, { groups }]) =>
    groups === "*" ? [] : [...groups].map((group) => ({ role, group })),
  );
}

export interface Breach {
  /** Where the roles count; undefined: in the tenant itself. */
  organization?: string | undefined;
  rule: "allow" | "conflict" | "end" | "direct";
  /** The rule's line in its file; undefined if `default: closed` is the rule. */
  line: number | undefined;
  roles: readonly string[];
  groups: readonly string[];
  /** Those of the roles that the people have directly. */
  direct: readonly string[];
  /**
   * People with two roles of a conflict, not both through one group, or with a role directly; undefined if
   * the breach is one group's.
   */
  people: readonly string[] | undefined;
  until: string | undefined;
  /** For a role that must end: the most days ahead that are allowed. */
  days: number | undefined;
  isNew: boolean;
  /** Empty if somebody gave the roles by hand. */
  by: readonly Claim[];
}

/** A breach on a tenant, with its sentence. */
export interface TenantBreach extends Breach {
  tenant: string | undefined;
  reason: Sentence;
}

export interface RulesVerdict {
  file: string;
  breaches: readonly TenantBreach[];
}

/** Returns the fields that breaches share in the JSON of `review` and `access`. */
export function breachJson(
  { organization, rule, line, roles, groups, direct, people, until }: Breach,
  hasIds: boolean,
) {
  return {
    ...(organization !== undefined && { organization }),
    rule,
    rulesLine: line ?? null,
    roles: [...roles],
    groups: [...groups],
    ...(direct.length > 0 && { direct: [...direct] }),
    ...(people !== undefined && { people: { count: people.length, ...(hasIds && { ids: [...people] }) } }),
    ...(until !== undefined && { until }),
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Judged {
  /** Of one tenant, as the changes leave it. */
  before: Grants;
  after: Grants;
  /** A group's members; undefined if nobody asked, or there was no answer. */
  members?: (group: string) => ReadonlySet<string> | undefined;
}

/** The organizations in which roles count; undefined, which comes first, for the tenant itself. */
export function placesIn(...all: readonly Grants[]): (string | undefined)[] {
  const organizations = all.flatMap((grants) => [...grants].map(({ organization }) => organization));
  return [...new Set([undefined, ...organizations])];
}

/**
 * Returns the breaches after a change, including those from before it. Each organization is judged alone:
 * who signs in through one has the roles assigned there, and no others.
 */
export function breachesIn(rules: Rules, judged: Judged, moment: number): Breach[] {
  const { before, after } = judged;
  return placesIn(before, after)
    .flatMap((organization) => {
      const here = { ...judged, before: before.in(organization), after: after.in(organization) };
      const breaches = breachesInPlace(rules, here, moment);
      return organization === undefined ? breaches : breaches.map((breach) => ({ organization, ...breach }));
    })
    .sort(byWeight);
}

function breachesInPlace(rules: Rules, { before, after, members }: Judged, moment: number): Breach[] {
  const people = (holder: Holder) => ("group" in holder ? members?.(holder.group) : new Set([holder.user]));
  const old = groupedBy(breachesOf(rules, before, people, moment), keyOf);
  const had = peopleOf(before, people);
  const isOld = (breach: Breach): boolean =>
    breach.rule !== "conflict" || breach.people === undefined
      ? (old.get(keyOf(breach))?.some((known) => excuses(known, breach)) ?? false)
      : breach.people.every((person) => breach.roles.every((role) => had(role).has(person)));
  return breachesOf(rules, after, people, moment).map((breach) => ({ ...breach, isNew: !isOld(breach) }));
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
    breach.roles.every((role) => old.roles.includes(role)) &&
    (breach.people ?? []).every((person) => old.people?.includes(person))
  );
}

/** Returns everyone who has a role, through any holder. */
function peopleOf(grants: Grants, people: PeopleOf): (role: string) => ReadonlySet<string> {
  const found = new Map<string, ReadonlySet<string>>();
  return (role) => {
    const known =
      found.get(role) ?? new Set(grants.ofRole(role).flatMap(({ holder }) => [...(people(holder) ?? [])]));
    found.set(role, known);
    return known;
  };
}

const WEIGHTS = { allow: 0, conflict: 1, direct: 2, end: 3 } as const satisfies Record<
  Breach["rule"],
  number
>;

function byWeight(one: Breach, other: Breach): number {
  return (
    Number(other.isNew) - Number(one.isNew) ||
    WEIGHTS[one.rule] - WEIGHTS[other.rule] ||
    compare(one.organization ?? "", other.organization ?? "") ||
    compare(JSON.stringify([one.roles, one.groups]), JSON.stringify([other.roles, other.groups]))
  );
}

function breachesOf(rules: Rules, grants: Grants, people: PeopleOf, moment: number): Breach[] {
  const ofGroups = [...grants].filter(({ holder }) => "group" in holder);
  const direct = groupedBy(
    [...grants].filter(({ holder }) => "user" in holder),
    ({ role }) => role,
  );
  return [
    ...[...direct].flatMap(([role, all]) => heldDirectly(lineAgainstDirect(rules, role), all)),
    ...ofGroups.flatMap((grant) => [...notAllowed(rules, grant), ...withoutEnd(rules, grant, moment)]),
    ...rules.conflicts.flatMap((conflict) => conflictsOf(conflict, grants, people)),
  ];
}

function breachBy(
  rule: Breach["rule"],
  line: number | undefined,
  grants: readonly Grant[],
  more: Partial<Breach> = {},
): Breach {
  return {
    rule,
    line,
    roles: grants.map(({ role }) => role),
    groups: [...new Set(grants.flatMap(({ holder }) => groupIn(holder)))],
    direct: grants.filter(({ holder }) => "user" in holder).map(({ role }) => role),
    people: undefined,
    until: undefined,
    days: undefined,
    isNew: true,
    by: grants.flatMap(({ by }) => by),
    ...more,
  };
}

function groupIn(holder: Holder): string[] {
  return "group" in holder ? [holder.group] : [];
}

function heldDirectly(line: number | undefined, grants: readonly Grant[]): Breach[] {
  if (line === undefined) return [];
  const people = grants.map(({ holder }) => holderId(holder)).sort(compare);
  const by = grants.flatMap((grant) => grant.by);
  return [breachBy("direct", line, grants.slice(0, 1), { people, by })];
}

function notAllowed({ allow, isClosed }: Rules, grant: Grant): Breach[] {
  const rule = allow.get(grant.role);
  if (rule === undefined) return isClosed ? [breachBy("allow", undefined, [grant])] : [];
  const { holder } = grant;
  const isAllowed = rule.groups === "*" || ("group" in holder && rule.groups.has(holder.group));
  return isAllowed ? [] : [breachBy("allow", rule.line, [grant])];
}

function withoutEnd({ ends }: Rules, grant: Grant, moment: number): Breach[] {
  const rule = ends.get(grant.role);
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

type Conflict = Rules["conflicts"][number];

function conflictsOf(conflict: Conflict, grants: Grants, people: PeopleOf): Breach[] {
  const inSet = grantsIn(conflict, grants);
  const ofGroups = inSet.filter(({ holder }) => "group" in holder);
  const byGroup = [...groupedBy(ofGroups, ({ holder }) => holderKey(holder)).values()];
  const alone = byGroup.filter(({ length }) => length > 1);
  // Those who have a role directly are as a group that has this role alone.
  const directly = conflict.roles.map((role) => grants.ofRole(role).filter(({ holder }) => "user" in holder));
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

function grantsIn({ roles }: Conflict, grants: Grants): Grant[] {
  return roles.flatMap((role) => grants.ofRole(role));
}

/** A way to roles of a conflict: a group, or one of the roles directly. */
interface Way {
  place: number;
  grants: readonly Grant[];
  roles: ReadonlySet<string>;
  /** Equal for ways to the same roles. */
  rolesKey: string;
  people: ReadonlySet<string>;
}

function wayOf(
  { grants, holders }: { grants: readonly Grant[]; holders: readonly Grant[] },
  place: number,
  peopleIn: PeopleOf,
): Way {
  const roles = new Set(grants.map(({ role }) => role));
  const people = new Set(holders.flatMap(({ holder }) => [...(peopleIn(holder) ?? [])]));
  return { place, grants, roles, rolesKey: [...roles].sort(compare).join(" "), people };
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
  const rank = ({ role, holder }: Grant) => roles.indexOf(role) + ("user" in holder ? roles.length : 0);
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
  return all.flatMap((one, index) =>
    all
      .slice(index + 1)
      .filter(({ rolesKey }) => rolesKey !== one.rolesKey)
      .map((other): [Way, Way] => [one, other]),
  );
}

/** Returns pairs of grants, each lacking to the other: a group with both is a breach of its own. */
function apart(one: Way, other: Way): [Grant, Grant][] {
  const second = other.grants.filter(({ role }) => !one.roles.has(role));
  return one.grants
    .filter(({ role }) => !other.roles.has(role))
    .flatMap((first) => second.map((grant): [Grant, Grant] => [first, grant]));
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
  return conflicts.map((conflict) => {
    const inSet = grantsIn(conflict, grants);
    const [beside, besideChanged] = [besideIn(inSet), besideIn(inSet.filter(isChanged))];
    const changed = inSet.filter((grant) => isChanged(grant) && beside(grant));
    const groups = [...changed, ...inSet.filter(besideChanged)].flatMap(({ holder }) => groupIn(holder));
    return { line: conflict.line, groups: [...new Set(groups)] };
  });
}

/** Returns a test: true if another holder has another one of these roles. */
function besideIn(grants: readonly Grant[]): (grant: Grant) => boolean {
  const [byRole, byHolder] = [
    groupedBy(grants, ({ role }) => role),
    groupedBy(grants, ({ holder }) => holderKey(holder)),
  ];
  const edges = new Set(grants.map(edgeKey));
  return (grant) => {
    const same = [byRole.get(grant.role), byHolder.get(holderKey(grant.holder))];
    const count = same.reduce((sum, all) => sum + (all?.length ?? 0), 0);
    return grants.length - count + (edges.has(edgeKey(grant)) ? 1 : 0) > 0;
  };
}

/** The same for keys of roles: conflicts are judged in each organization alone. */
export function keysBeside(rules: Rules, keys: readonly string[]): string[] {
  const byPlace = groupedBy(keys.map(roleOfKey), ({ organization = "" }) => organization);
  return [...byPlace.values()].flatMap((all) => {
    const beside = rolesBeside(
      rules,
      all.map(({ role }) => role),
    );
    return beside.map((role) => roleKey({ organization: all[0]?.organization, role }));
  });
}

/** Returns the roles in conflict with one of these. */
export function rolesBeside({ conflicts }: Rules, roles: readonly string[]): string[] {
  const beside = conflicts
    .filter((conflict) => conflict.roles.some((role) => roles.includes(role)))
    .flatMap((conflict) => conflict.roles);
  return [...new Set(beside)].filter((role) => !roles.includes(role));
}
