import { type AccessEffect } from "../../provider/access/change";
import { type Review } from "../../cli/review/review";
import { toJson } from "../../cli/review/output/json";
import { AskedTenant, MAKING } from "../../testkit/cli/asked";
import { step } from "../../testkit/cli/previews";
import { FIXED_SEED, NEW_SEED } from "../../testkit/properties";
import {
  isChanged,
  type Outcome,
  outcomeOf,
  permittedBy,
  roleText,
  sharedOf,
  standingIn,
} from "./people-calculator";
import { auth0StepOf, subjectOf } from "./people-auth0";
import {
  type Assignment,
  clientOf,
  type Fact,
  factKey,
  faultsOf,
  type Population,
  populationOf,
  type Scene,
  sceneOf,
  seedOf,
  TENANT,
} from "./people-world";
import { inPlaces, organizationOf } from "./places";
import { rulesClaims } from "./rules";

/*
 * The people and the breaches of a review, against a calculator of their own, on a tenant of
 * 5,000 people, 200 roles, 60 groups and 40 organizations. PROPERTY_SEED repeats a run; each difference
 * prints the change that it is of.
 */

const CHANGES = 150;

const tenant = AskedTenant.forTests();

/** Other groups whose people a review reads, docs/review.md. */
const MOST_OTHERS = 10;
const MOST_PEOPLE = 1_000;

interface Tally {
  rows: number;
  compared: number;
  /** Rows of people, and permissions, that another provider gives or takes. */
  direct: number;
  /** Rows of what isn't there today. */
  forgotten: number;
  permissions: number;
  breaches: Record<string, number>;
  doubted: number;
  differences: string[];
}

describe.each([
  ["the fixed seed", FIXED_SEED],
  ["a new seed", NEW_SEED % 2 ** 30],
])("of %s (%i)", (_, seed) => {
  const population = populationOf(seed);

  test(
    `${CHANGES} changes have the people and breaches of the calculator`,
    async () => {
      tenant.simulator.seed(seedOf(population));
      const tally: Tally = {
        rows: 0,
        compared: 0,
        direct: 0,
        forgotten: 0,
        permissions: 0,
        breaches: {},
        doubted: 0,
        differences: [],
      };
      for (let change = 0; change < CHANGES; change++) {
        const scene = sceneOf(seed + 1 + change, population);
        const differences = await compare(scene, population, tally);
        tally.differences.push(
          ...differences.map((text) => `change ${change} of seed ${seed}: ${text}\n${JSON.stringify(scene)}`),
        );
      }
      const { differences, ...sums } = tally;
      process.stdout.write(`seed ${seed}: ${JSON.stringify(sums)}\n`);
      expect(differences.slice(0, 2).join("\n\n")).toBe("");
      // It found what it is to find.
      expect(tally.compared).toBeGreaterThan(CHANGES);
      expect(tally.direct).toBeGreaterThan(CHANGES / 10);
      expect(tally.forgotten).toBeGreaterThan(0);
      expect(tally.permissions).toBeGreaterThan(0);
      for (const kind of ["allow", "group", "people", "across", "direct"])
        expect([kind, (tally.breaches[kind] ?? 0) > 0]).toEqual([kind, true]);
      expect(tally.doubted).toBeGreaterThan(0);
      expect(tally.doubted).toBeLessThan(CHANGES / 2);
    },
    30 * 60_000,
  );
});

async function reviewOf(
  { assignments, auth0, rules, trouble }: Scene,
  population: Population,
): Promise<Review> {
  tenant.simulator.reset();
  tenant.simulator.fail(...faultsOf(trouble, population));
  const [review] = await tenant.reviewed([[...assignments.map(stepOf), ...auth0.map(auth0StepOf)]], {
    rules: JSON.stringify(rules),
    environment: clientOf(trouble.lacking),
  });
  return review as Review;
}

