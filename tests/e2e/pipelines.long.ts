import { setTimeout as sleep } from "node:timers/promises";
import { Tenant } from "../../testkit/tenant";
import { letAMinutePass, type Postgres, startPostgres } from "../../testkit/postgres";
import { ADMINS, AGENT, BILLING, CONTRACTORS } from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack, succeeded } from "../../testkit/stack";

/*
 * Pipelines that share a state backend, or a role: docs/pipelines.md. The backend is a real PostgreSQL
 * server; each pipeline is the real CLI with its own home and checkout.
 */

const LOCKED =
  /the stack is currently locked by \d+ lock\(s\)\. Either wait for the other process\(es\) to end/;
/** Of runs that begin at once, the one's lock may go while the other reads it: one of a hundred ends so. */
const LOCKED_OR_GONE = new RegExp(`${LOCKED.source}|sql: no rows in result set`);

const tenant = new Tenant();
let postgres: Postgres;
const stacks: Stack[] = [];

beforeAll(async () => {
  [postgres] = await Promise.all([startPostgres(), tenant.open()]);
});

afterAll(async () => {
  await Promise.all([postgres.stop(), tenant.close()]);
});

beforeEach(() => tenant.seed({ roles: [{ id: AGENT, name: "shared" }] }));

afterEach(() => {
  for (const stack of stacks.splice(0)) stack.remove();
});

async function newStack(name: string): Promise<Stack> {
  const env = {
    ...environmentOf(tenant),
    PGPASSWORD: postgres.password,
  };
  const stack = await Stack.create({ name, language: "yaml", backend: postgres.url, env });
  stacks.push(stack);
  return stack;
}

function checkoutOf(stack: Stack): Stack {
  const other = stack.checkout();
  stacks.push(other);
  return other;
}

interface Wanted {
  profiles?: readonly string[];
  groups?: readonly string[];
}

function program({ profiles = [], groups: groupIds = [] }: Wanted): string {
  const made = profiles.map((name) => [name, { type: "identity:ConnectionProfile", properties: { name } }]);
  const access = { type: "identity:RoleGroupAssignment", properties: { roleId: AGENT, groupIds } };
  const resources = { ...Object.fromEntries(made), ...(groupIds.length > 0 && { access }) } as object;
  return `resources: ${JSON.stringify(resources)}\n`;
}

async function expectNothingToDo(...pipelines: Stack[]): Promise<void> {
  for (const pipeline of pipelines) succeeded(await pipeline.preview({ args: ["--expect-no-changes"] }));
}

/** Checks that state and tenant have the same, each once. */
async function expectStateIsTruth(stack: Stack, { profiles = [], groups = [] }: Wanted): Promise<void> {
  const { resources, pending_operations = [] } = await stack.state();
  const ofKind = (kind: string) => resources.filter(({ type }) => type.endsWith(`:${kind}`));
  expect(pending_operations).toEqual([]);
  expect(
    tenant
      .profiles()
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...profiles].sort());
  const ids = ofKind("ConnectionProfile").map(({ id }) => id);
  expect(ids.sort()).toEqual(
    tenant
      .profiles()
      .map(({ id }) => id)
      .sort(),
  );
  expect(tenant.groupsOf(AGENT)).toEqual([...groups].sort());
  expect(ofKind("RoleGroupAssignment").flatMap(({ outputs }) => outputs?.["groupIds"])).toEqual(
    [...groups].sort(),
  );
}

