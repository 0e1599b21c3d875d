import { type Fault, type SeedInput } from "../../simulator";
import { ALL_SCOPES } from "../../simulator/default-seed";
import { type RulesText } from "../../testkit/worlds/world";
import { API, auth0Of, type Auth0Change, permissionsOf } from "./people-auth0";

/*
 * A large tenant, and random changes of it: 5,000 people, 200 roles, 60 groups and 40 organizations. All of
 * it follows from a seed.
 */

const PEOPLE = 5_000;
const TENANT_ROLES = 180;
const OWN_ROLES = 20;
const GROUPS = 60;
const ORGANIZATIONS = 40;
/** More than a review reads of one group. */
const CROWD = 1_100;

/** In place of an organization's id: the tenant itself. */
export const TENANT = "-";

/** A group's or a person's role, and where it counts. */
export interface Fact {
  place: string;
  role: string;
  holder: string;
}

export const factKey = ({ place, role, holder }: Fact) => `${place} ${role} ${holder}`;

export interface Population {
  roles: { id: string; name: string; owner?: string }[];
  organizations: { id: string; name: string; groups: string[] }[];
  everyone: string[];
  /** By group: its people. */
  people: Map<string, string[]>;
  groups: Fact[];
  direct: Fact[];
  /** By role: what it may do. */
  permissions: Map<string, string[]>;
}

