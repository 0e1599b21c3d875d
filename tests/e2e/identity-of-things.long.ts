import { type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { Stack } from "./stack";

/** A run never destroys what the same run creates or claims, whatever the program calls it. */
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

const groupsOf = (roleId: string) =>
  simulator
    .state()
    .roles.find(({ id }) => id === roleId)
    ?.groups.sort();
const role = JSON.stringify(tenant.ROLE_ID);

test("a rename without alias, and a group that moves to another assignment, keep the access", async () => {
  const { GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT } = tenant;
  await up(`
    new RoleGroupAssignment("first", { roleId: ${role}, groupIds: ["${GROUP_ADMINS}", "${GROUP_BILLING}"] });
    new RoleGroupAssignment("second", { roleId: ${role}, groupIds: ["${GROUP_CONTRACTORS}"] });
  `);
  const output = await up(`
    new RoleGroupAssignment("renamed", { roleId: ${role}, groupIds: ["${GROUP_ADMINS}"] });
    new RoleGroupAssignment("second", { roleId: ${role}, groupIds: ["${GROUP_BILLING}", "${GROUP_CONTRACTORS}"] });
  `);
  expect(output).toContain(`keeps ${GROUP_BILLING}, ${GROUP_ADMINS}, listed by second, renamed`);
  expect(groupsOf(tenant.ROLE_ID)).toEqual(
    [GROUP_ADMINS, GROUP_BILLING, GROUP_CONTRACTORS, GROUP_SUPPORT].sort(),
  );

  // The claims of an up must not spare anything in a destroy that runs the program.
  const { code } = await stack.destroy({ args: ["--run-program"] });
  expect(code).toBe(0);
  expect(groupsOf(tenant.ROLE_ID)).toEqual([GROUP_SUPPORT]);
});

test("a refresh within the same run spares nothing that is to be removed", async () => {
  const assignment = (...groups: string[]) =>
    `new RoleGroupAssignment("a", { roleId: ${role}, groupIds: ${JSON.stringify(groups)} });
     new ConnectionProfile("p", { name: "enterprise" });`;
  await up(assignment(tenant.GROUP_ADMINS, tenant.GROUP_BILLING));

  stack.write(program(assignment(tenant.GROUP_ADMINS)));
  expect((await stack.up({ args: ["--refresh"] })).code).toBe(0);
  expect(groupsOf(tenant.ROLE_ID)).toEqual([tenant.GROUP_ADMINS, tenant.GROUP_SUPPORT].sort());

  expect((await stack.destroy({ args: ["--refresh"] })).code).toBe(0);
  expect(groupsOf(tenant.ROLE_ID)).toEqual([tenant.GROUP_SUPPORT]);
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("a profile that Pulumi replaces for reasons of its own is deleted", async () => {
  const named = (name: string) =>
    `new ConnectionProfile("p", { name: "${name}" }, { replaceOnChanges: ["name"] });`;
  await up(named("first"));
  await up(named("second"));
  expect(simulator.state().connection_profiles.map(({ name }) => name)).toEqual(["second"]);
});

test("a profile that a resource of another name adopts is not deleted with the old resource", async () => {
  await up(`new ConnectionProfile("old", { name: "enterprise", enabledFeatures: ["scim"] });`);
  const id = simulator.state().connection_profiles[0]?.id as string;
  const output = await up(
    `new ConnectionProfile("new", { name: "enterprise", adopt: "${id}", deleteOnDestroy: true });`,
  );
  expect(output).toContain(`Connection profile ${id} stays: "new" adopts it.`);
  // Read for the line about the adoption, and again right before it.
  const read = `GET /api/v2/connection-profiles/${id} 200`;
  expect(simulator.log()).toEqual(["POST /oauth/token 200", read, read]);
  expect(simulator.state().connection_profiles).toHaveLength(1);

  // Once adopted, the argument may go: nothing is sent or replaced.
  await up(`new ConnectionProfile("new", { name: "enterprise", deleteOnDestroy: true });`);
  expect(simulator.log()).toEqual([]);

  const { code } = await stack.destroy();
  expect(code).toBe(0);
  expect(simulator.state().connection_profiles).toEqual([]);
});

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

test("of secret inputs the state has in clear what docs/state-and-secrets.md says: the id, and nothing else", async () => {
  const adopted = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  simulator.seed({ ...tenant.DEFAULT_SEED, connection_profiles: [{ id: adopted, name: "theirs" }] });
  const credential = simulator.state().device_credentials[0]?.id as string;
  await up(`
    new ConnectionProfile("p", {
      name: pulumi.secret("secret name"), adopt: pulumi.secret("${adopted}"), deleteOnDestroy: pulumi.secret(true),
    });
    new RoleGroupAssignment("r", { roleId: pulumi.secret(${role}), groupIds: [pulumi.secret("${tenant.GROUP_ADMINS}")] });
    new DeviceCredentialRemoval("d", { deviceCredentialId: pulumi.secret("${credential}") });
  `);
  for (const step of ["up", "refresh"]) {
    if (step === "refresh") expect((await stack.refresh()).code).toBe(0);
    const { resources } = await stack.state();
    const ours = resources.filter(({ type }) => type.includes("identity:"));
    expect(ours.map(({ id }) => id).sort()).toEqual([adopted, credential, tenant.ROLE_ID].sort());
    const rest = JSON.stringify(ours.map(({ id: _id, ...others }) => others));
    for (const text of [adopted, credential, tenant.ROLE_ID, tenant.GROUP_ADMINS, "secret name"]) {
      expect(rest).not.toContain(text);
    }
  }
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