describe("two runs of one stack", () => {
  test("at once, and one after the other: nothing is made twice, nothing is lost", async () => {
    const first = await newStack("apart");
    const second = checkoutOf(first);
    for (const [apart, wanted] of [
      [0, { profiles: ["a", "b", "c"], groups: [ADMINS] }],
      [300, { profiles: ["b", "c", "d"], groups: [ADMINS, BILLING] }],
    ] as const) {
      for (const pipeline of [first, second]) pipeline.write(program(wanted));
      const runs = [first.up(), sleep(apart).then(() => second.up())];
      const ended = await Promise.all(runs);
      // Each sees the other's lock, or none: two that begin at once may both be refused.
      for (const { code, all } of ended) if (code !== 0) expect(all).toMatch(LOCKED_OR_GONE);

      succeeded(await second.up());
      await expectStateIsTruth(first, wanted);
    }
    await expectNothingToDo(first);
  });

  test("the second is refused while the first one works, and sends nothing", async () => {
    const first = await newStack("refused");
    const second = checkoutOf(first);
    const wanted = { profiles: ["a"], groups: [ADMINS] };
    for (const pipeline of [first, second]) pipeline.write(program(wanted));
    // Long enough for the others on a busy machine, and shorter than a request's time limit.
    tenant.fail({ method: "POST", path: "/api/v2/*", action: { delay: 20_000 } });
    const tokens = () => tenant.simulator.state().access_tokens.length;
    const before = tokens();
    const running = first.up();
    while (tokens() === before) await sleep(50);

    for (const refused of await Promise.all([second.up(), second.destroy()])) {
      expect(refused.code).not.toBe(0);
      expect(refused.all).toMatch(LOCKED);
      expect(refused.all).not.toContain(postgres.password);
    }
    succeeded(await running);
    expect(tenant.sent().filter((line) => line === "token")).toHaveLength(1);
    succeeded(await second.up({ args: ["--expect-no-changes"] }));
    await expectStateIsTruth(second, wanted);
  });

  test("a run that is killed leaves its lock, until pulumi cancel", async () => {
    const first = await newStack("killed");
    const second = checkoutOf(first);
    const wanted = { groups: [ADMINS, BILLING] };
    for (const pipeline of [first, second]) pipeline.write(program(wanted));
    // The tenant has done it, and the answer is on its way.
    tenant.fail({ method: "POST", path: "/api/v2/roles/*", action: { delay: 60_000 } });
    const running = first.up();
    while (tenant.groupsOf(AGENT).length === 0) await sleep(50);
    first.kill();
    expect((await running).code).not.toBe(0);
    tenant.clear();

    expect((await second.up()).all).toMatch(LOCKED);
    succeeded(await second.pulumi(["cancel", "--yes"]));
    const again = succeeded(await second.up());
    // The interrupted create is reported, and sending it again does no harm.
    expect(again.all).toContain("interrupted while creating");
    expect(tenant.groupsOf(AGENT)).toEqual([ADMINS, BILLING].sort());
    succeeded(await second.refresh({ args: ["--clear-pending-creates"] }));
    await expectStateIsTruth(second, wanted);
    succeeded(await first.destroy());
    await expectStateIsTruth(second, {});
  });
});

describe("two stacks with assignments of one role", () => {
  async function twoStacks(name: string): Promise<[Stack, Stack]> {
    return [await newStack(`${name}-one`), await newStack(`${name}-two`)];
  }

  const both = async (...runs: Promise<CommandResult>[]) =>
    (await Promise.all(runs)).forEach((result) => succeeded(result));

  test("of different groups: each keeps its own, whatever the other does at the same time", async () => {
    const [one, two] = await twoStacks("own");
    one.write(program({ groups: [ADMINS] }));
    two.write(program({ groups: [BILLING] }));
    await both(one.up(), two.up());
    expect(tenant.groupsOf(AGENT)).toEqual([ADMINS, BILLING].sort());

    two.write(program({ groups: [CONTRACTORS] }));
    await both(one.refresh({ args: ["--expect-no-changes"] }), two.up());
    expect(tenant.groupsOf(AGENT)).toEqual([ADMINS, CONTRACTORS].sort());

    one.write(program({ groups: [ADMINS, BILLING] }));
    await both(one.up(), two.destroy());
    expect(tenant.groupsOf(AGENT)).toEqual([ADMINS, BILLING].sort());

    await both(one.destroy(), two.up());
    expect(tenant.groupsOf(AGENT)).toEqual([CONTRACTORS]);
  });

  test("of the same group: the one that is destroyed takes it from the other, which gives it back", async () => {
    const [one, two] = await twoStacks("same");
    for (const stack of [one, two]) {
      stack.write(program({ groups: [ADMINS] }));
      succeeded(await stack.up());
    }
    succeeded(await one.destroy());
    expect(tenant.groupsOf(AGENT)).toEqual([]);

    // State doesn't know about it until a refresh.
    await expectNothingToDo(two);
    await letAMinutePass(postgres);
    succeeded(await two.up({ args: ["--refresh"] }));
    expect(tenant.groupsOf(AGENT)).toEqual([ADMINS]);
  });
});
