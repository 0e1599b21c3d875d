import { type AccessJson } from "../../cli/access/model";
import { type SeedInput, type Simulator } from "../../simulator";
import { ALL_SCOPES } from "../../simulator/default-seed";
import { asked, assignment, jsonOf, state } from "../../testkit/cli/access";
import {
  Dice,
  factKey,
  type Fact,
  GROUP_IDS,
  type Population,
  populationOf,
  seedOf,
  TENANT,
} from "./people-world";

/*
 * People who leave a tenant of 5,000, 200 roles, 60 groups and 40 organizations, all of which follows from a
 * seed, and a calculator that knows from the seed alone what each of them has.
 */

/** Scopes that a command can do without. */
const LACKING = [
  "read:sessions",
  "read:refresh_tokens",
  "read:device_credentials",
  "read:group_members",
  "read:organizations",
  "read:user_effective_roles",
] as const;
type Lacking = (typeof LACKING)[number] | undefined;

const SECRET = "a-secret-of-the-simulated-client";
const APPS = ["web", "mobile", "desktop"];
const TYPES = ["public_key", "refresh_token", "rotating_refresh_token"] as const;
const APIS = ["https://tickets.example.com/", "https://reports.example.com/"];

/** A line of a program that gives people something, by its name in the state. */
interface Line extends Fact {
  name: string;
}

interface World {
  population: Population;
  seed: SeedInput;
  leavers: string[];
  /** Grants of groups that a state has. */
  managed: Line[];
  /** Roles of people that `@pulumi/auth0` gives. */
  given: Line[];
  signIns: Required<Pick<SeedInput, "sessions" | "refresh_tokens" | "device_credentials">>;
  permissions: ReadonlyMap<string, { api: string; name: string }[]>;
}

function worldOf(seed: number, count: number): World {
  const population = populationOf(seed);
  const dice = new Dice(seed + 7);
  // Some groups have one member.
  const alone = dice.some(GROUP_IDS, 8);
  for (const group of alone) population.people.set(group, [dice.pick(population.everyone)]);
  const only = alone.flatMap((group) => population.people.get(group) ?? []);
  const members = [...population.people.values()].flat();
  const some = Array.from({ length: count }, () =>
    dice.pick([members, population.everyone][dice.below(2)] ?? []),
  );
  const gone = Array.from({ length: Math.ceil(count / 20) }, (_, index) => `auth0|gone${index}`);
  const leavers = [...new Set([...only.slice(0, 6), ...gone, ...some])].slice(0, count);
  const everyone = [...leavers, ...dice.some(population.everyone, 200)];
  const times = (most: number) =>
    everyone.flatMap((user_id) =>
      dice.oneIn(2) ? [] : Array.from({ length: dice.below(most + 1) }, (_, index) => ({ user_id, index })),
    );
  const time = () =>
    dice.oneIn(3) ? undefined : new Date(1_700_000_000_000 + dice.below(1e9)).toISOString();
  const signIns = {
    sessions: times(3).map(({ user_id }, index) => ({
      id: `s${index}`,
      user_id,
      last_interacted_at: time(),
    })),
    // One of them has more than a page.
    refresh_tokens: [...times(3), ...Array.from({ length: 130 }, () => ({ user_id: leavers[0] ?? "" }))].map(
      ({ user_id }, index) => ({
        id: `t${index}`,
        user_id,
        client_id: dice.pick(APPS),
        last_exchanged_at: time(),
      }),
    ),
    device_credentials: times(4).map(({ user_id }, index) => ({
      id: `dcr_${index}`,
      user_id,
      type: dice.pick(TYPES),
      client_id: dice.pick(APPS),
    })),
  };
  const permissions = new Map(
    leavers.map((user) => [
      user,
      dice.some(
        APIS.flatMap((api) => ["read", "write"].map((name) => ({ api, name }))),
        dice.oneIn(3) ? dice.below(4) : 0,
      ),
    ]),
  );
  const users = seedOf(population).users?.map((user) => ({
    ...user,
    permissions: (permissions.get(user.user_id) ?? []).map(({ api, name }) => ({
      resource_server_identifier: api,
      permission_name: name,
      sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
    })),
  }));
  const clients = [undefined, ...LACKING].map((lacking) => ({
    client_id: clientFor(lacking),
    client_secret: SECRET,
    scope: ALL_SCOPES.split(" ")
      .filter((scope) => scope !== lacking)
      .join(" "),
  }));
  const roles = [...new Set(population.groups.map(roleOf))];
  const declared = new Set(roles.filter(() => dice.oneIn(2)));
  // No state names these, so only --leave asks them.
  const unnamed = new Set(dice.some(population.organizations, 15).map(({ id }) => id));
  const isManaged = (fact: Fact) =>
    alone.slice(0, 2).includes(fact.holder) ||
    (!unnamed.has(fact.place) && declared.has(roleOf(fact)) && !dice.oneIn(4));
  return {
    population,
    leavers,
    signIns,
    permissions,
    seed: { ...seedOf(population), ...signIns, users: users ?? [], clients },
    managed: population.groups
      .filter(isManaged)
      .map((fact) => ({ ...fact, name: `a${roles.indexOf(roleOf(fact))}` })),
    given: population.direct
      .filter(({ holder }) => leavers.includes(holder) && dice.oneIn(2))
      .map((fact, index) => ({ ...fact, name: `u${index}` })),
  };
}

