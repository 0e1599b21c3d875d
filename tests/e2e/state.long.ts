import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../../testkit/tenant";
import { ADMINS, AGENT, BILLING, LAPTOP, PHONE, VIEWER } from "../../simulator/default-seed";
import { type Deployment, environmentOf, type ResourceState, Stack, succeeded } from "../../testkit/stack";

/*
 * The SDK's and the engine's own entries in a resource's state. The SDK records where the resource was
 * declared, and expects its class to extend `CustomResource` directly. A release that counts differently
 * fails here.
 */

const tenant = new Tenant();
const ADOPTED = "cop_2GjRf8mYd5LcVt7K9sPmZa";

const PROGRAM = `// @ts-nocheck
import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } from "pulumi-identity";
interface Left { out: string }
function team(parent) {
  new ConnectionProfile("of-function", { name: "c" }, { parent });
}
class Team extends pulumi.ComponentResource {
  constructor(name) {
    super("test:index:Team", name);
    new ConnectionProfile("of-component", { name: "b" }, { parent: this });
    team(this);
  }
}
new ConnectionProfile("profile", { name: "a", enabledFeatures: ["scim"] });
new RoleGroupAssignment("assignment", { roleId: "${AGENT}", groupIds: ["${BILLING}"] });
new DeviceCredentialRemoval("removal", { deviceCredentialId: "${PHONE}" });
new Team("team");

/** A resource without any logic, as short as it can be. */
const text = "exports.handler=()=>({create:async i=>({id:'cop_2GjRf8mYd5LcVt7K9sPmZa',outs:i})})";
class Nothing extends pulumi.CustomResource {
  constructor(name, args) {
    super("pulumi-nodejs:dynamic:Resource", name, { ...args, __provider: text });
  }
}
const args = {
  name: "enterprise",
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
};
for (const type of [ConnectionProfile, Nothing]) new type(type === Nothing ? "nothing-at" : "enterprise", args);

new ConnectionProfile("profile-0", {
  name: "profile 0", connectionNamePrefixTemplate: "first-{org_id}", enabledFeatures: ["scim"],
});

new ConnectionProfile("secret-profile", {
  name: pulumi.secret("secret name"), adopt: pulumi.secret("${ADOPTED}"), deleteOnDestroy: pulumi.secret(true),
});
new RoleGroupAssignment("secret-assignment", {
  roleId: pulumi.secret("${VIEWER}"), groupIds: [pulumi.secret("${ADMINS}")],
});
new DeviceCredentialRemoval("secret-removal", { deviceCredentialId: pulumi.secret("${LAPTOP}") });
`;

let stack: Stack;
let resources: Map<string, ResourceState>;

/** Resources by name. */
async function read(): Promise<void> {
  const state = await stack.state();
  resources = new Map(state.resources.map((resource) => [resource.urn.split("::").at(-1) ?? "", resource]));
}

beforeAll(async () => {
  await tenant.open();
  tenant.seed({ connection_profiles: [{ id: ADOPTED, name: "theirs" }] });
  stack = await Stack.create({ program: PROGRAM, language: "ts", env: environmentOf(tenant) });
  const { code, all } = await stack.up();
  if (code !== 0) throw new Error(all);
  await read();
});
afterAll(async () => {
  stack.remove();
  await tenant.close();
});

test("it names the lines of a TypeScript program that declare a resource", () => {
  const lines = PROGRAM.split("\n");
  const at = (text: string) => `project:///index.ts#${lines.findIndex((line) => line.includes(text)) + 1}`;
  const placesOf = (name: string) => {
    const { sourcePosition, stackTrace } = resources.get(name) ?? { urn: "", type: "" };
    const frames = stackTrace as { sourcePosition?: string }[];
    expect(sourcePosition).toBe(frames[0]?.sourcePosition);
    return frames.flatMap(({ sourcePosition: place = "node_modules" }) =>
      place.includes("node_modules") ? [] : [place.replace(/,\d+$/, "")],
    );
  };
  const names = ["profile", "assignment", "removal", "of-component", "of-function"];
  expect(Object.fromEntries(names.map((name) => [name, placesOf(name)]))).toEqual({
    profile: [at('("profile"')],
    assignment: [at('("assignment"')],
    removal: [at('("removal"')],
    "of-component": [at('("of-component"'), at('new Team("team")')],
    "of-function": [at('("of-function"'), at("team(this)"), at('new Team("team")')],
  });
});

