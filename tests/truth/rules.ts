import { type AccessJson } from "../../cli/access/model";
import { type ReviewJson } from "../../provider/review/model";
import { type Violation } from "./claims";
import {
  assignedRole,
  breachesInPlaces,
  isAssignment,
  organizationOf,
  type Records,
  roleIn,
  rolesIn,
} from "./places";
import { type Known } from "../../testkit/worlds/stage";
import { type Edge } from "../../testkit/worlds/universe";
import { type RulesText } from "../../testkit/worlds/world";

/*
 * The breaches of rules that a review and `access` must report, derived from tenants and states. Nothing here
 * knows how the package judges rules.
 */

/** What a tenant has at a moment, as far as somebody who judges it can know. */
export interface Standing {
  /** By role: its groups. */
  groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** By edge: when it ends; no entry if it never does. */
  ends: ReadonlyMap<string, string>;
  /** Edges that assignments with secret groups may have given: nobody knows their end. */
  hidden: (edge: Edge) => boolean;
  /** By person: the groups, and the roles without a group. */
  people: ReadonlyMap<string, { groups: readonly string[]; direct: readonly string[] }>;
}

const keyOf = ({ role, group }: Edge) => `${role} ${group}`;

/** `isKnown`: false for an edge that the one who judges can't know. `isDirectKnown`: for direct roles. */
export function standingOf(
  records: Records,
  known: readonly Known[],
  isKnown: (edge: Edge) => boolean = () => true,
  isDirectKnown: (role: string, person: string) => boolean = () => true,
): Standing {
  const roles = rolesIn(records);
  const groups = new Map(
    roles.map(
      ({ id: role, groups: has }) =>
        [role, new Set(has.filter((group) => isKnown({ role, group })))] as const,
    ),
  );
  const directOf = (person: string) =>
    roles
      .filter(({ id, people }) => people.includes(person) && isDirectKnown(id, person))
      .map(({ id }) => id);
  const ends = new Map<string, string>();
  const endless = new Set<string>();
  const secret = new Set<string>();
  for (const { role, group, until, isSecret } of listedIn(known)) {
    const key = keyOf({ role, group });
    if (isSecret) secret.add(key);
    else if (until === undefined) endless.add(key);
    else if (momentOf(until) >= momentOf(ends.get(key) ?? until)) ends.set(key, until);
  }
  for (const key of endless) ends.delete(key);
  return {
    groups,
    ends,
    hidden: (edge) => secret.has(keyOf(edge)),
    people: new Map(
      records.users.map(({ user_id: person, groups: own = [] }) => [
        person,
        { groups: own, direct: directOf(person) },
      ]),
    ),
  };
}

interface Listed extends Edge {
  until: string | undefined;
  isSecret: boolean;
}

/** If one of these is a secret, nobody knows what an assignment grants. */
const HIDING = new Set<string | number>(["groupIds", "roleId", "organizationId"]);

