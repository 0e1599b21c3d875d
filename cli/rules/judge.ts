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
  /** Those of the roles that the people have directly. */
  direct: readonly string[];
  /** People with two roles of a conflict, not both through one group; undefined if one group has both. */
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
export function breachJson({ rule, line, roles, groups, direct, people, until }: Breach, hasIds: boolean) {
  return {
    rule,
    rulesLine: line ?? null,
    roles: [...roles],
    groups: [...groups],
    ...(direct.length > 0 && { direct: [...direct] }),
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
  /** Who has a role directly, before and after; undefined if nobody asked, or there was no answer. */
  direct?: (role: string) => ReadonlySet<string> | undefined;
}

type People = Pick<Judged, "members" | "direct">;

/** In a conflict, those who have a role directly are a group that has this role alone. */
const DIRECTLY = "directly ";

function isDirect({ group }: Pick<Grant, "group">): boolean {
  return group.startsWith(DIRECTLY);
}

/** The grants that stand for people who have one of these roles directly. */
export function directGrants(roles: readonly string[], direct: Judged["direct"]): Grant[] {
  const held = [...new Set(roles)].filter((role) => (direct?.(role)?.size ?? 0) > 0);
  return held.map((role) => ({ role, group: DIRECTLY + role, until: undefined, by: [] }));
}

function holdersOf(grant: Grant, { members, direct }: People): ReadonlySet<string> | undefined {
  return isDirect(grant) ? direct?.(grant.role) : members?.(grant.group);
}

/** Returns the breaches after a change, including those from before it. */
export function breachesIn(rules: Rules, { before, after, ...people }: Judged, moment: number): Breach[] {
  const old = new Map<string, Breach[]>();
  for (const breach of breachesOf(rules, before, people, moment))
    old.set(keyOf(breach), [...(old.get(keyOf(breach)) ?? []), breach]);
  const had = peopleOf(before, people);
  const isOld = (breach: Breach): boolean => {
    const { people: found, roles } = breach;
    if (found !== undefined) return found.every((person) => roles.every((role) => had(role).has(person)));
    return old.get(keyOf(breach))?.some((one) => excuses(one, breach)) === true;
  };
  return breachesOf(rules, after, people, moment)
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

/** Returns everyone who has a role, through any group or directly. */
function peopleOf(
  grants: readonly Grant[],
  { members, direct }: People,
): (role: string) => ReadonlySet<string> {
  const found = new Map<string, ReadonlySet<string>>();
  return (role) => {
    const groups = grants.filter((grant) => grant.role === role).map(({ group }) => group);
    const people =
      found.get(role) ??
      new Set([...groups.flatMap((group) => [...(members?.(group) ?? [])]), ...(direct?.(role) ?? [])]);
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

function breachesOf(rules: Rules, grants: readonly Grant[], people: People, moment: number): Breach[] {
  return [
    ...grants.flatMap((grant) => [...notAllowed(rules, grant), ...withoutEnd(rules, grant, moment)]),
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
    groups: [...new Set(grants.filter((grant) => !isDirect(grant)).map(({ group }) => group))],
    direct: grants.filter(isDirect).map(({ role }) => role),
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
  people: People,
): Breach[] {
  const inSet = roles.flatMap((role) => grants.filter((grant) => grant.role === role));
  const byGroup = new Map<string, Grant[]>();
  for (const grant of inSet) byGroup.set(grant.group, [...(byGroup.get(grant.group) ?? []), grant]);
  const ofGroups = [...byGroup.values()]
    .filter(({ length }) => length > 1)
    .map((both) => breachBy("conflict", line, both));
  return [...ofGroups, ...peopleWithTwo([...inSet, ...directGrants(roles, people.direct)], line, people)];
}

/** Returns people with two roles of a conflict: through two groups, through one and directly, or directly. */
function peopleWithTwo(inSet: readonly Grant[], line: number, known: People): Breach[] {
  const has = new Set(inSet.map(edgeKey));
  return pairsOf(inSet).flatMap(([one, other]) => {
    // A group with both is a breach of its own, including all its people.
    const crossed = [
      { ...one, group: other.group },
      { ...other, group: one.group },
    ];
    if (crossed.some((edge) => has.has(edgeKey(edge)))) return [];
    const [some, others] = [holdersOf(one, known), holdersOf(other, known)];
    const people = [...(some ?? [])].filter((id) => others?.has(id) === true).sort(compare);
    return people.length === 0 ? [] : [breachBy("conflict", line, [one, other], { people })];
  });
}

/** Pairs of grants of two roles, not to one group. */
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
        .filter(
          (other) => !isDirect(one) && changed(one) && other.role !== one.role && other.group !== one.group,
        )
        .flatMap((other) => [one.group, other.group]),
    );
    return { line, groups: [...new Set(pairs)].filter((group) => !isDirect({ group })) };
  });
}

/** Returns the roles in conflict with one of these. */
export function rolesBeside({ conflicts }: Rules, roles: readonly string[]): string[] {
  const beside = conflicts
    .filter((conflict) => conflict.roles.some((role) => roles.includes(role)))
    .flatMap((conflict) => conflict.roles);
  return [...new Set(beside)].filter((role) => !roles.includes(role));
}
