import { type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { environmentOf, Stack } from "../../testkit/stack";

/** Without a preview two resources still don't own one thing. */
let simulator: Simulator;
let stack: Stack;

beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  stack = await Stack.create({ language: "yaml", env: environmentOf(simulator) });
});

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

test("without a preview, one of two that would manage one may be made, and never the other", async () => {
  const theirs = { id: "cop_2GjRf8mYd5LcVt7K9sPmZa", name: "theirs" };
  simulator.seed({ ...tenant.DEFAULT_SEED, connection_profiles: [theirs] });
  const adopting = (name: string) =>
    `{ type: "identity:ConnectionProfile", properties: { name: ${name}, adopt: ${theirs.id} } }`;
  stack.write(`resources: { first: ${adopting("a")}, second: ${adopting("b")} }\n`);
  const { code, all } = await stack.up();
  expect(code).not.toBe(0);
  expect(all).toContain(`ConnectionProfile "first" and "second" both manage ${theirs.id}`);
  expect(simulator.log().filter((line) => line.startsWith("PATCH")).length).toBeLessThanOrEqual(1);
  const made = (await stack.state()).resources.filter(({ type }) => type.includes("identity:"));
  expect(made.length).toBeLessThanOrEqual(1);
});
