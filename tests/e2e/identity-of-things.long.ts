import { type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { Stack } from "./stack";

/** Two resources never own one thing, and state never reaches another tenant than its own. */
let simulator: Simulator;
let stack: Stack;

const program = (body: string) => `
const pulumi = require("@pulumi/pulumi");
const { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
${body}`;

beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  stack = await Stack.create({
    env: {
      IDENTITY_DOMAIN: simulator.url,
      IDENTITY_CLIENT_ID: simulator.clientId,
      IDENTITY_CLIENT_SECRET: simulator.clientSecret,
    },
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

const role = JSON.stringify(tenant.ROLE_ID);

test("two owners of a group, and an exclusive assignment beside another, are refused with both names", async () => {
  const preview = async (second: string) => {
    stack.write(
      program(`
        new RoleGroupAssignment("first", { roleId: ${role}, groupIds: ["${tenant.GROUP_ADMINS}"] });
        new RoleGroupAssignment("second", ${second});`),
    );
    const { code, all } = await stack.preview();
    expect(code).not.toBe(0);
    return all;
  };
  expect(await preview(`{ roleId: pulumi.output(${role}), groupIds: ["${tenant.GROUP_ADMINS}"] }`)).toContain(
    `RoleGroupAssignment "first" and "second" both list ${tenant.GROUP_ADMINS} for the role ${tenant.ROLE_ID}`,
  );
  expect(
    await preview(`{ roleId: ${role}, groupIds: ["${tenant.GROUP_BILLING}"], exclusive: true }`),
  ).toContain(
    `RoleGroupAssignment "first" and "second" share the role ${tenant.ROLE_ID}, but "second" is exclusive`,
  );
  expect(simulator.log().filter((line) => !line.startsWith("GET") && !line.includes("/oauth/token"))).toEqual(
    [],
  );
});

test("two profiles that would manage one are refused at preview with both names", async () => {
  await up(`new ConnectionProfile("manager", { name: "enterprise" });`);
  const id = simulator.state().connection_profiles[0]?.id as string;
  simulator.reset();
  const preview = async (body: string) => {
    stack.write(program(body));
    const { code, all } = await stack.preview();
    expect(code).not.toBe(0);
    return all;
  };

  expect(
    await preview(`
      new ConnectionProfile("adopter", { name: "ours", adopt: "${id}" });
      new ConnectionProfile("manager", { name: "enterprise" });`),
  ).toContain(`ConnectionProfile "adopter" and "manager" both manage ${id}`);
  expect(
    await preview(`
      new ConnectionProfile("first", { name: "a", adopt: "${id}" });
      new ConnectionProfile("second", { name: "b", adopt: pulumi.output("${id}") });`),
  ).toContain(`ConnectionProfile "first" and "second" both manage ${id}`);
  expect(simulator.log().filter((line) => !/^GET |oauth/.test(line))).toEqual([]);
});

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
