import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { reason } from "../../examples/fleet/errors";
import { losses } from "../../examples/fleet/losses";
import { isOver, line, summary } from "../../examples/fleet/progress";
import { type Progress } from "../../examples/fleet/queue";
import {
  parseCustomers,
  refuseTwice,
  shardOf,
  SHARDS,
  shardsOf,
  stackName,
} from "../../examples/fleet/shards";
import { interruptedProfiles } from "../../examples/fleet/stack";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT } from "../../simulator/default-seed";
import { environmentOf, useSimulator } from "../../testkit/simulator";

/** The decisions of examples/fleet that need no queue, CLI or tenant. */

/** The Automation API's report of a failed `up`; some progress lines are left out. */
const FAILED_UP = `code: -2
 stdout: 
 stderr: Command failed with exit code 1: pulumi up --yes --skip-preview --stack shard-07 --non-interactive
 +  pulumi-nodejs:dynamic/identity:ConnectionProfile customer-001 **creating failed** error: POST /connection-profiles answered 403: Forbidden.
 +  pulumi:pulumi:Stack fleet-shard-07 **creating failed (4s)** 1 error
Diagnostics:
  pulumi:pulumi:Stack (fleet-shard-07):
    error: update failed

  pulumi-nodejs:dynamic/identity:ConnectionProfile (customer-001):
    error: POST /connection-profiles answered 403: Forbidden.
    The client may need create:connection_profiles.

Resources:
    + 2 created
    1 errored
`;

const folder = resolve(__dirname, "../../examples/fleet");

describe("shards", () => {
  const customers = Array.from({ length: 600 }, (_, index) => ({ id: `customer-${index}` }));

  test("every customer is in one shard, and every shard is applied", () => {
    const shards = shardsOf(customers);
    expect(shards.map(({ shard }) => shard)).toEqual(Array.from({ length: SHARDS }, (_, index) => index));
    const ids = shards.flatMap((shard) => shard.customers.map(({ id }) => id));
    expect(ids.sort()).toEqual(customers.map(({ id }) => id).sort());
    for (const { shard, customers: members } of shards)
      for (const { id } of members) expect(shardOf(id)).toBe(shard);
    expect(shardsOf([])).toHaveLength(SHARDS);
  });

  test("a customer has the same stack in every release", () => {
    const places = ["customer-001", "customer-002", "customer-003"].map((id) => stackName(shardOf(id)));
    expect(places).toEqual(["shard-09", "shard-10", "shard-01"]);
  });

  test("nobody moves when another customer goes", () => {
    const [gone, ...rest] = customers;
    const before = shardsOf(customers).map((shard) => shard.customers.filter(({ id }) => id !== gone?.id));
    expect(shardsOf(rest).map((shard) => shard.customers)).toEqual(before);
  });
});

describe("the group of a customer", () => {
  const group = "grp_7TqWc2nYx5RkHbVd9sPmZa";
  const placeOf = (...customers: { id: string; adminGroup?: string }[]) =>
    shardsOf(customers).flatMap(({ shard, groups }) => groups.map((id) => [shard, id]));

  test("stays where it is when the customer gets another id, or it passes to another customer", () => {
    const ids = Array.from({ length: 100 }, (_, index) => `customer-${index}`);
    expect(new Set(ids.map(shardOf)).size).toBe(SHARDS);
    for (const id of ids) expect(placeOf({ id, adminGroup: group })).toEqual([[shardOf(group), group]]);
  });

  test("has the same stack in every release", () => expect(stackName(shardOf(group))).toBe("shard-06"));

  test("is refused in two stacks, or twice in one, before anything is applied", () => {
    const [first, second] = shardsOf([]);
    const shards = [first!, second!].map((shard) => ({ ...shard, groups: [group] }));
    expect(() => refuseTwice(shards)).toThrow(
      `Group ${group} is in shard-00 and in shard-01: one stack must give it the role.`,
    );
    expect(() => refuseTwice([{ ...first!, groups: [group, group] }])).toThrow(
      `Group ${group} is listed twice in shard-00.`,
    );
    refuseTwice(shardsOf(parseCustomers(readFileSync(join(folder, "customers.json"), "utf8"))));
  });
});

