import { type Auth0Change, operationOf, subjectOf } from "./people-auth0";
import { type Assignment, type Fact, factKey, type Population, TENANT } from "./people-world";
import { type Standing } from "./rules";

/*
 * Who has which role before and after a change, and what that breaks, by plain sets of facts. It shares no
 * code with the package: only the documented meaning of a change and of a rule.
 */

/** Who has what at one moment. */
class Moment {
  readonly #groups = new Map<string, Set<string>>();
  readonly #direct = new Map<string, Set<string>>();
  readonly #of = new Map<string, Set<string>>();

  constructor(
    readonly facts: readonly Fact[],
    readonly direct: readonly Fact[],
    private readonly population: Pick<Population, "people">,
  ) {
    for (const [all, into] of [
      [facts, this.#groups],
      [direct, this.#direct],
    ] as const)
      for (const { place, role, holder } of all) {
        const key = `${place} ${role}`;
        into.set(key, (into.get(key) ?? new Set()).add(holder));
      }
  }

  groups(place: string, role: string): ReadonlySet<string> {
    return this.#groups.get(`${place} ${role}`) ?? new Set();
  }

  directly(place: string, role: string): ReadonlySet<string> {
    return this.#direct.get(`${place} ${role}`) ?? new Set();
  }

  /** Everyone who has a role in a place, in any way. */
  people(place: string, role: string): ReadonlySet<string> {
    const key = `${place} ${role}`;
    const known = this.#of.get(key);
    if (known !== undefined) return known;
    const found = new Set(this.directly(place, role));
    for (const group of this.groups(place, role))
      for (const person of this.population.people.get(group) ?? []) found.add(person);
    this.#of.set(key, found);
    return found;
  }
}

export interface Outcome {
  gains: Fact[];
  loses: Fact[];
  /** Losses through a deleted object, or a membership that ends, of roles about which nobody is asked. */
  mayLose: Fact[];
  before: Moment;
  after: Moment;
}

/** What of a role can be read today: its groups, and who has it directly. */
interface Readable {
  groups: (place: string, role: string) => boolean;
  direct: (place: string, role: string) => boolean;
}

const ALL: Readable = { groups: () => true, direct: () => true };

/** A change of one kind of holders: groups, or people directly. */
interface Claims {
  was: Map<string, Fact>;
  willBe: Map<string, Fact>;
  /** Listed by a resource that didn't list it before. */
  added: Map<string, Fact>;
  /** Taken by a resource, whoever lists it too. */
  taken: Map<string, Fact>;
}

export function outcomeOf(
  { assignments, auth0 }: { assignments: readonly Assignment[]; auth0: readonly Auth0Change[] },
  population: Population,
  readable: Readable = ALL,
): Outcome {
  const before = new Moment(population.groups, population.direct, population);
  const groups = claimsOfGroups(assignments);
  const direct = claimsOfPeople(auth0);
  const endsGroup = endedBy(auth0, false);
  const endsPerson = endedBy(auth0, true);
  const hasGroup = ({ place, role, holder }: Fact) => before.groups(place, role).has(holder);
  const hasPerson = ({ place, role, holder }: Fact) => before.directly(place, role).has(holder);
  // Without an answer, what state lists counts as there.
  const isNew =
    ({ was }: Claims, has: (fact: Fact) => boolean, isRead: Readable["groups"]) =>
    (fact: Fact) =>
      isRead(fact.place, fact.role) ? !has(fact) : !was.has(factKey(fact));
  // Who has a role directly is asked for those that seem to change.
  const rows = [
    ...[...groups.added.values()].filter(isNew(groups, hasGroup, readable.groups)),
    ...groups.taken.values(),
    ...[...direct.added.values()].filter(isNew(direct, hasPerson, () => false)),
    ...direct.taken.values(),
  ];
  const isAsked = ({ place, role }: Fact, all: readonly Fact[]) =>
    all.some((one) => one.place === place && one.role === role) ||
    (place === TENANT && auth0.some((one) => one.type === "Role" && one.before?.of === role));
  const ended = (
    { was, willBe }: Claims,
    today: readonly Fact[],
    ends: (fact: Fact, when: "before" | "after") => boolean,
    isRead: (fact: Fact) => boolean,
  ) => {
    const listed = [
      ...[...was.values()].filter((fact) => ends(fact, "before")),
      ...[...willBe.values()].filter((fact) => ends(fact, "after")),
    ];
    const there = today.filter((fact) => ends(fact, "before"));
    return {
      must: [...listed, ...there.filter(isRead)],
      may: there.filter((fact) => !isRead(fact)),
    };
  };
  const changing = [...assignments.filter(isChanged).map((one) => ({ ...one, holder: "" })), ...rows];
  const ofGroups = ended(
    groups,
    population.groups,
    endsGroup,
    (fact) => readable.groups(fact.place, fact.role) && isAsked(fact, changing),
  );
  const ofPeople = ended(
    direct,
    population.direct,
    endsPerson,
    (fact) => readable.direct(fact.place, fact.role) && isAsked(fact, [...rows, ...ofGroups.must]),
  );
  const lost = distinct([
    ...groups.taken.values(),
    ...ofGroups.must,
    ...direct.taken.values(),
    ...ofPeople.must,
  ]);
  const gone = new Set([...lost, ...ofGroups.may, ...ofPeople.may].map(factKey));
  const stays = (fact: Fact) => !gone.has(factKey(fact));
  const gainedGroups = [...groups.added.values()]
    .filter(stays)
    .filter(isNew(groups, hasGroup, readable.groups));
  const gainedPeople = [...direct.added.values()]
    .filter(stays)
    .filter(isNew(direct, hasPerson, readable.direct));
  const isGone = (person: string) =>
    auth0.some((one) => one.type === "User" && one.after === undefined && one.before?.of === person);
  const left = new Map(
    [...population.people].map(([group, all]) => [group, all.filter((person) => !isGone(person))]),
  );
  const after = new Moment(
    [...population.groups.filter(stays), ...gainedGroups.filter((fact) => !hasGroup(fact))],
    [...population.direct.filter(stays), ...gainedPeople.filter((fact) => !hasPerson(fact))],
    { people: left },
  );
  return {
    gains: [...gainedGroups, ...gainedPeople],
    loses: lost,
    mayLose: [...ofGroups.may, ...ofPeople.may],
    before,
    after,
  };
}

export function isChanged({ before, after }: Assignment): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

function distinct(facts: readonly Fact[]): Fact[] {
  return [...keyed(facts).values()];
}

function keyed(facts: readonly Fact[]): Map<string, Fact> {
  return new Map(facts.map((fact) => [factKey(fact), fact]));
}

function minus(facts: readonly Fact[], others: readonly Fact[]): Fact[] {
  const keys = keyed(others);
  return facts.filter((fact) => !keys.has(factKey(fact)));
}

/** An assignment leaves to others what they list. */
function claimsOfGroups(assignments: readonly Assignment[]): Claims {
  const sides = assignments.map(({ place, role, before = [], after = [] }) => ({
    had: before.map((holder) => ({ place, role, holder })),
    has: after.map((holder) => ({ place, role, holder })),
  }));
  const was = keyed(sides.flatMap(({ had }) => had));
  const willBe = keyed(sides.flatMap(({ has }) => has));
  return {
    was,
    willBe,
    added: keyed(sides.flatMap(({ had, has }) => minus(has, had))),
    taken: keyed(minus([...was.values()], [...willBe.values()])),
  };
}

/** That provider asks nobody: an update takes what isn't listed any more, and a delete takes all. */
function claimsOfPeople(auth0: readonly Auth0Change[]): Claims {
  const sides = auth0
    .filter((change) => subjectOf(change) === "roles")
    .map((change) => {
      const [had, has] = [change.before, change.after].map((side) =>
        (side?.gives ?? []).map((role): Fact => ({ place: side?.place ?? "", role, holder: side?.of ?? "" })),
      ) as [Fact[], Fact[]];
      return { had, has, operation: operationOf(change) };
    });
  const taken = sides.flatMap(({ had, has, operation }) => {
    if (operation === "update") return minus(had, has);
    return operation === "delete" || operation === "replace" ? had : [];
  });
  return {
    was: keyed(sides.flatMap(({ had }) => had)),
    willBe: keyed(sides.flatMap(({ has }) => has)),
    added: keyed(sides.flatMap(({ had, has }) => minus(has, had))),
    taken: keyed(taken),
  };
}

/** Returns whether an object's end, or a membership's, ends a holder's role. */
function endedBy(auth0: readonly Auth0Change[], isPerson: boolean) {
  return ({ place, role, holder }: Fact, when: "before" | "after"): boolean =>
    auth0.some((change) => {
      const { type, before, after } = change;
      if (before === undefined) return false;
      if (subjectOf(change) === "members")
        return (
          isPerson &&
          when === "before" &&
          place === before.of &&
          before.gives.includes(holder) &&
          after?.gives.includes(holder) !== true
        );
      if (subjectOf(change) !== "object" || after !== undefined) return false;
      if (type === "User") return isPerson && holder === before.of;
      return type === "Role" ? role === before.of : place === before.of;
    });
}

/** A permission that a role or a user gains or loses. */
interface Permitted {
  effect: "gains" | "loses";
  of: string;
  permission: string;
}

export function permittedBy(auth0: readonly Auth0Change[], { permissions }: Population): Permitted[] {
  return auth0
    .filter((change) => subjectOf(change) === "permissions")
    .flatMap((change): Permitted[] => {
      const { type, before, after } = change;
      const [had, has] = [before?.gives ?? [], after?.gives ?? []];
      const of = (after ?? before)?.of ?? "";
      const isThere = (name: string) =>
        type.startsWith("Role") && permissions.get(of)?.includes(name) === true;
      return [
        ...has
          .filter((name) => !had.includes(name) && !isThere(name))
          .map((permission) => ({ effect: "gains" as const, of, permission })),
        ...had
          .filter((name) => !has.includes(name))
          .map((permission) => ({ effect: "loses" as const, of, permission })),
      ];
    });
}

/** What the people of a row keep, or have already, through other groups. */
export function sharedOf(
  row: Fact,
  effect: "gains" | "loses",
  { gains, loses, before, after }: Outcome,
  { people }: Population,
): { all: string[]; others: string[]; through: string[]; count: number } {
  const here = new Set(people.get(row.holder) ?? [row.holder]);
  const isSame = (fact: Fact) => fact.place === row.place && fact.role === row.role;
  const moment = effect === "gains" ? before : after;
  const all = [...moment.groups(row.place, row.role)].filter((group) => group !== row.holder);
  const changed = new Set([...gains, ...loses].filter(isSame).map(({ holder }) => holder));
  const through = all.filter((group) => (people.get(group) ?? []).some((person) => here.has(person)));
  const shared = new Set(
    through.flatMap((group) => (people.get(group) ?? []).filter((person) => here.has(person))),
  );
  return { all, others: all.filter((group) => !changed.has(group)), through, count: shared.size };
}

/** `org_…/rol_…`, or `rol_…` */
export const roleText = (place: string, role: string) => (place === TENANT ? role : `${place}/${role}`);

/** The same for the judge of rules. */
export function standingIn({ facts, direct }: Moment, { everyone, people }: Population): Standing {
  const has = new Map<string, Set<string>>();
  for (const { place, role, holder } of facts) {
    const key = roleText(place, role);
    has.set(key, (has.get(key) ?? new Set()).add(holder));
  }
  const persons = new Map(
    everyone.map((person) => [person, { groups: [] as string[], direct: [] as string[] }]),
  );
  for (const [group, all] of people) for (const person of all) persons.get(person)?.groups.push(group);
  for (const { place, role, holder } of direct) persons.get(holder)?.direct.push(roleText(place, role));
  return { groups: has, ends: new Map(), hidden: () => false, people: persons };
}