function stepOf({ name, place, role, before, after }: Assignment): object {
  const inputs = (groupIds: string[]) => ({
    ...(place !== TENANT && { organizationId: place }),
    roleId: role,
    groupIds,
    exclusive: false,
  });
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  return step({
    kind: place === TENANT ? "RoleGroupAssignment" : "OrganizationRoleGroupAssignment",
    name,
    id: roleText(place, role),
    op: before === undefined ? "create" : after === undefined ? "delete" : isSame ? "same" : "update",
    ...(before && { before: inputs(before) }),
    ...(after && { after: inputs(after) }),
  });
}

const factOf = ({
  organization,
  role,
  holder,
}: Pick<AccessEffect, "organization" | "role" | "holder">): Fact => ({
  place: organization ?? TENANT,
  role,
  holder: "group" in holder ? holder.group : holder.user,
});

/** Returns where a review differs from the calculator. */
async function compare(scene: Scene, population: Population, tally: Tally): Promise<string[]> {
  const review = await reviewOf(scene, population);
  const outcome = outcomeOf(scene, population, {
    groups: isKnownIn(scene),
    direct: isDirectKnownIn(scene),
  });
  const rowsOf = (effect: string) => review.access.filter((row) => row.effect === effect);
  const differences: string[] = [];
  const mayBe = { gains: [], loses: outcome.mayLose };
  for (const effect of ["gains", "loses"] as const) {
    const said = rowsOf(effect).map((row) => factKey(factOf(row)));
    const expected = outcome[effect].map(factKey);
    const possible = [...expected, ...mayBe[effect].map(factKey)];
    const [missing, wrong] = [without(expected, said), without(said, possible)];
    if (missing.length + wrong.length > 0)
      differences.push(`${effect}: missing ${missing.join(", ")}; wrong ${wrong.join(", ")}`);
    for (const row of rowsOf(effect)) {
      tally.rows++;
      if ("user" in row.holder) tally.direct++;
      if (row.unless !== undefined) differences.push(`${factKey(factOf(row))}: unless ${String(row.unless)}`);
      const isForgotten = effect === "loses" && isGoneIn(scene, outcome, row);
      if (isForgotten !== (row.forgotten === true))
        differences.push(`${factKey(factOf(row))}: ${isForgotten ? "not forgotten" : "forgotten"}`);
      else if (isForgotten) tally.forgotten++;
      else differences.push(...peopleDifferences(review, row, effect, scene, { population, tally, outcome }));
    }
  }
  return [
    ...differences,
    ...auth0Differences(review, scene, { population, tally, outcome }),
    ...breachDifferences(review, scene, { population, tally, outcome }),
  ];
}

/** True if the tenant says that the holder doesn't have today what it loses. */
function isGoneIn(scene: Scene, { before }: Outcome, row: AccessEffect): boolean {
  const { place, role, holder } = factOf(row);
  return "user" in row.holder
    ? isDirectKnownIn(scene)(place, role) && !before.directly(place, role).has(holder)
    : isKnownIn(scene)(place, role) && !before.groups(place, role).has(holder);
}

function without(all: readonly string[], others: readonly string[]): string[] {
  return all.filter((one) => !others.includes(one));
}