test("of a profile it has at most 190 bytes more than of a resource that does nothing", () => {
  const bytes = (name: string) => JSON.stringify(resources.get(name)).length;
  expect(bytes("enterprise") - bytes("nothing-at")).toBeLessThanOrEqual(190);
});

test("a profile has these bytes of the package, and nothing else beside its inputs", () => {
  const profile = resources.get("profile-0") as ResourceState;
  const { inputs = {}, outputs = {}, propertyDependencies = {} } = profile;
  /** The size of a member, including its comma. */
  const bytes = (of: unknown, name: string) =>
    JSON.stringify({ [name]: (of as Record<string, unknown>)[name] }).length - 1;
  expect({
    provider: bytes(inputs, "__provider") + bytes(outputs, "__provider"),
    dependencies: ["__provider", "__registration", "__sets"]
      .map((name) => bytes(propertyDependencies, name))
      .reduce((sum, size) => sum + size),
    adopted: bytes(outputs, "adopted"),
    // The test stack has set it back by a minute.
    written: bytes({ __written: 1_764_000_000 }, "__written"),
    stack: bytes(outputs, "__stack") - "test".length,
    tenant: bytes(outputs, "tenant") - tenant.host.length,
    name: bytes(inputs, "__name") + bytes(outputs, "__name") - 2 * "profile-0".length,
  }).toEqual({
    provider: 176,
    dependencies: 48,
    adopted: 16,
    written: 23,
    stack: 13,
    tenant: 12,
    name: 24,
  });
  const own = [
    ...["__provider", "connectionNamePrefixTemplate", "enabledFeatures", "name"],
    ...["__name", "__stack", "__written", "adopted", "tenant"],
  ];
  expect(Object.keys(outputs).sort()).toEqual(own.sort());
});

test("a saved plan applies: what state has beside the inputs is no part of it", async () => {
  const program = (groups: string[]) => `
    const { RoleGroupAssignment } = require("pulumi-identity");
    new RoleGroupAssignment("a", ${JSON.stringify({ roleId: VIEWER, groupIds: groups })});`;
  const own = await Stack.create({ program: program([BILLING]), env: environmentOf(tenant) });
  const planned = async () => {
    const plan = join(own.home, "plan.json");
    succeeded(await own.preview({ args: ["--save-plan", plan] }));
    return succeeded(await own.up({ args: ["--plan", plan] }));
  };
  try {
    await planned();
    // As somebody may have edited it.
    const file = join(own.home, "state/.pulumi/stacks/test/test.json");
    const state = JSON.parse(readFileSync(file, "utf8")) as { checkpoint: { latest: Deployment } };
    for (const { outputs = {} } of state.checkpoint.latest.resources) delete outputs["__stack"];
    writeFileSync(file, JSON.stringify(state));
    expect((await planned()).all).toContain("2 unchanged");
    own.write(program([ADMINS, BILLING]));
    await planned();
    const { resources: all } = await own.state();
    expect(all.find(({ urn }) => urn.endsWith("::a"))?.outputs?.["__stack"]).toBe("test");
  } finally {
    own.remove();
  }
});

test("of secret inputs it has in clear what docs/pulumi.md says: the id, and nothing else", async () => {
  for (const step of ["up", "refresh"]) {
    if (step === "refresh") {
      expect((await stack.refresh()).code).toBe(0);
      await read();
    }
    const own = ["secret-profile", "secret-assignment", "secret-removal"].map((name) => resources.get(name));
    expect(own.map((resource) => resource?.id)).toEqual([ADOPTED, VIEWER, LAPTOP]);
    const rest = JSON.stringify(own.map((resource) => ({ ...resource, id: undefined })));
    for (const text of [ADOPTED, LAPTOP, VIEWER, ADMINS, "secret name"]) {
      expect(rest).not.toContain(text);
    }
  }
});