const roleOf = ({ place, role }: Fact) => (place === TENANT ? role : `${place}/${role}`);
const clientFor = (lacking: Lacking) => (lacking === undefined ? "all" : lacking.replace(/\W/g, "-"));

function stateOf({ managed, given }: World, host: string) {
  const byName = new Map<string, Line[]>();
  for (const line of managed) byName.set(line.name, [...(byName.get(line.name) ?? []), line]);
  const assignments = [...byName].map(([name, all]) => {
    const [first] = all as [Line];
    const groups = all.map(({ holder }) => holder);
    if (first.place === TENANT) return [name, assignment(first.role, groups)] as const;
    const there = { organizationId: first.place, roleId: first.role };
    const type = "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment";
    return [name, { ...assignment(roleOf(first), groups, there), type }] as const;
  });
  const ofAuth0 = given.map(({ name, place, role, holder }) => {
    const inOrganization = place === TENANT ? {} : { organizationId: place };
    const type = place === TENANT ? "userRole:UserRole" : "organizationMemberRole:OrganizationMemberRole";
    const outputs = { userId: holder, roleId: role, ...inOrganization };
    return [name, { type: `auth0:index/${type}`, id: name, outputs }] as const;
  });
  return state(host, "access/prod", Object.fromEntries([...assignments, ...ofAuth0]));
}

interface Tally {
  leavers: number;
  /** What was found and expected, of those who are asked with all scopes. */
  found: number;
  nothing: number;
  gone: number;
  /** Groups whose line in the program can go. */
  onlyMembers: number;
  lacking: number;
  differences: string[];
}

/** Asks about each of them, by turns with and without a scope, and compares with the calculator. */
export async function compareLeavers(simulator: Simulator, seed: number, count: number): Promise<Tally> {
  const world = worldOf(seed, count);
  simulator.seed(world.seed);
  const exported = stateOf(world, new URL(simulator.url).host);
  const tally: Tally = {
    leavers: world.leavers.length,
    ...{ found: 0, nothing: 0, gone: 0, onlyMembers: 0, lacking: 0 },
    differences: [],
  };
  for (const [index, user] of world.leavers.entries()) {
    const lacking = index % 5 === 4 ? LACKING[((index / 5) % LACKING.length) | 0] : undefined;
    const client = { url: simulator.url, clientId: clientFor(lacking), clientSecret: SECRET };
    const json = jsonOf(await asked(client, { user, leave: true, exports: [exported] }));
    const differences =
      lacking === undefined
        ? wholeDifferences(json, user, world, tally)
        : partDifferences(json, user, world, lacking);
    if (lacking !== undefined) tally.lacking++;
    tally.differences.push(...differences.map((text) => `${user} without ${lacking}, seed ${seed}: ${text}`));
  }
  return tally;
}

/** What somebody has, a line for each thing. */
function thingsOf(user: string, { population, signIns, permissions }: World): string[] {
  const { everyone, people, groups, direct } = population;
  const devices = signIns.device_credentials
    .filter(({ user_id }) => user_id === user)
    .map(({ id, type, client_id }) => `device ${id} ${type} ${client_id}`);
  if (!everyone.includes(user)) return devices.sort();
  return [
    ...groups
      .filter(({ holder }) => people.get(holder)?.includes(user))
      .map((fact) => `role ${roleOf(fact)} through ${fact.holder}`),
    ...direct.filter(({ holder }) => holder === user).map((fact) => `role ${roleOf(fact)} directly`),
    ...(permissions.get(user) ?? []).map(({ api, name }) => `permission ${name} of ${api}`),
    ...signIns.sessions
      .filter(({ user_id }) => user_id === user)
      .map(({ id, last_interacted_at: time }) => `session ${id} ${timeText(time)}`),
    ...signIns.refresh_tokens
      .filter(({ user_id }) => user_id === user)
      .map(({ id, client_id, last_exchanged_at: time }) => `token ${id} ${client_id} ${timeText(time)}`),
    ...devices,
  ].sort();
}

const timeText = (time: unknown) => (typeof time === "string" ? time : "-");