/** Returns what assignments in state list. */
export function listedIn(known: readonly Known[]): Listed[] {
  return known.flatMap(({ state: { kind, external, pendingReplacement, outputs, secrets } }) => {
    if (!isAssignment(kind) || external || pendingReplacement) return [];
    const { groupIds, until } = outputs;
    const isSecret = secrets.some(([key]) => key !== undefined && HIDING.has(key));
    return textsIn(groupIds).map((group) => ({
      role: assignedRole(outputs) ?? "",
      group,
      until: typeof until === "string" ? until : undefined,
      isSecret,
    }));
  });
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** A day ends at midnight. */
export function momentOf(until: string): number {
  return Date.parse(until.length === 10 ? `${until}T23:59:59.999Z` : until);
}

const DAY_MS = 24 * 60 * 60 * 1000;

export class Judge {
  constructor(
    private readonly rules: RulesText,
    private readonly moment: number,
  ) {}

  isNotAllowed({ role, group }: Edge): boolean {
    const { own, name, general } = this.#rulesOf(role);
    const allowed = own.allow?.[name] ?? general.allow[name];
    if (allowed === undefined) return (own.default ?? general.default) === "closed";
    return allowed !== "*" && !allowed.includes(group);
  }

  isTooLong({ role }: Edge, until: string | undefined): boolean {
    const { own, name, general } = this.#rulesOf(role);
    const days = own.end?.[name] ?? general.end[name];
    return days !== undefined && (until === undefined || Date.parse(until) > this.moment + days * DAY_MS);
  }

  isForbiddenDirectly(role: string): boolean {
    const { own, name, general } = this.#rulesOf(role);
    const ofRole = own.direct?.[name] ?? general.direct[name];
    return (ofRole ?? own.direct?.["default"] ?? general.direct["default"]) === "forbid";
  }

  /** The lines of a role's organization win. */
  #rulesOf(role: string): { own: Partial<OrganizationRules>; name: string; general: RulesText } {
    const own = this.rules.organizations[organizationOf(role) ?? ""] ?? {};
    return { own, name: role.split("/").at(-1) ?? "", general: this.rules };
  }

  /** By role: the groups of which one must keep it. General lines are about the tenant itself. */
  required(): Map<string, readonly string[]> {
    const { require = {}, organizations } = this.rules;
    const there = Object.entries(organizations).flatMap(([place, own]) =>
      Object.entries(own.require ?? {}).map(([role, groups]) => [roleIn(place, role), groups] as const),
    );
    return new Map([...Object.entries(require), ...there]);
  }

  /** Returns the groups that keep a role, of those that are to. */
  keepers(role: string, groups: readonly string[], { groups: has, ends }: Standing): string[] {
    const isOver = (group: string) => {
      const until = ends.get(keyOf({ role, group }));
      return until !== undefined && momentOf(until) <= this.moment;
    };
    return groups.filter((group) => has.get(role)?.has(group) === true && !isOver(group));
  }

  /** True if no one may have all of these roles, which may be more than a conflict has, in several places. */
  areApart(roles: readonly string[]): boolean {
    const isInOne = new Set(roles.map(organizationOf)).size === 1;
    return this.rules.conflicts.some(({ roles: all, anyContext }) => {
      if (!anyContext && !isInOne) return false;
      const slots = roles.map((role) => slotsOf(role, all));
      const several = roles.some((_, place) =>
        roles.some(
          (_other, at) =>
            at !== place && slots[place]?.some((slot) => slots[at]?.some((other) => other !== slot)),
        ),
      );
      return several && slots.every(({ length }) => length > 0);
    });
  }

  /** Pairs of these roles that nobody may have together. */
  pairs(all: readonly string[]): [string, string][] {
    const isInOne = (role: string) =>
      this.rules.conflicts.some((conflict) => slotsOf(role, conflict.roles).length > 0);
    const roles = all.filter(isInOne).sort();
    return roles.flatMap((one, place) =>
      roles
        .slice(place + 1)
        .filter((other) => this.areApart([one, other]))
        .map((other): [string, string] => [one, other]),
    );
  }
}

type OrganizationRules = RulesText["organizations"][string];

/** Returns the places of a conflict that cover a role. */
function slotsOf(role: string, roles: RulesText["conflicts"][number]["roles"]): number[] {
  return roles.flatMap((ruled, slot) => {
    const isIt =
      typeof ruled === "string"
        ? ruled === role.split("/").at(-1)
        : roleIn(ruled.organization, ruled.role) === role;
    return isIt ? [slot] : [];
  });
}

/** A reported breach, by a review or by `access`. */
export type Said = Pick<
  NonNullable<AccessJson["rules"]>["breaches"][number],
  "rule" | "roles" | "groups" | "direct" | "people" | "until"
>;

const has = ({ groups }: Standing, role: string, group: string) => groups.get(role)?.has(group) === true;

function hasDirectly({ people }: Standing, person: string, role: string): boolean {
  return people.get(person)?.direct.includes(role) === true;
}