/** Numbers that follow from a seed: `below(6)` is 0 to 5. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % most;
  }

  /** True once in so many times. */
  oneIn(times: number): boolean {
    return this.below(times) === 0;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  some<Item>(items: readonly Item[], count: number): Item[] {
    const left = [...items];
    return Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.below(left.length), 1),
    ).flat();
  }
}

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1111).replaceAll("0", "z")}`);

export const GROUP_IDS = numbered("grp_AAAAAAAAAAAA", GROUPS);

export function populationOf(seed: number): Population {
  const dice = new Dice(seed);
  const everyone = Array.from({ length: PEOPLE }, (_, index) => `auth0|person${index}`);
  const organizations = numbered("org_", ORGANIZATIONS).map((id, index) => ({
    id,
    name: `customer-${index}`,
    groups: dice.some(GROUP_IDS, 2 + dice.below(7)),
  }));
  const roles = [
    ...numbered("rol_t", TENANT_ROLES).map((id, index) => ({ id, name: `role ${index}` })),
    ...numbered("rol_o", OWN_ROLES).map((id, index) => ({
      id,
      name: `own role ${index}`,
      owner: dice.pick(organizations).id,
    })),
  ];
  const tenants = roles.filter((role) => !("owner" in role)).map(({ id }) => id);
  const people = new Map(
    GROUP_IDS.map((group, index) => [group, dice.some(everyone, index === 0 ? CROWD : 5 + dice.below(250))]),
  );
  const inTenant = GROUP_IDS.flatMap((holder) =>
    dice.some(tenants, dice.below(11)).map((role): Fact => ({ place: TENANT, role, holder })),
  );
  const inOrganizations = organizations.flatMap(({ id: place, groups }) => {
    const here = [
      ...tenants,
      ...roles.filter((role) => "owner" in role && role.owner === place).map(({ id }) => id),
    ];
    return groups.flatMap((holder) =>
      dice.some(here, dice.below(5)).map((role): Fact => ({ place, role, holder })),
    );
  });
  const groups = [...inTenant, ...inOrganizations];
  // Most of them have roles that groups have, too.
  const directly = Array.from({ length: 2_500 }, (): Fact => {
    const { place, role } = dice.oneIn(4)
      ? { place: dice.pick([TENANT, ...organizations.map(({ id }) => id)]), role: dice.pick(tenants) }
      : dice.pick(groups);
    return { place, role, holder: dice.pick(everyone) };
  });
  const direct = [...new Map(directly.map((fact) => [factKey(fact), fact])).values()];
  const permissions = permissionsOf(dice, tenants);
  return { roles, organizations, everyone, people, groups, direct, permissions };
}

const SECRET = "a-secret-of-the-simulated-client";

/** Clients by the scope that they lack. One scope can stand for another. */
const INSTEAD: Partial<Record<string, string>> = { "read:role_members": "read:users" };

const LACKING = [
  "read:group_members",
  "read:role_members",
  "read:organization_member_roles",
  "read:organization_group_roles",
  "read:group_roles",
  "read:organizations",
  "read:groups",
] as const;
type Lacking = (typeof LACKING)[number];

export const clientOf = (lacking: Lacking | undefined) => ({
  IDENTITY_CLIENT_ID:
    lacking === undefined ? "client-with-all" : `client-without-${LACKING.indexOf(lacking)}`,
  IDENTITY_CLIENT_SECRET: SECRET,
});

export function seedOf(population: Population): SeedInput {
  const { roles, organizations, people, groups, direct, permissions } = population;
  const holdersOf = (facts: readonly Fact[], place: string, role: string) =>
    facts.filter((fact) => fact.place === place && fact.role === role).map(({ holder }) => holder);
  const groupsOf = new Map<string, string[]>();
  for (const [group, all] of people)
    for (const person of all) groupsOf.set(person, [...(groupsOf.get(person) ?? []), group]);
  const rolesOf = new Map<string, string[]>();
  for (const { place, role, holder } of direct)
    if (place === TENANT) rolesOf.set(holder, [...(rolesOf.get(holder) ?? []), role]);
  return {
    clients: [undefined, ...LACKING].map((lacking) => ({
      client_id: clientOf(lacking).IDENTITY_CLIENT_ID,
      client_secret: SECRET,
      scope: ALL_SCOPES.split(" ")
        .filter((scope) => lacking === undefined || ![lacking, INSTEAD[lacking]].includes(scope))
        .join(" "),
    })),
    // Two of them share a name, as two connections' groups may.
    groups: GROUP_IDS.map((id, index) => ({ id, name: `group ${index === 1 ? 0 : index}` })),
    users: Array.from({ length: PEOPLE }, (_, index) => {
      const id = `auth0|person${index}`;
      return { user_id: id, groups: groupsOf.get(id) ?? [], roles: rolesOf.get(id) ?? [] };
    }),
    roles: roles.map(({ id, name, owner }) => ({
      id,
      name,
      groups: holdersOf(groups, TENANT, id),
      permissions: (permissions.get(id) ?? []).map((permission) => ({
        resource_server_identifier: API,
        permission_name: permission,
      })),
      ...(owner !== undefined && { type: "organization" as const, owner_id: owner }),
    })),
    organizations: organizations.map((organization) => ({
      ...organization,
      roles: roles
        .map(({ id }) => ({
          id,
          groups: holdersOf(groups, organization.id, id),
          members: holdersOf(direct, organization.id, id),
        }))
        .filter((role) => role.groups.length + role.members.length > 0),
    })),
  };
}

/** An assignment before and after a change: the groups that it lists, or undefined if it isn't there. */
export interface Assignment {
  name: string;
  place: string;
  role: string;
  before: string[] | undefined;
  after: string[] | undefined;
}

type RuledRole = RulesText["conflicts"][number]["roles"][number];

/** What the tenant doesn't answer, or not as usual. */
interface Trouble {
  lacking: Lacking | undefined;
  /** Groups whose members are answered 404. */
  unlisted: string[];
  /** Groups that hold another group and a member of an unknown kind, with all people listed twice. */
  nested: string[];
  /** Roles whose list of people who have them directly is answered 404. */
  undirected: { place: string; role: string }[];
  /** Roles whose list of groups is answered 404. */
  unknown: { place: string; role: string }[];
}

export interface Scene {
  assignments: Assignment[];
  /** Resources of another provider in the same stack. */
  auth0: Auth0Change[];
  rules: RulesText;
  trouble: Trouble;
}

const NO_TROUBLE: Trouble = { lacking: undefined, unlisted: [], nested: [], undirected: [], unknown: [] };

/** Draws a change of some assignments, rules about its roles and others, and now and then trouble. */
export function sceneOf(seed: number, population: Population): Scene {
  const dice = new Dice(seed);
  const assignments = assignmentsOf(dice, population);
  const rules = rulesOf(dice, population, assignments);
  const about = [...assignments.map(({ place, role }) => ({ place, role })), ...placesIn(rules)];
  const auth0 = dice.oneIn(2) ? auth0Of(dice, population, about) : [];
  return { assignments, auth0, rules, trouble: troubleOf(dice, population, assignments, rules) };
}

function troubleOf(
  dice: Dice,
  population: Population,
  assignments: readonly Assignment[],
  rules: RulesText,
): Trouble {
  if (!dice.oneIn(3)) return NO_TROUBLE;
  const changed = dice.pick(assignments);
  const about = assignments.flatMap(({ before = [], after = [] }) => [...before, ...after]);
  const places = [{ place: changed.place, role: changed.role }, ...placesIn(rules)];
  // No tenant answers with more at once, and a review that gets such an answer asks about no other group.
  const isListedAtOnce = (group: string) => (population.people.get(group) ?? []).length < CROWD;
  const trouble = { ...NO_TROUBLE };
  if (dice.oneIn(2)) trouble.lacking = dice.pick(LACKING);
  if (trouble.lacking !== "read:group_members" && dice.oneIn(2)) trouble.unlisted = dice.some(about, 1);
  if (trouble.lacking !== "read:group_members" && dice.oneIn(2))
    trouble.nested = dice.some(about, 2).filter(isListedAtOnce);
  if (dice.oneIn(3)) trouble.undirected = dice.some(places, 1);
  if (dice.oneIn(4)) trouble.unknown = dice.some(places, 1);
  return trouble;
}

function assignmentsOf(dice: Dice, { roles, organizations, groups }: Population): Assignment[] {
  const made: Assignment[] = [];
  const count = 1 + dice.below(4);
  const taken = new Set<string>();
  while (made.length < count) {
    const organization = dice.oneIn(2) ? dice.pick(organizations) : undefined;
    const place = organization?.id ?? TENANT;
    const here = groups.filter((fact) => fact.place === place);
    const own = roles.filter(({ owner }) => owner === undefined || owner === place);
    const role = here.length > 0 && !dice.oneIn(4) ? dice.pick(here).role : dice.pick(own).id;
    if (taken.has(`${place} ${role}`)) continue;
    taken.add(`${place} ${role}`);
    const all = organization?.groups ?? GROUP_IDS;
    const has = here.filter((fact) => fact.role === role).map(({ holder }) => holder);
    // Now and then state lists a group that has lost the role since.
    const held = [...dice.some(has, 1 + dice.below(3)), ...(dice.oneIn(5) ? [dice.pick(all)] : [])];
    const listed = [...new Set(held)];
    const kept = dice.some(listed, dice.below(listed.length + 1));
    const more = dice.some(all, 1 + dice.below(3));
    const name = `a${made.length}`;
    const at = { name, place, role };
    switch (dice.below(5)) {
      case 0:
        made.push({ ...at, before: undefined, after: more });
        break;
      case 1:
        if (listed.length > 0) made.push({ ...at, before: listed, after: undefined });
        break;
      case 2: {
        // One hands some of its groups over to another one.
        const left = listed.filter((group) => !kept.includes(group));
        if (left.length === 0) break;
        made.push(
          { ...at, before: listed, after: kept },
          { ...at, name: `${name}b`, before: undefined, after: left },
        );
        break;
      }
      case 3:
        // Nothing asks about it, so what state lists is all that anybody knows.
        if (has.length > 0) made.push({ ...at, before: has.slice(0, 2), after: has.slice(0, 2) });
        break;
      default: {
        const after = [...new Set([...kept, ...more])];
        // Unchanged, it would be taken as state has it, also with a group that has lost the role.
        const isSame = JSON.stringify(after) === JSON.stringify(listed);
        if (listed.length > 0 && !isSame) made.push({ ...at, before: listed, after });
      }
    }
  }
  return made;
}

function rulesOf(dice: Dice, population: Population, assignments: readonly Assignment[]): RulesText {
  const { roles, organizations, groups } = population;
  const ownerOf = (role: string) => roles.find(({ id }) => id === role)?.owner;
  const held = groups.map(({ role }) => role).filter((role) => ownerOf(role) === undefined);
  const names = organizations.map(({ id }) => id);
  const changed = () => dice.pick(assignments);
  const conflicts = Array.from({ length: 1 + dice.below(3) }, (): RulesText["conflicts"][number] => {
    const anyContext = dice.oneIn(2);
    const about = changed();
    const isInOne = dice.oneIn(3);
    const first =
      ownerOf(about.role) !== undefined || isInOne ? inPlace(about.role, about.place) : about.role;
    const others = [...new Set(dice.some(held, 1 + dice.below(2)))].filter((role) => role !== about.role);
    // Without anyContext, roles of two organizations would be refused: nobody can break such a rule.
    const placeOf = () => (anyContext ? dice.pick([TENANT, ...names]) : about.place);
    const rest = others.map((role) => (dice.oneIn(3) ? inPlace(role, placeOf()) : role));
    return { roles: [first, ...rest], anyContext };
  }).filter((conflict) => conflict.roles.length > 1);
  const none = () => ({ allow: {}, end: {}, direct: {} });
  const rules: RulesText = { ...none(), default: "free", conflicts, organizations: {} };
  const linesOf = (place: string) =>
    place === TENANT ? rules : (rules.organizations[place] ??= { ...none(), default: "free" });
  for (const { place, role } of [changed(), ...dice.some(assignments, 1)]) {
    const isGeneral = ownerOf(role) === undefined && dice.oneIn(2);
    linesOf(isGeneral ? TENANT : place).allow[role] = dice.some(GROUP_IDS, 20);
  }
  const { place, role } = changed();
  linesOf(dice.oneIn(2) ? TENANT : place).direct[role] = "forbid";
  if (dice.oneIn(6)) linesOf(changed().place).default = "closed";
  return rules;
}

function inPlace(role: string, place: string): RuledRole {
  return place === TENANT ? role : { role, organization: place };
}

/** The roles of conflicts, in the tenant if the rule doesn't say where. */
function placesIn({ conflicts }: RulesText): { place: string; role: string }[] {
  return conflicts
    .flatMap(({ roles }) => roles)
    .map((ruled) =>
      typeof ruled === "string"
        ? { place: TENANT, role: ruled }
        : { place: ruled.organization, role: ruled.role },
    );
}

const ALWAYS = 1_000_000;

/** Returns what makes the simulated tenant answer so. */
export function faultsOf(
  { unlisted, nested, undirected, unknown }: Trouble,
  { people }: Population,
): Fault[] {
  const notFound = (path: string): Fault => ({ method: "GET", path, times: ALWAYS, action: { status: 404 } });
  const of = ({ place, role }: { place: string; role: string }, list: "groups" | "direct") =>
    place === TENANT
      ? `/api/v2/roles/${role}/${list === "groups" ? "groups" : "users"}`
      : `/api/v2/organizations/${place}/roles/${role}/${list === "groups" ? "groups" : "members"}`;
  return [
    ...unlisted.map((group) => notFound(`/api/v2/groups/${group}/members`)),
    ...nested
      .filter((group) => !unlisted.includes(group))
      .map((group): Fault => {
        const own = (people.get(group) ?? []).map((id) => ({ id, member_type: "user" }));
        const members = [
          ...own,
          { id: "grp_ZZZZZZZZZZZZZZ", member_type: "group" },
          ...own,
          { id: "client-of-some-kind", member_type: "client" },
        ];
        const path = `/api/v2/groups/${group}/members`;
        return { method: "GET", path, times: ALWAYS, action: { status: 200, body: { members } } };
      }),
    ...undirected.map((at) => notFound(of(at, "direct"))),
    ...unknown.map((at) => notFound(of(at, "groups"))),
  ];
}