/** What the answer has, in the same words. */
function thingsIn({ roles, user }: AccessJson): string[] {
  const { sessions, refreshTokens, deviceCredentials } = user?.leaving ?? {};
  return [
    ...roles.flatMap(({ id, direct, groups }) => [
      ...(direct === true ? [`role ${id} directly`] : []),
      ...groups.map((group) => `role ${id} through ${group.id}`),
    ]),
    ...(user?.permissions ?? [])
      .filter(({ sources }) => sources?.some(({ kind }) => kind === "direct"))
      .map(({ name, resourceServer }) => `permission ${name} of ${resourceServer}`),
    ...(sessions?.items ?? []).map(({ id, lastUsed }) => `session ${id} ${lastUsed ?? "-"}`),
    ...(refreshTokens?.items ?? []).map(
      ({ id, client, lastExchanged }) => `token ${id} ${client} ${lastExchanged ?? "-"}`,
    ),
    ...(deviceCredentials?.items ?? []).map(({ id, type, client }) => `device ${id} ${type} ${client}`),
  ].sort();
}

function without(all: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return all.filter((one) => !known.has(one));
}

function wholeDifferences(json: AccessJson, user: string, world: World, tally: Tally): string[] {
  const { population } = world;
  const [expected, said] = [thingsOf(user, world), thingsIn(json)];
  const isGone = !population.everyone.includes(user);
  const leaving = json.user?.leaving;
  tally.found += expected.length;
  if (expected.length === 0) tally.nothing++;
  if (isGone) tally.gone++;
  return [
    ...without(expected, said).map((thing) => `in silence: ${thing}`),
    ...without(said, expected).map((thing) => `said, and not so: ${thing}`),
    ...unequal("twice", said.length, new Set(said).size),
    ...unequal("left", leaving?.left, expected.length > 0),
    ...unequal("gone", leaving?.gone, isGone),
    ...unequal("complete", json.complete, true),
    ...stepDifferences(json, user, world, tally),
  ];
}

/** Each group once, where it's taken; and each line of a program that gives the person alone something. */
function stepDifferences(json: AccessJson, user: string, world: World, tally: Tally): string[] {
  const { population, managed, given, signIns } = world;
  const { steps = [], groups = [] } = json.user?.leaving ?? {};
  if (!population.everyone.includes(user)) return [];
  const own = [...population.people].filter(([, people]) => people.includes(user)).map(([group]) => group);
  const factsOf = (group: string) => population.groups.filter(({ holder }) => holder === group);
  const behind = own.filter((group) => factsOf(group).length > 0).sort();
  const lines = new Map(managed.map((line) => [factKey(line), line.name]));
  const found = behind.flatMap((group) => {
    const people = population.people.get(group) ?? [];
    const names = factsOf(group).map((fact) => lines.get(factKey(fact)));
    const isProgram = people.length === 1 && names.every((name) => name !== undefined);
    if (isProgram) tally.onlyMembers++;
    const [step, ...more] = steps.filter(({ text }) => text.includes(group));
    const all = [...new Set(names.flatMap((name) => name ?? []))].sort();
    const there = groups.find(({ id }) => id === group);
    return [
      ...unequal(`${group}: more steps`, more.length, 0),
      ...unequal(`${group}: where`, step?.where, isProgram ? "program" : "directory"),
      ...unequal(`${group}: lines`, step?.by.map(({ resource }) => resource).sort(), all),
      ...unequal(`${group}: others`, there?.others, countOf(people.length - 1)),
    ];
  });
  const ofAuth0 = given.filter(({ holder }) => holder === user).map(({ name }) => name);
  const named = steps
    .flatMap(({ by }) => by.map(({ resource }) => resource))
    .filter((name) => /^u\d/.test(name));
  const isSignedIn = Object.values(signIns)
    .flat()
    .some(({ user_id }) => user_id === user);
  return [
    ...found,
    ...unequal("groups", groups.map(({ id }) => id).sort(), behind),
    ...unequal("lines of auth0", named.sort(), ofAuth0.sort()),
    ...unequal("a sign-out", steps.at(-1)?.write !== undefined, isSignedIn),
  ];
}

/** The answer says of more than 1,000 only that there are more. */
function countOf(others: number): { count: number; more: boolean } | string {
  return others >= 1_000 ? "many" : { count: others, more: false };
}

/** Nothing that was not read is called taken, and what is said is so. */
function partDifferences(json: AccessJson, user: string, world: World, lacking: Lacking): string[] {
  const leaving = json.user?.leaving;
  const truth = thingsOf(user, world);
  // Without the user's roles, a role has all of its groups.
  const isShown = (thing: string) => lacking !== "read:user_effective_roles" || !thing.startsWith("role ");
  return [
    ...without(thingsIn(json).filter(isShown), truth).map((thing) => `said, and not so: ${thing}`),
    ...unequal("nothing left", leaving?.left === false && truth.length > 0, false),
    ...unequal("left", leaving?.left === true && truth.length === 0, false),
  ];
}

function unequal(what: string, said: unknown, expected: unknown): string[] {
  if (expected === "many" || JSON.stringify(said) === JSON.stringify(expected)) return [];
  return [`${what}: said ${JSON.stringify(said)}; expected ${JSON.stringify(expected)}`];
}
