import { type Fault } from "../../simulator";
import fc from "../../testkit/properties";
import { isGroup, NAMES, placeOf } from "./audits";
import {
  ACME,
  type Claim as Listed,
  claimOf,
  type Edge,
  fault,
  GLOBEX,
  GROUPS,
  keysWith,
  PEOPLE,
  ROLES,
  some,
} from "./audits-drawn";

/* Pairs of audits, drawn at random: of one tenant then and now, or of two tenants. */

export interface Claim extends Listed {
  /** True if nobody can read which groups it lists. */
  isHidden: boolean;
}

/** A tenant and its stacks at one moment. */
interface World {
  names: ReadonlyMap<string, string | undefined>;
  organizations: readonly string[];
  edges: Edge[];
  claims: Claim[];
}

/** What an audit asks for. */
interface Ask {
  organizations: "none" | "first" | "all";
  only: { role?: string; group?: string };
  direct: boolean;
  people: boolean;
  /** The stacks that it reads. */
  stacks: number[];
}

export interface Audit {
  world: World;
  ask: Ask;
}

interface Pair {
  isByName: boolean;
  then: Audit;
  now: Audit;
  /** Of today's audit. */
  faults: Fault[];
}

type Drawn = Pick<World, "edges" | "claims">;

const keys = [...ROLES, ...ROLES, ...ROLES, ...keysWith(ROLES)];
const edge = fc.record({
  key: fc.constantFrom(...keys),
  holder: fc.constantFrom(...GROUPS, ...GROUPS, ...PEOPLE),
});
const isHidden = fc.constantFrom(...Array<boolean>(9).fill(false), true);
const drawn: fc.Arbitrary<Drawn> = fc.record({
  edges: some(edge, 8),
  claims: some(
    fc.tuple(claimOf(keys), isHidden).map(([claim, isHidden]) => ({ ...claim, isHidden })),
    4,
  ),
});

/** Of these ids, and mostly their own: sometimes another one's, or none. */
const namesOf = (ids: readonly string[]) =>
  fc.tuple(
    ...ids.map((id) =>
      fc.oneof(
        { weight: 8, arbitrary: fc.constant(NAMES.get(id)) },
        fc.constantFrom(...ids.map((one) => NAMES.get(one)), undefined),
      ),
    ),
  );
const names = fc.record({ roles: namesOf(ROLES), groups: namesOf(GROUPS) });

/** In another tenant, an id is another object's. */
function called({ roles, groups }: Record<"roles" | "groups", (string | undefined)[]>, isOther: boolean) {
  const pairs = (ids: readonly string[], all: (string | undefined)[]) =>
    (isOther ? [...ids].reverse() : ids).map((id, at) => [id, all[at]] as const);
  return new Map([...NAMES, ...pairs(ROLES, roles), ...pairs(GROUPS, groups)]);
}

function worldOf(
  shared: Drawn,
  own: Drawn,
  { names, organizations }: Pick<World, "names" | "organizations">,
): World {
  const isThere = ({ key }: { key: string }) => ["", ...organizations].includes(placeOf(key));
  const edges = [...shared.edges, ...own.edges].filter(isThere);
  return {
    names,
    organizations,
    edges: [...new Map(edges.map((one) => [JSON.stringify(one), one])).values()],
    claims: [...shared.claims, ...own.claims].filter(isThere),
  };
}

const ask: fc.Arbitrary<Ask> = fc.record({
  organizations: fc.constantFrom("none", "first", "all", "all", "all"),
  only: fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    fc.record({ role: fc.constantFrom(...ROLES) }),
    fc.record({ group: fc.constantFrom(...GROUPS) }),
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
    names: fc.tuple(names, names),
    asks: fc.oneof(fc.constant([plain, plain] as const), fc.tuple(ask, ask)),
    faults: fc.oneof(
      { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
      fc.array(fault, { minLength: 1, maxLength: 2 }),
    ),
  })
  .map(({ isByName, shared, own, asks, faults, ...of }) => {
    const audit = (at: 0 | 1): Audit => ({
      world: worldOf(shared, own[at], {
        // In one tenant, names are only for reading.
        names: isByName ? called(of.names[at], at === 0) : NAMES,
        organizations: [ACME, GLOBEX].slice(0, of.organizations[at]),
      }),
      ask: asks[at],
    });
    return { isByName, then: audit(0), now: audit(1), faults };
  });

/** The ids that an audit's answers may have, in the tenant and everywhere. */
export function edgesIn({ edges, organizations }: World): Edge[] {
  const people = edges.map(({ holder }) => holder).filter((holder) => !isGroup(holder));
  return keysWith(ROLES)
    .filter((key) => ["", ...organizations].includes(placeOf(key)))
    .flatMap((key) => [...GROUPS, ...new Set(people)].map((holder) => ({ key, holder })));
}
