import { type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { environmentOf, Stack } from "./stack";

/** Without a preview two resources still don't own one thing, and state never reaches another tenant. */
let simulator: Simulator;
let stack: Stack;

const program = (body: string) => `
const pulumi = require("@pulumi/pulumi");
const { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
${body}`;

beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  stack = await Stack.create({
    env: environmentOf(simulator),
  });
});

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

async function up(body: string): Promise<string> {
  stack.write(program(body));
  simulator.reset();
  const { code, all } = await stack.up();
  if (code !== 0) throw new Error(all);
  return all;
}

test("without a preview, one of two that would manage one may be made, and never the other", async () => {
  const theirs = { id: "cop_2GjRf8mYd5LcVt7K9sPmZa", name: "theirs" };
  simulator.seed({ ...tenant.DEFAULT_SEED, connection_profiles: [theirs] });
  stack.write(
    program(`
      const adopt = "${theirs.id}";
      new ConnectionProfile("first", { name: "a", adopt });
      new ConnectionProfile("second", { name: "b", adopt });`),
  );
  const { code, all } = await stack.up();
  expect(code).not.toBe(0);
  expect(all).toContain(`ConnectionProfile "first" and "second" both manage ${theirs.id}`);
  expect(simulator.log().filter((line) => line.startsWith("PATCH")).length).toBeLessThanOrEqual(1);
  const made = (await stack.state()).resources.filter(({ type }) => type.includes("identity:"));
  expect(made.length).toBeLessThanOrEqual(1);
});

test("state of one tenant is never applied to another", async () => {
  await up(`new ConnectionProfile("profile", { name: "enterprise" });`);
  simulator.reset();
  const { host, port } = new URL(simulator.url);
  const elsewhere = { IDENTITY_DOMAIN: `http://localhost:${port}` };
  for (const command of [stack.preview({ env: elsewhere }), stack.refresh({ env: elsewhere })]) {
    const { code, all } = await command;
    expect(code).not.toBe(0);
    expect(all).toContain(`lives on the tenant ${host}, but the configuration names localhost:${port}`);
  }
  expect((await stack.destroy({ env: elsewhere })).code).not.toBe(0);
  expect(simulator.log()).toEqual([]);

  // The same tenant under a new name: reported once, recorded by a refresh.
  const renamed = { ...elsewhere, IDENTITY_FORMER_DOMAINS: host };
  expect((await stack.refresh({ env: renamed })).code).toBe(0);
  expect((await stack.preview({ env: elsewhere, args: ["--expect-no-changes"] })).code).toBe(0);
});