/** True if a person has a role directly, or through any group. */
function hasRole(standing: Standing, person: string, role: string): boolean {
  const { groups = [] } = standing.people.get(person) ?? {};
  return hasDirectly(standing, person, role) || groups.some((group) => has(standing, role, group));
}

/** Returns why a reported breach is none; undefined if it is one. */
export function whyNone(said: Said, judge: Judge, standing: Standing): string | undefined {
  const { rule, roles, groups, people, direct = [] } = said;
  const [[role = ""], [group = ""]] = [roles, groups];
  if (people !== undefined) {
    const { ids = [] } = people;
    if (ids.length !== people.count || ids.length === 0) return `it names ${ids.length} of ${people.count}`;
    const missing = ids.filter((person) => !roles.every((one) => hasRole(standing, person, one)));
    if (missing.length > 0) return `${missing.join(", ")} lack a role`;
    // These are given without their places.
    const hasOne = (person: string, role: string) =>
      roles.some((at) => at.split("/").at(-1) === role && hasDirectly(standing, person, at));
    const lacking = ids.filter((person) => !direct.every((one) => hasOne(person, one)));
    if (lacking.length > 0) return `${lacking.join(", ")} don't have ${direct.join(", ")} directly`;
    if (rule === "direct") return judge.isForbiddenDirectly(role) ? undefined : "it is allowed directly";
    return judge.areApart(roles) ? undefined : "the roles are no conflict";
  }
  if (rule === "require") {
    const named = judge.required().get(role) ?? [];
    if ([...named].sort().join() !== [...groups].sort().join()) return `${named.join(", ")} keep it`;
    const keepers = judge
      .keepers(role, groups, standing)
      .filter((one) => !standing.hidden({ role, group: one }));
    return keepers.length === 0 ? undefined : `${keepers.join(", ")} keeps it`;
  }
  const lacking = roles.filter((one) => !has(standing, one, group));
  if (lacking.length > 0) return `the group lacks ${lacking.join(", ")}`;
  if (rule === "allow") return judge.isNotAllowed({ role, group }) ? undefined : "it is allowed";
  if (rule === "conflict") return judge.areApart(roles) ? undefined : "the roles are no conflict";
  if (standing.hidden({ role, group })) return undefined;
  const until = standing.ends.get(keyOf({ role, group }));
  if (until !== said.until) return `the grant ends ${until ?? "never"}`;
  return judge.isTooLong({ role, group }, until) ? undefined : "it ends in time";
}

/** Returns whether a breach was there before, and was as bad. */
function wasThere({ rule, roles, groups, people, until }: Said, judge: Judge, before: Standing): boolean {
  if (people !== undefined) {
    const had = rule === "direct" ? hasDirectly : hasRole;
    return (people.ids ?? []).every((person) => roles.every((role) => had(before, person, role)));
  }
  const [[role = ""], [group = ""]] = [roles, groups];
  if (rule === "require") return !groups.some((one) => has(before, role, one));
  if (!roles.every((one) => has(before, one, group))) return false;
  if (rule !== "end") return true;
  const old = before.ends.get(keyOf({ role, group }));
  if (!judge.isTooLong({ role, group }, old)) return false;
  return old === undefined || (until !== undefined && momentOf(until) <= momentOf(old));
}

/** A breach that somebody must report, with the edges that it comes from. */
interface Missing {
  text: string;
  edges: Edge[];
  isOfRequire?: true;
}

