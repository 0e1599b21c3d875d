import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../host/tenant";
import { GROUP_ADMINS, LOST_PHONE_CREDENTIAL_ID, OTHER_ROLE_ID } from "../../simulator/default-seed";
import { environmentOf, type ResourceState, Stack, type StackOptions } from "./stack";

/*
 * The SDK's and the engine's own entries in a resource's state. The SDK records where the resource was
 * declared, and expects its class to extend `CustomResource` directly. A release that counts differently
 * fails here.
 */

const tenant = new Tenant();
const stacks: Stack[] = [];

beforeAll(() => tenant.open());
beforeEach(() => tenant.seed());
afterEach(() => stacks.splice(0).forEach((stack) => stack.remove()));
afterAll(() => tenant.close());

async function applied(options: StackOptions): Promise<Stack> {
  const env = environmentOf(tenant);
  const stack = await Stack.create({ ...options, env });
  stacks.push(stack);
  const { code, all } = await stack.up();
  if (code !== 0) throw new Error(all);
  return stack;
}

/** Returns the dynamic resources that a program declares, by name. */
async function declared(
  program: string,
  language: StackOptions["language"],
): Promise<Map<string, ResourceState>> {
  const stack = await applied({ program, language });
  const { resources } = await stack.state();
  return new Map(
    resources
      .filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic"))
      .map((resource) => [resource.urn.split("::").at(-1) ?? "", resource]),
  );
}

const DECLARATIONS = `
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
new RoleGroupAssignment("assignment", { roleId: "${OTHER_ROLE_ID}", groupIds: ["${GROUP_ADMINS}"] });
new DeviceCredentialRemoval("removal", { deviceCredentialId: "${LOST_PHONE_CREDENTIAL_ID}" });
new Team("team");
`;

const NAMES = "ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment";
const PROGRAMS = {
  js: `const pulumi = require("@pulumi/pulumi");\nconst { ${NAMES} } = require("pulumi-identity");${DECLARATIONS}`,
  ts: `// @ts-nocheck\nimport * as pulumi from "@pulumi/pulumi";\nimport { ${NAMES} } from "pulumi-identity";\ninterface Left { out: string }${DECLARATIONS}`,
};

test.each(["js", "ts"] as const)(
  "state names the lines of a %s program that declare a resource",
  async (language) => {
    const program = PROGRAMS[language];
    const resources = await declared(program, language);

    const lines = program.split("\n");
    const at = (text: string) =>
      `project:///index.${language}#${lines.findIndex((line) => line.includes(text)) + 1}`;
    const places = Object.fromEntries(
      [...resources].map(([name, { sourcePosition, stackTrace }]) => {
        const frames = stackTrace as { sourcePosition?: string }[];
        expect(sourcePosition).toBe(frames[0]?.sourcePosition);
        const files = frames.flatMap(({ sourcePosition: place = "node_modules" }) =>
          place.includes("node_modules") ? [] : [place.replace(/,\d+$/, "")],
        );
        return [name, files];
      }),
    );
    expect(places).toEqual({
      profile: [at('("profile"')],
      assignment: [at('("assignment"')],
      removal: [at('("removal"')],
      "of-component": [at('("of-component"'), at('new Team("team")')],
      "of-function": [at('("of-function"'), at("team(this)"), at('new Team("team")')],
    });
  },
);

/** A resource without any logic, as short as it can be. */
const NOTHING = `
const pulumi = require("@pulumi/pulumi");
const { ConnectionProfile } = require("pulumi-identity");
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
`;

test("state of a profile has at most 125 bytes more than that of a resource that does nothing", async () => {
  const program = `${NOTHING}for (const type of [ConnectionProfile, Nothing]) new type(type === Nothing ? "nothing-at" : "enterprise", args);`;
  const resources = await declared(program, "js");

  const bytes = (name: string) => JSON.stringify(resources.get(name)).length;
  expect(bytes("enterprise") - bytes("nothing-at")).toBeLessThanOrEqual(125);
});

