import { endOfUntil, isWithin } from "../../provider/resources/role-group-assignment/until";
import { type Place, type Sentence } from "../../provider/review/sentence";
import { compare } from "../../provider/review/step";

/** Rules with ids in place of names. */
export interface Rules {
  isClosed: boolean;
  allow: ReadonlyMap<string, { groups: ReadonlySet<string> | "*"; line: number }>;
  conflicts: readonly { roles: readonly string[]; line: number }[];
  ends: ReadonlyMap<string, { days: number; line: number }>;
}

/** The assignment that gives a group its role. */
export interface Giver {
  stack: string | undefined;
  name: string;
  line: Place | undefined;
}

/** A role that a group has. */
export interface Grant {
  role: string;
  group: string;
  /** When it ends; undefined without an end. */
  until: string | undefined;
  by: readonly Giver[];
}

export interface Breach {
  rule: "allow" | "conflict" | "end";
  /** The rule's line in its file; undefined if `default: closed` is the rule. */
  line: number | undefined;
  roles: readonly string[];
  groups: readonly string[];
  /** People with two roles of a conflict through two groups; undefined if one group has both. */
  people: readonly string[] | undefined;
  until: string | undefined;
  /** For a role that must end: the most days ahead that are allowed. */
  days: number | undefined;
  isNew: boolean;
  by: readonly Giver[];
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
export function breachJson({ rule, line, roles, groups, people, until }: Breach, hasIds: boolean) {
  return {
    rule,
    rulesLine: line ?? null,
    roles: [...roles],
    groups: [...groups],
    ...(people !== undefined && { people: { count: people.length, ...(hasIds && { ids: [...people] }) } }),
    ...(until !== undefined && { until }),
  };
}

/** A key for a group's role. */
export function edgeKey({ role, group }: Pick<Grant, "role" | "group">): string {
  return `${role} ${group}`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Judged {
  before: readonly Grant[];
  after: readonly Grant[];
  /** A group's members; undefined if nobody asked, or there was no answer. */
  members?: (group: string) => ReadonlySet<string> | undefined;
}

/** Returns the breaches after a change, including those from before it. */
export function breachesIn(rules: Rules, { before, after, members }: Judged, moment: number): Breach[] {
  const old = new Map<string, Breach[]>();
  for (const breach of breachesOf(rules, before, members, moment))
    old.set(keyOf(breach), [...(old.get(keyOf(breach)) ?? []), breach]);
  const had = peopleOf(before, members);
  const isOld = (breach: Breach): boolean => {
    const { people, roles } = breach;
    if (people !== undefined) return people.every((person) => roles.every((role) => had(role).has(person)));
    return old.get(keyOf(breach))?.some((one) => excuses(one, breach)) === true;
  };
  return breachesOf(rules, after, members, moment)
    .map((breach) => ({ ...breach, isNew: !isOld(breach) }))
    .sort(byWeight);
}

/** Identifies a breach before and after a change, which may have made it better or worse. */
function keyOf({ rule, line, roles, groups, people }: Breach): string {
  return JSON.stringify([rule, line, rule === "conflict" ? [] : roles, groups, people !== undefined]);
}

function excuses(old: Breach, breach: Breach): boolean {
  if (breach.rule === "end") return isWithin(breach.until, old.until);
  return breach.roles.every((role) => old.roles.includes(role));
}

/** Returns everyone who has a role, through any group. */
function peopleOf(
  grants: readonly Grant[],
  members: Judged["members"],
): (role: string) => ReadonlySet<string> {
  const found = new Map<string, ReadonlySet<string>>();
  return (role) => {
    const groups = grants.filter((grant) => grant.role === role).map(({ group }) => group);
    const people = found.get(role) ?? new Set(groups.flatMap((group) => [...(members?.(group) ?? [])]));
    found.set(role, people);
    return people;
  };
}

const WEIGHTS = { allow: 0, conflict: 1, end: 2 } as const satisfies Record<Breach["rule"], number>;

function byWeight(one: Breach, other: Breach): number {
  return (
    Number(other.isNew) - Number(one.isNew) ||
    WEIGHTS[one.rule] - WEIGHTS[other.rule] ||
    compare(JSON.stringify([one.roles, one.groups]), JSON.stringify([other.roles, other.groups]))
  );
}

function breachesOf(
  rules: Rules,
  grants: readonly Grant[],
  members: Judged["members"],
  moment: number,
): Breach[] {
  return [
    ...grants.flatMap((grant) => [...notAllowed(rules, grant), ...withoutEnd(rules, grant, moment)]),
    ...rules.conflicts.flatMap((conflict) => conflictsOf(conflict, grants, members)),
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
    groups: [...new Set(grants.map(({ group }) => group))],
    people: undefined,
    until: undefined,
    days: undefined,
    isNew: true,
    by: grants.flatMap(({ by }) => by),
    ...more,
  };
}

function notAllowed({ allow, isClosed }: Rules, grant: Grant): Breach[] {
  const rule = allow.get(grant.role);
  if (rule === undefined) return isClosed ? [breachBy("allow", undefined, [grant])] : [];
  const isAllowed = rule.groups === "*" || rule.groups.has(grant.group);
  return isAllowed ? [] : [breachBy("allow", rule.line, [grant])];
}

function withoutEnd({ ends }: Rules, grant: Grant, moment: number): Breach[] {
  const rule = ends.get(grant.role);
  if (rule === undefined) return [];
  const { until } = grant;
  const isInTime = until !== undefined && beginOf(until) <= moment + rule.days * DAY_MS;
  return isInTime ? [] : [breachBy("end", rule.line, [grant], { until, days: rule.days })];
}

/** A day counts from its beginning: `in 30 days` is a date, whatever the time of day. */
function beginOf(until: string): number {
  const end = endOfUntil(until) ?? Infinity;
  return until.includes("T") ? end : end - DAY_MS;
}

function conflictsOf(
  { roles, line }: Rules["conflicts"][number],
  grants: readonly Grant[],
  members: Judged["members"],
): Breach[] {
  const inSet = roles.flatMap((role) => grants.filter((grant) => grant.role === role));
  const byGroup = new Map<string, Grant[]>();
  for (const grant of inSet) byGroup.set(grant.group, [...(byGroup.get(grant.group) ?? []), grant]);
  const ofGroups = [...byGroup.values()]
    .filter(({ length }) => length > 1)
    .map((both) => breachBy("conflict", line, both));
  return [...ofGroups, ...peopleWithTwo(inSet, line, members)];
}

/** Returns people with one role of a conflict through one group, and another through another group. */
function peopleWithTwo(inSet: readonly Grant[], line: number, members: Judged["members"]): Breach[] {
  if (members === undefined) return [];
  const has = new Set(inSet.map(edgeKey));
  return pairsOf(inSet).flatMap(([one, other]) => {
    // A group with both is a breach of its own, including all its people.
    const crossed = [
      { ...one, group: other.group },
      { ...other, group: one.group },
    ];
    if (crossed.some((edge) => has.has(edgeKey(edge)))) return [];
    const [some, others] = [members(one.group), members(other.group)];
    const people = [...(some ?? [])].filter((id) => others?.has(id) === true).sort(compare);
    return people.length === 0 ? [] : [breachBy("conflict", line, [one, other], { people })];
  });
}

/** Pairs of grants of two roles to two groups. */
export function pairsOf(grants: readonly Grant[]): [Grant, Grant][] {
  return grants.flatMap((one, index) =>
    grants
      .slice(index + 1)
      .filter((other) => other.role !== one.role && other.group !== one.group)
      .map((other): [Grant, Grant] => [one, other]),
  );
}

/** A conflict with the groups whose people may have two of its roles. */
export interface GroupsInConflict {
  line: number;
  groups: readonly string[];
}

/** Returns the groups of each conflict of which a grant of `changed` gives a role. */
export function groupsInConflict(
  { conflicts }: Rules,
  grants: readonly Pick<Grant, "role" | "group">[],
  changed: (grant: Pick<Grant, "role" | "group">) => boolean,
): GroupsInConflict[] {
  return conflicts.map(({ roles, line }) => {
    const inSet = grants.filter(({ role }) => roles.includes(role));
    const pairs = inSet.flatMap((one) =>
      inSet
        .filter((other) => changed(one) && other.role !== one.role && other.group !== one.group)
        .flatMap((other) => [one.group, other.group]),
    );
    return { line, groups: [...new Set(pairs)] };
  });
}

/** Returns the roles in conflict with one of these. */
export function rolesBeside({ conflicts }: Rules, roles: readonly string[]): string[] {
  const beside = conflicts
    .filter((conflict) => conflict.roles.some((role) => roles.includes(role)))
    .flatMap((conflict) => conflict.roles);
  return [...new Set(beside)].filter((role) => !roles.includes(role));
}