/** Permissions with the people who have them, and a doubt for whatever ends roles that nobody lists. */
function auth0Differences(
  review: Review,
  { assignments, auth0, rules, trouble }: Scene,
  { population, tally, outcome }: Expected,
): string[] {
  const expected = permittedBy(auth0, population);
  const ofRow = ({ effect, holder, permission }: Review["permissions"][number]) => {
    const of = "role" in holder ? holder.role : "user" in holder ? holder.user : holder.made;
    return [effect, of, permission].join(" ");
  };
  const said = review.permissions.map(ofRow);
  const keys = expected.map(({ effect, of, permission }) => [effect, of, permission].join(" "));
  const [missing, wrong] = [without(keys, said), without(said, keys)];
  const differences =
    missing.length + wrong.length > 0
      ? [`permissions: missing ${missing.join(", ")}; wrong ${wrong.join(", ")}`]
      : [];
  tally.permissions += said.length;
  for (const row of review.permissions) {
    const { holder, effect } = row;
    if (!("role" in holder)) continue;
    const { role } = holder;
    const shown = review.permitted.get(row);
    const moment = effect === "gains" ? outcome.after : outcome.before;
    const places = [TENANT, ...population.organizations.map(({ id }) => id)];
    const most = new Set(places.flatMap((place) => [...moment.people(place, role)]));
    const changed = assignments
      .filter((one) => one.role === role && isChanged(one))
      .map(({ place }) => place);
    const least = [TENANT, ...changed].flatMap((place) => [...moment.people(place, role)]);
    // In an organization that only a rule names, nobody is asked who has the role directly.
    const isRuled = rules.conflicts.some((one) =>
      one.roles.some((ruled) => (typeof ruled === "string" ? ruled : ruled.role) === role),
    );
    const isReadable =
      !isRuled &&
      trouble.lacking === undefined &&
      trouble.unlisted.length + trouble.nested.length + trouble.unknown.length === 0;
    if (shown === undefined) {
      differences.push(`${ofRow(row)}: no people`);
      continue;
    }
    const ended = auth0.filter(({ type }) => type === "User").map(({ before }) => before?.of);
    const stray = [...shown.people].filter((person) => !most.has(person) && !ended.includes(person));
    if (stray.length > 0) differences.push(`${ofRow(row)}: ${stray.join(", ")} don't have it`);
    const left = least.filter((person) => !shown.people.has(person));
    if (left.length > 0 && !shown.isPart) differences.push(`${ofRow(row)}: ${left.join(", ")} are left out`);
    const isCrowded = [...population.people].some(
      ([group, people]) =>
        people.length > MOST_PEOPLE && places.some((place) => moment.groups(place, role).has(group)),
    );
    if (isReadable && !isCrowded && shown.isPart && trouble.undirected.length === 0)
      differences.push(`${ofRow(row)}: at least, without a reason`);
  }
  for (const change of auth0) {
    const { name, before, after } = change;
    const subject = subjectOf(change);
    const isEnd =
      subject === "object" ||
      (subject === "members" && without(before?.gives ?? [], after?.gives ?? []).length > 0);
    const isDoubted = review.unknown.some((one) => one.name === name && one.categories.includes("revoke"));
    if (isEnd !== isDoubted) differences.push(`${name}: ${isEnd ? "no doubt" : "a doubt"} about what ends`);
  }
  return differences;
}

interface Expected {
  population: Population;
  tally: Tally;
  outcome: ReturnType<typeof outcomeOf>;
}

function isKnownIn({ trouble }: Scene) {
  const { lacking, unknown } = trouble;
  return (place: string, role: string) => {
    if (lacking === (place === TENANT ? "read:group_roles" : "read:organization_group_roles")) return false;
    return !unknown.some((one) => one.place === place && one.role === role);
  };
}

function isDirectKnownIn({ trouble }: Scene) {
  const { lacking, undirected } = trouble;
  return (place: string, role: string) => {
    if (lacking === (place === TENANT ? "read:role_members" : "read:organization_member_roles")) return false;
    return !undirected.some((one) => one.place === place && one.role === role);
  };
}

