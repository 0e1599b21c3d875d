import {
  type Assignment,
  type Fact,
  factKey,
  type Population,
  type Ruled,
  type RuledConflict,
  type RuledRole,
  TENANT,
} from "./people-world";

/*
 * Who has which role before and after a change, and what that breaks, by plain sets of facts. It shares no
 * code with the package: only the documented meaning of a change and of a rule.
 */

/** Who has what at one moment. */
export class Moment {
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

  /** Places where somebody has a role. */
  placesOf(role: string): string[] {
    const keys = [...this.#groups.keys(), ...this.#direct.keys()];
    return [...new Set(keys.filter((key) => key.endsWith(` ${role}`)).map((key) => key.split(" ")[0] ?? ""))];
  }
}

export interface Outcome {
  gains: Fact[];
  loses: Fact[];
  before: Moment;
  after: Moment;
}

/** `isKnown`: false for a role whose groups nobody can read today. */
export function outcomeOf(
  assignments: readonly Assignment[],
  population: Population,
  isKnown: (place: string, role: string) => boolean = () => true,
): Outcome {
  const before = new Moment(population.groups, population.direct, population);
  const listed = (side: "before" | "after") =>
    new Map(
      assignments.flatMap(({ place, role, [side]: groups = [] }) =>
        groups.map((holder) => [factKey({ place, role, holder }), { place, role, holder }] as const),
      ),
    );
  const [was, willBe] = [listed("before"), listed("after")];
  const has = ({ place, role, holder }: Fact) => before.groups(place, role).has(holder);
  const gains = [...willBe.values()].filter((fact) => {
    const { place, role, holder } = fact;
    const isNew = assignments.some(
      (one) =>
        one.place === place &&
        one.role === role &&
        one.after?.includes(holder) === true &&
        one.before?.includes(holder) !== true,
    );
    if (!isNew) return false;
    // Without an answer, what state lists counts as there.
    return isKnown(place, role) ? !has(fact) : !was.has(factKey(fact));
  });
  const loses = [...was].filter(([key]) => !willBe.has(key)).map(([, fact]) => fact);
  const lost = new Set(loses.map(factKey));
  const after = new Moment(
    [...population.groups.filter((fact) => !lost.has(factKey(fact))), ...gains.filter((fact) => !has(fact))],
    population.direct,
    population,
  );
  return { gains, loses, before, after };
}

/** What the people of a row keep, or have already, through other groups. */
export function sharedOf(
  row: Fact,
  effect: "gains" | "loses",
  { gains, loses, before, after }: Outcome,
  { people }: Population,
): { all: string[]; others: string[]; through: string[]; count: number } {
  const here = new Set(people.get(row.holder) ?? []);
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

/** A group or a person with two roles that are kept apart. */
export interface Both {
  holder: string;
  isPerson: boolean;
  roles: readonly [string, string];
}

/** `org_…/rol_…`, or `rol_…` */
export const roleText = (place: string, role: string) => (place === TENANT ? role : `${place}/${role}`);

export class RulesOfScene {
  readonly #owners: ReadonlyMap<string, string>;

  constructor(
    private readonly rules: Ruled,
    private readonly population: Population,
  ) {
    this.#owners = new Map(
      population.roles.flatMap(({ id, owner }) => (owner === undefined ? [] : [[id, owner] as const])),
    );
  }

  isAllowed({ place, role, holder }: Fact): boolean {
    const ofPlace = this.rules.allow.find((one) => one.role === role && one.place === place);
    const line = ofPlace ?? this.rules.allow.find((one) => one.role === role && one.place === undefined);
    if (line !== undefined) return line.groups.includes(holder);
    return !this.rules.closed.includes(place) && !this.rules.closed.includes(TENANT);
  }

  isForbiddenDirectly(place: string, role: string): boolean {
    return this.rules.forbidden.some(
      (one) => one.role === role && (one.place === undefined || one.place === place),
    );
  }

  /** True if no one may have both roles, each in its place. */
  areApart(one: { place: string; role: string }, other: { place: string; role: string }): boolean {
    return this.rules.conflicts.some(({ roles, anyContext }) => {
      if (!anyContext && one.place !== other.place) return false;
      return roles.some((first, index) =>
        roles.some((second, at) => index !== at && covers(first, one) && covers(second, other)),
      );
    });
  }

  /** Everybody, group or person, who has two roles that are kept apart. */
  conflicts(moment: Moment): Map<string, Both> {
    const found = new Map<string, Both>();
    for (const conflict of this.rules.conflicts)
      for (const [one, other] of this.#pairs(conflict, moment)) {
        const roles = [roleText(one.place, one.role), roleText(other.place, other.role)].sort() as [
          string,
          string,
        ];
        const both = (holder: string, isPerson: boolean) =>
          found.set(JSON.stringify([holder, ...roles]), { holder, isPerson, roles });
        for (const group of moment.groups(one.place, one.role))
          if (moment.groups(other.place, other.role).has(group)) both(group, false);
        const second = moment.people(other.place, other.role);
        for (const person of moment.people(one.place, one.role)) if (second.has(person)) both(person, true);
      }
    return found;
  }

  #pairs({ roles, anyContext }: RuledConflict, moment: Moment) {
    const at = roles.map((ruled) => this.#placesOf(ruled, moment));
    return at.flatMap((all, index) =>
      at
        .slice(index + 1)
        .flatMap((others) => all.flatMap((one) => others.map((other) => [one, other] as const)))
        .filter(([one, other]) => anyContext || one.place === other.place),
    );
  }

  #placesOf({ role, place }: RuledRole, moment: Moment): { place: string; role: string }[] {
    const only = place ?? this.#owners.get(role);
    return (only === undefined ? moment.placesOf(role) : [only]).map((one) => ({ place: one, role }));
  }

  /** True if one of the group's ways to a person's two roles gives both. */
  isThroughOne(person: string, roles: readonly [string, string], moment: Moment): string[] {
    const [one, other] = roles.map(placeAndRole) as [Place, Place];
    const groups = [...moment.groups(one.place, one.role)];
    return groups.filter(
      (group) =>
        moment.groups(other.place, other.role).has(group) &&
        (this.population.people.get(group) ?? []).includes(person),
    );
  }
}

type Place = ReturnType<typeof placeAndRole>;

export function placeAndRole(text: string): { place: string; role: string } {
  const [place = "", role] = text.split("/");
  return role === undefined ? { place: TENANT, role: place } : { place, role };
}

function covers(ruled: RuledRole, { place, role }: { place: string; role: string }): boolean {
  return ruled.role === role && (ruled.place === undefined || ruled.place === place);
}