describe("the last look at the tenant", () => {
  const groups = [ADMINS, BILLING, SUPPORT];
  const shards = shardsOf(groups.map((adminGroup, index) => ({ id: `customer-${index}`, adminGroup })));
  const simulator = useSimulator();
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (name.startsWith("IDENTITY_")) delete process.env[name];
  });
  const withRole = (...held: string[]) => {
    simulator.seed({ ...DEFAULT_SEED, roles: [{ id: AGENT, groups: held }] });
    Object.assign(process.env, environmentOf(simulator));
  };

  test("shows who has lost the role, and how to give it back", async () => {
    withRole(BILLING);
    const lost = [ADMINS, SUPPORT].map((group) => [stackName(shardOf(group)), group] as const);
    const lines = await losses(shards);
    expect(lines.slice(0, -1).sort()).toEqual(
      lost.map(([stack, group]) => `${stack}: ${group} has lost the role`).sort(),
    );
    const stacks = [...new Set(lost.map(([stack]) => stack))].sort().join(" ");
    expect(lines.at(-1)).toBe(`To give it back: npm run fleet -- customers.json --refresh ${stacks}`);
  });

  test("says nothing when all have it, and asks nothing when nobody should", async () => {
    withRole(...groups);
    expect(await losses(shards)).toEqual([]);
    simulator.reset();
    expect(await losses(shardsOf([{ id: "customer-1" }]))).toEqual([]);
    expect(simulator.requests()).toEqual([]);
  });
});

describe("the list of customers", () => {
  test("of the example can be read", () => {
    expect(parseCustomers(readFileSync(join(folder, "customers.json"), "utf8")).length).toBeGreaterThan(0);
  });

  test.each([
    ["no JSON", "{", /JSON/],
    ["no list", "{}", "It must be a list of customers."],
    ["no id", '[{"id":"a"},{}]', "Entry 2 has no id."],
    ["nothing", "[null]", "Entry 1 has no id."],
    [
      "a group of two customers",
      '[{"id":"a","adminGroup":"grp_1"},{"id":"b","adminGroup":"grp_1"}]',
      "Customers a and b have the same group: grp_1.",
    ],
    ["a customer twice", '[{"id":"a"},{"id":"a"}]', "Customer a is listed twice."],
  ])("%s", (_, text, message) => expect(() => parseCustomers(text)).toThrow(message));
});

describe("progress", () => {
  const row = (more: Partial<Progress>): Progress => ({
    shard: 3,
    state: "created",
    session: null,
    report: null,
    seconds: null,
    ...more,
  });

  test.each<[Partial<Progress>, string | undefined]>([
    [{}, undefined],
    [{ state: "active", session: null }, undefined],
    [{ state: "active", session: "fleet/shard-03/host:1", seconds: 4 }, "shard-03 running by host:1"],
    [
      { state: "active", session: "fleet/shard-03/host:2", report: { worker: "host:1", message: "old" } },
      "shard-03 running by host:2",
    ],
    [
      { state: "retry", report: { worker: "host:1", message: "Its worker is gone." } },
      "shard-03 waits to be tried again: Its worker is gone.",
    ],
    [
      { state: "completed", report: { worker: "host:1", message: "changed" }, seconds: 9 },
      "shard-03 done by host:1, 9 s: changed",
    ],
    [
      { state: "failed", report: { worker: "host:1", message: "refused" } },
      "shard-03 failed by host:1: refused",
    ],
  ])("%j", (more, text) => expect(line(row(more))).toBe(text));

  test("a run is over when no shard is left", () => {
    const rows = (["completed", "failed", "active", "retry", "created"] as const).map((state) =>
      row({ state }),
    );
    expect(summary(rows, 2)).toBe("1 of 5 done, 1 failed, 1 running, 2 waiting; workers: 2");
    expect(isOver(rows)).toBe(false);
    expect(isOver(rows.slice(0, 2))).toBe(true);
  });
});

test("only profiles that were being created are looked for", () => {
  const profile = "pulumi-nodejs:dynamic/identity:ConnectionProfile";
  const operation = (type: string, kind: string, name?: string) => ({
    type,
    resource: { type: kind, ...(name !== undefined && { inputs: { name } }) },
  });
  expect(
    interruptedProfiles([
      operation("creating", profile, "customer-1"),
      operation("updating", profile, "customer-2"),
      operation("creating", "pulumi-nodejs:dynamic/identity:RoleGroupAssignment"),
    ]),
  ).toEqual(["customer-1"]);
});

describe("what is told of an error", () => {
  test("of Pulumi's output, the causes in one line", () => {
    expect(reason(new Error(FAILED_UP + FAILED_UP))).toBe(
      "POST /connection-profiles answered 403: Forbidden. The client may need create:connection_profiles.",
    );
  });

  test.each([
    [
      "no CLI",
      new Error("Command failed with ENOENT: pulumi version\nspawn pulumi ENOENT"),
      "not on the PATH",
    ],
    ["no password", new Error("SASL: client password must be a string"), "Set PGPASSWORD"],
    [
      "no server",
      Object.assign(new Error(), { code: "ECONNREFUSED", address: "127.0.0.1", port: 5432 }),
      "No database answers at 127.0.0.1:5432",
    ],
    ["no host", Object.assign(new Error("getaddrinfo db.invalid"), { code: "ENOTFOUND" }), "is not known"],
    ["any other", new Error("another"), "another"],
    ["no error", "text", "text"],
  ])("%s", (_, error, text) => expect(reason(error)).toContain(text));
});
