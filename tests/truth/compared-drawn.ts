import { type Fault, type SeedInput } from "../../simulator";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import fc from "../../testkit/properties";
import { day, fault, PEOPLE } from "./audits-drawn";

/* Pairs of audits, drawn at random: of one tenant then and now, or of two tenants. */

export interface Named {
  id: string;
  name: string | undefined;
}

/** Somebody's role, in the tenant or in an organization. */
export interface Edge {
  organization: string | undefined;
  role: string;
  holder: string;
}

export interface Claim {
  organization: string | undefined;
  role: string;
  groups: string[];
  until: string | undefined;
  stack: number;
  /** True if nobody can read which groups it lists. */
  isHidden: boolean;
}

/** A tenant and its stacks at one moment. */
export interface World {
  roles: Named[];
  groups: Named[];
  organizations: Named[];
  edges: Edge[];
  claims: Claim[];
}

/** What an audit asks for. */
export interface Ask {
  organizations: "none" | "first" | "all";
  /** Which role or group alone. */
  only: { role?: number; group?: number };
  direct: boolean;
  people: boolean;
  /** The stacks that it reads. */
  stacks: number[];
}

export interface Audit {
  world: World;
  ask: Ask;
}

export interface Pair {
  isByName: boolean;
  then: Audit;
  now: Audit;
  /** Of today's audit. */
  faults: Fault[];
}

const LETTERS = ["a", "b", "c"];
const NAMES = {
  role: ["agent", "viewer", "third"],
  group: ["desk", "night", "audit"],
  organization: ["acme", "globex"],
};

/** The ids of another tenant are its own. */
const idsOf = (isOther: boolean) => ({
  role: NAMES.role.map((name) => `rol_${name}${isOther ? "2" : "1"}`),
  group: LETTERS.map((letter) => `grp_${letter.repeat(21)}${isOther ? "2" : "1"}`),
  organization: ["5vJmTq8XbRz3kWc", "9sJdYp3LfGe7uXa"].map((text) => `org_${text}${isOther ? "2" : "1"}`),
});

/** By indices, so that two worlds can share what is drawn. */
interface Drawn {
  edges: { place: number; role: number; holder: number; isPerson: boolean }[];
  claims: {
    place: number;
    role: number;
    groups: number[];
    until: string | undefined;
    stack: number;
    isHidden: boolean;
  }[];
}

const index = fc.nat(2);
/** The tenant itself, mostly, or an organization. */
const place = fc.constantFrom(-1, -1, -1, 0, 1);
const edge = fc.record({ place, role: index, holder: index, isPerson: fc.constantFrom(false, false, true) });
const claim = fc.record({
  place,
  role: index,
  groups: fc.uniqueArray(index, { minLength: 1 }),
  until: fc.constantFrom(undefined, undefined, day(5), day(400), day(-5)),
  stack: fc.nat(1),
  isHidden: fc.constantFrom(...Array<boolean>(9).fill(false), true),
});
const drawn: fc.Arbitrary<Drawn> = fc.record({
  edges: fc.array(edge, { maxLength: 8 }),
  claims: fc.array(claim, { maxLength: 4 }),
});

/** Mostly its own: sometimes another one's, or none. */
const names = (own: readonly string[]) =>
  fc.tuple(
    ...own.map((name) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.constant<string | undefined>(name) },
        fc.constantFrom(...own, undefined),
      ),
    ),
  );

function worldOf(
  shared: Drawn,
  own: Drawn,
  given: {
    isOther: boolean;
    roles: (string | undefined)[];
    groups: (string | undefined)[];
    organizations: number;
  },
): World {
  const ids = idsOf(given.isOther);
  const named = (all: readonly string[], called: readonly (string | undefined)[]) =>
    called.map((name, at) => ({ id: all[at] ?? "", name }));
  const organizations = named(ids.organization, NAMES.organization.slice(0, given.organizations));
  const at = <Of extends { place: number; role: number }>({ place: where, role }: Of) => ({
    organization: organizations[where]?.id,
    role: ids.role[role] ?? "",
  });
  const isThere = ({ place: where }: { place: number }) => where < organizations.length;
  const edges = [...shared.edges, ...own.edges].filter(isThere).map((one) => ({
    ...at(one),
    holder: (one.isPerson ? PEOPLE : ids.group)[one.holder] ?? "",
  }));
  return {
    roles: named(ids.role, given.roles),
    groups: named(ids.group, given.groups),
    organizations,
    edges: [...new Map(edges.map((one) => [JSON.stringify(one), one])).values()],
    claims: [...shared.claims, ...own.claims]
      .filter(isThere)
      .map(({ groups, until, stack, isHidden, ...one }) => ({
        ...at({ ...one }),
        ...{ groups: groups.map((group) => ids.group[group] ?? ""), until, stack, isHidden },
      })),
  };
}

const ask: fc.Arbitrary<Ask> = fc.record({
  organizations: fc.constantFrom("none", "first", "all", "all", "all"),
  only: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    fc.record({ role: index }),
    fc.record({ group: index }),
  ),
  direct: fc.constantFrom(true, true, true, false),
  people: fc.constantFrom(true, true, false),
  stacks: fc.constantFrom([0, 1], [0, 1], [0], [1]),
});
const plain: Ask = { organizations: "all", only: {}, direct: true, people: true, stacks: [0, 1] };

export const pair: fc.Arbitrary<Pair> = fc
  .record({
    isByName: fc.constantFrom(false, false, true),
    shared: drawn,
    own: fc.tuple(drawn, drawn),
    organizations: fc.tuple(fc.nat(2), fc.nat(2)),
    roles: fc.tuple(names(NAMES.role), names(NAMES.role)),
    groups: fc.tuple(names(NAMES.group), names(NAMES.group)),
    asks: fc.oneof(fc.constant([plain, plain] as const), fc.tuple(ask, ask)),
    faults: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
      fc.array(fault, { minLength: 1, maxLength: 2 }),
    ),
  })
  .map(({ isByName, shared, own, asks, faults, ...of }) => {
    const audit = (at: 0 | 1): Audit => ({
      world: worldOf(shared, own[at], {
        isOther: isByName && at === 0,
        // In one tenant, names are only for reading.
        roles: isByName ? of.roles[at] : NAMES.role,
        groups: isByName ? of.groups[at] : NAMES.group,
        organizations: of.organizations[at],
      }),
      ask: asks[at],
    });
    return { isByName, then: audit(0), now: audit(1), faults };
  });

export function seedOf({ roles, groups, organizations, edges }: World): SeedInput {
  const isGroup = (holder: string) => holder.startsWith("grp_");
  const holders = (organization: string | undefined, role: string, group: boolean) =>
    edges
      .filter(
        (one) => one.organization === organization && one.role === role && isGroup(one.holder) === group,
      )
      .map(({ holder }) => holder);
  const named = ({ id, name }: Named) => ({ id, ...(name !== undefined && { name }) });
  return {
    clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: ALL_SCOPES }],
    users: PEOPLE.map((person) => ({
      user_id: person,
      roles: edges
        .filter(({ organization, holder }) => organization === undefined && holder === person)
        .map(({ role }) => role),
    })),
    groups: groups.map(named),
    roles: roles.map((role) => ({ ...named(role), groups: holders(undefined, role.id, true) })),
    organizations: organizations.map(({ id, name = "" }) => ({
      ...{ id, name, groups: groups.map((group) => group.id) },
      roles: roles.map((role) => ({
        id: role.id,
        groups: holders(id, role.id, true),
        members: holders(id, role.id, false),
      })),
    })),
  };
}