test("the page on state says what the package adds to a profile", async () => {
  const program = `const { ConnectionProfile } = require("pulumi-identity");
    new ConnectionProfile("profile-0", {
      name: "profile 0", connectionNamePrefixTemplate: "first-{org_id}", enabledFeatures: ["scim"],
    });`;
  const profile = (await declared(program, "js")).get("profile-0") as ResourceState;
  const { inputs = {}, outputs = {}, propertyDependencies = {} } = profile;
  /** The size of a member, including its comma. */
  const bytes = (of: unknown, name: string) =>
    JSON.stringify({ [name]: (of as Record<string, unknown>)[name] }).length - 1;
  const page = readFileSync(join(__dirname, "../../docs/state-and-secrets.md"), "utf8");
  const shown = [...page.matchAll(/^\| `.+? +\| (\d+)/gm)].map(([, number]) => Number(number));
  expect(shown).toEqual([
    bytes(inputs, "__provider") + bytes(outputs, "__provider"),
    bytes(propertyDependencies, "__provider") + bytes(propertyDependencies, "__registration"),
    bytes(outputs, "adopted"),
    // The test stack has set it back by a minute.
    bytes({ __written: 1_764_000_000 }, "__written"),
    bytes(outputs, "tenant") - tenant.host.length,
  ]);
  const own = [
    ...["__provider", "connectionNamePrefixTemplate", "enabledFeatures", "name"],
    ...["__written", "adopted", "tenant"],
  ];
  expect(Object.keys(outputs).sort()).toEqual(own.sort());
});

test("of secret inputs the state has in clear what docs/state-and-secrets.md says: the id, and nothing else", async () => {
  const adopted = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  tenant.seed({ connection_profiles: [{ id: adopted, name: "theirs" }] });
  const stack = await applied({
    program: `const pulumi = require("@pulumi/pulumi");
    const { ${NAMES} } = require("pulumi-identity");
    new ConnectionProfile("p", {
      name: pulumi.secret("secret name"), adopt: pulumi.secret("${adopted}"), deleteOnDestroy: pulumi.secret(true),
    });
    new RoleGroupAssignment("r", { roleId: pulumi.secret("${OTHER_ROLE_ID}"), groupIds: [pulumi.secret("${GROUP_ADMINS}")] });
    new DeviceCredentialRemoval("d", { deviceCredentialId: pulumi.secret("${LOST_PHONE_CREDENTIAL_ID}") });
`,
  });
  for (const step of ["up", "refresh"]) {
    if (step === "refresh") expect((await stack.refresh()).code).toBe(0);
    const { resources } = await stack.state();
    const ours = resources.filter(({ type }) => type.includes("identity:"));
    expect(ours.map(({ id }) => id).sort()).toEqual(
      [adopted, LOST_PHONE_CREDENTIAL_ID, OTHER_ROLE_ID].sort(),
    );
    const rest = JSON.stringify(ours.map(({ id: _id, ...others }) => others));
    for (const text of [adopted, LOST_PHONE_CREDENTIAL_ID, OTHER_ROLE_ID, GROUP_ADMINS, "secret name"]) {
      expect(rest).not.toContain(text);
    }
  }
});

test("what reads don't show yet stays in state, through one refresh after the other", async () => {
  tenant.behave({ read_lag: 100 });
  const stack = await applied({ program: PROGRAMS.js, isNextAtOnce: true });
  const before = (await stack.state()).resources.map(({ urn }) => urn);

  for (const _ of [1, 2]) {
    const { code, all } = await stack.refresh();
    expect({ code, all }).toMatchObject({ code: 0 });
    // Each appears twice: as it happens, and at the end.
    expect(new Set(all.match(/ConnectionProfile cop_\w+: \S+ doesn't show it/g))).toHaveProperty("size", 3);
    expect(all).toContain(`doesn't list ${GROUP_ADMINS}, but this stack wrote the assignment`);
  }

  expect((await stack.state()).resources.map(({ urn }) => urn)).toEqual(before);
  expect((await stack.up({ args: ["--expect-no-changes"] })).code).toBe(0);
  expect(tenant.profiles()).toHaveLength(3);
});