function peopleDifferences(
  review: Review,
  row: AccessEffect,
  effect: "gains" | "loses",
  scene: Scene,
  { population, tally, outcome }: Expected,
): string[] {
  const fact = factOf(row);
  const { place, role, holder } = fact;
  const { trouble } = scene;
  const people = review.people.get(row);
  const isUser = "user" in row.holder;
  const isUnread = !isUser && (trouble.lacking === "read:group_members" || trouble.unlisted.includes(holder));
  const where = `${effect} ${factKey(fact)}`;
  if (isUnread) return people === undefined ? [] : [`${where}: people that nobody could read`];
  if (people === undefined) return [`${where}: no people`];
  const all = population.people.get(holder) ?? [holder];
  const isNested = trouble.nested.includes(holder);
  const found: [string, unknown, unknown][] = [
    ["more", people.isMore, all.length > MOST_PEOPLE],
    ["nested", [people.groups, people.others], isNested ? [1, 1] : [0, 0]],
  ];
  if (!people.isMore) found.push(["people", [...people.people].sort(), [...all].sort()]);
  const direct = isUser
    ? new Set<string>()
    : outcome[effect === "gains" ? "before" : "after"].directly(place, role);
  if (isUser || isDirectKnownIn(scene)(place, role)) {
    if (!people.isMore)
      found.push(["direct", people.direct, { count: all.filter((one) => direct.has(one)).length }]);
  } else found.push(["direct", "reason" in people.direct && people.direct.reason !== undefined, true]);
  const shared = sharedOf(fact, effect, outcome, population);
  const isWhole = ({ length }: readonly string[]) => length <= MOST_PEOPLE;
  const isReadable = (group: string) =>
    !(trouble.lacking === "read:group_members" && population.people.has(group)) &&
    !trouble.unlisted.includes(group) &&
    !trouble.nested.includes(group) &&
    isWhole(population.people.get(group) ?? []);
  const isCompared =
    isKnownIn(scene)(place, role) &&
    shared.others.length <= MOST_OTHERS &&
    [holder, ...shared.all].every(isReadable);
  if (isCompared) {
    tally.compared++;
    found.push(
      ["not compared", people.notCompared, 0],
      ["same", people.same.count + people.maybe.count, shared.count],
      ["through", [...people.same.through, ...people.maybe.through].sort(), [...shared.through].sort()],
    );
  } else if (
    isKnownIn(scene)(place, role) &&
    shared.others.length > 0 &&
    shared.others.some((one) => !isReadable(one))
  )
    found.push(["not compared", people.notCompared > 0, true]);
  return found
    .filter(([, said, expected]) => JSON.stringify(said) !== JSON.stringify(expected))
    .map(
      ([what, said, expected]) =>
        `${where}: ${what}: said ${JSON.stringify(said)}; expected ${JSON.stringify(expected)}`,
    );
}

/** Where everything could be read, and is as state has it. */
function breachDifferences(review: Review, scene: Scene, { population, tally, outcome }: Expected): string[] {
  const { trouble, auth0, rules } = scene;
  const isTrouble = Object.values(trouble).some((value) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined,
  );
  const doubts = review.unknown.filter(({ categories }) => categories.includes("rules"));
  if (doubts.length > 0) tally.doubted++;
  const unexpected = doubts.filter(({ reason }) => !reason.toString().includes("more than 1,000 people"));
  const differences =
    !isTrouble && unexpected.length > 0 ? [`a doubt without a reason: ${String(unexpected[0]?.reason)}`] : [];
  const isStale = auth0
    .filter((change) => subjectOf(change) === "roles")
    .some(({ before: had }) =>
      had?.gives.some((role) => !outcome.before.directly(had.place, role).has(had.of)),
    );
  if (isTrouble || isStale || outcome.mayLose.length > 0) return differences;
  const ended = auth0.flatMap(({ type, before, after }) =>
    type === "User" && after === undefined ? (before?.of ?? []) : [],
  );
  const everyone = population.everyone.filter((person) => !ended.includes(person));
  const json = inPlaces(toJson(review, { ...MAKING, hasIds: true }));
  // There is only one tenant, with two addresses.
  const breaches = (json.rules?.breaches ?? []).map((breach) => ({ ...breach, tenant: null }));
  for (const { rule, people, roles } of breaches) {
    const isAcross = new Set(roles.map(organizationOf)).size > 1;
    const kind = rule !== "conflict" ? rule : isAcross ? "across" : people === undefined ? "group" : "people";
    tally.breaches[kind] = (tally.breaches[kind] ?? 0) + 1;
  }
  const claims = rulesClaims({
    review: { ...json, rules: { file: "rules.json", breaches } },
    text: JSON.stringify(rules),
    isPartial: false,
    before: { tenant: standingIn(outcome.before, population) },
    after: { tenant: standingIn(outcome.after, { ...population, everyone }) },
    // It asks about what changes, so only what is new must be told.
    isAsked: () => false,
    isOpen: () => false,
  });
  return [...differences, ...claims.map(({ text }) => text)];
}