/** Returns the breaches that nobody reported. */
export function unsaidIn(said: readonly Said[], judge: Judge, standing: Standing): Missing[] {
  const edges = [...standing.groups].flatMap(([role, groups]) =>
    [...groups].map((group): Edge => ({ role, group })),
  );
  const isSaid = (rule: Said["rule"], { role, group }: Edge) =>
    said.some((one) => one.rule === rule && one.roles[0] === role && one.groups[0] === group);
  const alone = edges.flatMap((edge): Missing[] => [
    ...(judge.isNotAllowed(edge) && !isSaid("allow", edge)
      ? [{ text: `${keyOf(edge)} is not allowed`, edges: [edge] }]
      : []),
    ...(!standing.hidden(edge) &&
    judge.isTooLong(edge, standing.ends.get(keyOf(edge))) &&
    !isSaid("end", edge)
      ? [{ text: `${keyOf(edge)} does not end in time`, edges: [edge] }]
      : []),
  ]);
  const conflicts = said.filter(({ rule }) => rule === "conflict");
  const ofGroups = (group: string, pair: readonly string[]) =>
    conflicts.some(
      ({ roles, groups, people }) =>
        people === undefined && groups[0] === group && pair.every((role) => roles.includes(role)),
    );
  const directRoles = [...standing.people.values()].flatMap(({ direct }) => direct);
  const allRoles = [...new Set([...standing.groups.keys(), ...directRoles])];
  const holders = new Map<string, string[]>();
  const holdersOf = (role: string) => {
    const found =
      holders.get(role) ?? [...standing.people.keys()].filter((person) => hasRole(standing, person, role));
    holders.set(role, found);
    return found;
  };
  const together = judge.pairs(allRoles).flatMap(([one, other]): Missing[] => {
    const groups = [...(standing.groups.get(one) ?? [])].filter((group) => has(standing, other, group));
    const unsaidGroups = groups.filter((group) => !ofGroups(group, [one, other]));
    const both = holdersOf(one).filter((person) => hasRole(standing, person, other));
    const throughOf = (person: string) => standing.people.get(person)?.groups ?? [];
    const unsaidPeople = both.filter((person) => {
      const isSaidOf = conflicts.some(
        ({ roles, people }) =>
          people?.ids?.includes(person) === true && [one, other].every((role) => roles.includes(role)),
      );
      return !isSaidOf && !throughOf(person).some((group) => ofGroups(group, [one, other]));
    });
    return [
      ...unsaidGroups.map((group) => ({
        text: `${group} has ${one} and ${other}`,
        edges: [one, other].map((role) => ({ role, group })),
      })),
      ...unsaidPeople.map((person) => ({
        text: `${person} has ${one} and ${other}`,
        edges: throughOf(person).flatMap((group) =>
          [one, other].filter((role) => has(standing, role, group)).map((role) => ({ role, group })),
        ),
      })),
    ];
  });
  const directly = [...standing.people].flatMap(([person, { direct }]) =>
    direct
      .filter((role) => judge.isForbiddenDirectly(role) && !isSaidDirectly(said, role, person))
      .map((role): Missing => ({ text: `${person} has ${role} directly`, edges: [] })),
  );
  const lost = [...judge.required()]
    .filter(
      ([role, groups]) =>
        judge.keepers(role, groups, standing).length === 0 &&
        !said.some((one) => one.rule === "require" && one.roles[0] === role),
    )
    .map(([role, groups]): Missing => ({
      text: `none of ${groups.join(", ")} keeps ${role}`,
      edges: groups.map((group) => ({ role, group })),
      isOfRequire: true,
    }));
  return [...alone, ...together, ...directly, ...lost];
}

function isSaidDirectly(said: readonly Said[], role: string, person: string): boolean {
  return said.some(
    (one) => one.rule === "direct" && one.roles[0] === role && one.people?.ids?.includes(person) === true,
  );
}

/** Returns what `access --rules` says of a tenant, and isn't so, and the other way round. */
export function accessRulesClaims(
  { rules: answer, roles, incomplete, tenant: host }: AccessJson,
  text: string,
  known: Standing,
  moment: number,
): Violation[] {
  if (answer === undefined || incomplete.length + answer.gaps.length > 0) return [];
  const judge = new Judge(JSON.parse(text) as RulesText, moment);
  // An assignment with secret groups may have given these, until its end, or somebody for ever. If only the
  // role is secret, `access` knows it by the id, and the end that outputs hide from this oracle.
  const unknown = new Set(
    roles.flatMap(({ id: role, groups }) =>
      groups.filter(({ status }) => status === "unknown").map(({ id: group }) => keyOf({ role, group })),
    ),
  );
  const standing = { ...known, hidden: (edge: Edge) => unknown.has(keyOf(edge)) || known.hidden(edge) };
  const violation = (what: string): Violation => ({ claim: "access rules", text: `${host}: ${what}` });
  const breaches = breachesInPlaces(answer.breaches);
  return [
    ...breaches.flatMap((one) => {
      const why = whyNone(one, judge, standing);
      return why === undefined ? [] : [violation(`access finds ${one.reason}, and it is not so: ${why}`)];
    }),
    ...unsaidIn(breaches, judge, standing).map(({ text: what }) =>
      violation(`access does not find that ${what}`),
    ),
  ];
}

/** The known facts about a review with rules, and about the run that it reviewed. */
interface JudgedRules {
  review: ReviewJson;
  text: string;
  /** True if the preview leaves resources out. */
  isPartial: boolean;
  /** By host. */
  before: Readonly<Record<string, Standing>>;
  after: Readonly<Record<string, Standing>>;
  /** False for a tenant that the review didn't ask. Default: all were asked. */
  isAsked?: (host: string) => boolean;
  /** True for an edge that may be other than the review can know. */
  isOpen: (host: string, edge: Edge) => boolean;
}

export function rulesClaims({
  review,
  text,
  isPartial,
  before,
  after,
  isAsked = () => true,
  isOpen,
}: JudgedRules): Violation[] {
  const judge = new Judge(JSON.parse(text) as RulesText, Date.parse(review.made));
  const breaches = review.rules?.breaches ?? [];
  const doubtful = (review.direct ?? []).filter(({ unless }) => unless !== undefined);
  const isDoubtful = ({ roles, people }: Said) =>
    doubtful.some(({ role, user }) => roles.includes(role) && people?.ids?.includes(user) === true);
  const isDoubted = isPartial || review.unknown.some(({ categories }) => categories.includes("rules"));
  return Object.keys(after).flatMap((host): Violation[] => {
    const [had, now] = [before[host], after[host]] as [Standing, Standing];
    const said = breaches.filter(({ tenant }) => tenant === host || tenant === null);
    const found = said.flatMap((one): Violation[] => {
      const edges = one.roles.flatMap((role) => one.groups.map((group) => ({ role, group })));
      if (isDoubtful(one) || edges.some((edge) => isOpen(host, edge))) return [];
      const why = whyNone(one, judge, now);
      if (why !== undefined)
        return [{ claim: "said breach", text: `the review says: ${one.reason}; ${why} after the run` }];
      const isOld = wasThere(one, judge, had);
      if (isOld !== one.isNew || edges.some((edge) => had.hidden(edge) || now.hidden(edge))) return [];
      return [
        {
          claim: "said breach",
          text: `the review says that it ${one.isNew ? "is new" : "was there before"}, and that is wrong: ${one.reason}`,
        },
      ];
    });
    if (isDoubted) return found;
    // Without asking, nobody knows of a breach that was there before and that the change leaves as it is.
    // A review asks for no role that doesn't change, so it doesn't know who keeps that either.
    const unsaid = unsaidIn(said, judge, had);
    const old = new Set(unsaid.filter((one) => !isAsked(host) || one.isOfRequire).map((one) => one.text));
    const missing = unsaidIn(said, judge, now).filter(
      (one) => !old.has(one.text) && !one.edges.some((edge) => isOpen(host, edge)),
    );
    return [
      ...found,
      ...missing.map(({ text: what }): Violation => ({
        claim: "unsaid breach",
        text: `${what} on ${host} after the run; the review says ${JSON.stringify(said.map(({ reason }) => reason))}`,
      })),
    ];
  });
}
