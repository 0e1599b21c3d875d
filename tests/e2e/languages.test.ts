import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  LOST_PHONE_CREDENTIAL_ID,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
  USER_ID,
} from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack } from "./stack";

/* The plugin as the real engine starts it for programs in YAML, which no test of the protocol can show. */

let simulator: Simulator;
let stack: Stack;

beforeEach(async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
});
afterEach(async () => {
  stack.remove();
  await simulator.close();
});

/** Starts a stack with settings in its configuration, where the plugin finds them. */
async function start(program: string): Promise<void> {
  stack = await Stack.create({ program, language: "yaml" });
  await stack.configure(simulator);
}

function succeeded(result: CommandResult): string {
  if (result.code !== 0) throw new Error(result.all);
  return result.stdout;
}

function requests(): string[] {
  const log = simulator.log();
  simulator.reset();
  return log.filter((line) => !line.startsWith("POST /oauth/token"));
}

const PROGRAM = `
variables:
  viewer:
    fn::identity:getRole: { name: billing-viewer }
  user:
    fn::identity:getUserPermissions: { userId: "${USER_ID}" }
resources:
  support:
    type: identity:RoleGroupAssignment
    properties:
      roleId: \${viewer.id}
      groupIds: [{ fn::secret: ${GROUP_BILLING} }, ${GROUP_ADMINS}]
  enterprise:
    type: identity:ConnectionProfile
    properties:
      name: enterprise
      enabledFeatures: [universal_logout, scim]
  lost:
    type: identity:DeviceCredentialRemoval
    properties: { deviceCredentialId: ${LOST_PHONE_CREDENTIAL_ID} }
outputs:
  id: \${enterprise.id}
  permissions: \${user.total}
`;

test("the whole life of a stack in YAML, to its destroy without the program", async () => {
  await start(PROGRAM);
  const preview = succeeded(await stack.preview());
  expect(preview).toContain(`lost: permanently removes device credential ${LOST_PHONE_CREDENTIAL_ID}`);
  expect(preview).not.toContain(GROUP_BILLING);
  expect(requests().filter((line) => !line.startsWith("GET"))).toEqual([]);

  succeeded(await stack.up());
  expect(
    requests()
      .filter((line) => !line.startsWith("GET"))
      .sort(),
  ).toEqual([
    `DELETE /api/v2/device-credentials/${LOST_PHONE_CREDENTIAL_ID} 204`,
    "POST /api/v2/connection-profiles 201",
    `POST /api/v2/roles/${VIEWER}/groups 204`,
  ]);
  expect(await stack.outputs()).toMatchObject({ permissions: 3 });
  const state = JSON.stringify(await stack.state());
  expect(state).not.toContain(GROUP_BILLING);
  expect(state).not.toContain(simulator.clientSecret);
  expect(state).toContain(GROUP_ADMINS);

  const again = succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  expect(again).toContain("4 unchanged");
  expect(succeeded(await stack.refresh())).toContain("unchanged");
  requests();

  // The secret was rotated, so the one recorded by the last `up` no longer works.
  simulator.seed({
    ...simulator.state(),
    clients: [{ client_id: simulator.clientId, client_secret: "rotated-secret-of-a-test", scope: scopes() }],
  });
  await stack.config("identity:clientSecret", "rotated-secret-of-a-test", { secret: true });
  succeeded(await stack.destroy());
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("YAML has members of settings in camel case, in paths of options too, and names them if they're spelled otherwise", async () => {
  const program = (key: string, button: string, ignored = "") => `
resources:
  enterprise:
    type: identity:ConnectionProfile
    properties:
      name: enterprise
      organization: { ${key}: ${button} }
      crossAppAccessResourceApp: { status: { defaultValue: disabled } }
    options: { ignoreChanges: [${ignored}] }
`;
  await start(program("show_as_button", "optional"));
  const refused = await stack.preview();
  expect(refused.code).not.toBe(0);
  expect(refused.all).toContain("Existing properties are: showAsButton, assignMembershipOnLogin");

  stack.write(program("showAsButton", "optional"));
  succeeded(await stack.up());
  expect(simulator.state().connection_profiles).toMatchObject([
    {
      organization: { show_as_button: "optional" },
      cross_app_access_resource_app: { status: { default_value: "disabled" } },
    },
  ]);
  succeeded(await stack.refresh({ args: ["--expect-no-changes"] }));
  stack.write(program("showAsButton", "none", "organization.showAsButton"));
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
});

function scopes(): string {
  return simulator.state().clients[0]?.scope ?? "";
}

const ONE = (groups: string, more = "") => `
resources:
  support:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${VIEWER}, groupIds: [${groups}] }
  enterprise:
    type: identity:ConnectionProfile
    properties: { name: enterprise, enabledFeatures: [scim] }
${more}`;

const IN_JAVASCRIPT = (groups: string, options: object = {}) => `
const { ConnectionProfile, RoleGroupAssignment } = require("pulumi-identity");
const aliases = (type) => (${JSON.stringify(options)}.moved ? { aliases: [{ type: "identity:index:" + type }] } : {});
new RoleGroupAssignment("support", { roleId: "${VIEWER}", groupIds: ${JSON.stringify(groups.split(", "))} }, aliases("RoleGroupAssignment"));
new ConnectionProfile("enterprise", { name: "enterprise", enabledFeatures: ["scim"] }, aliases("ConnectionProfile"));
`;

test("a stack moves to YAML without a change, is reviewed in the same words, is held, and moves back", async () => {
  const groups = `${GROUP_ADMINS}, ${GROUP_BILLING}`;
  const others = `${GROUP_ADMINS}, ${GROUP_CONTRACTORS}`;
  await start("");
  stack.rewrite("js", IN_JAVASCRIPT(groups));
  succeeded(await stack.up());
  requests();
  stack.rewrite("js", IN_JAVASCRIPT(others));
  const before = await stack.review({ args: ["--no-read", "--format", "text"] });

  stack.rewrite("yaml", ONE(groups));
  expect(succeeded(await stack.up())).toContain("3 unchanged");
  expect(requests()).toEqual([]);
  expect(succeeded(await stack.refresh())).toContain("unchanged");
  requests();

  stack.rewrite("yaml", ONE(others));
  // Each group as a member of a set, and no other one as changed.
  expect(succeeded(await stack.preview({ args: ["--diff"] }))).toMatch(
    /~ groupIds: \[\n(.*"grp_\w+"( => "grp_\w+")?\n){1,2} *\]\n/,
  );
  const json = join(stack.home, "review.json");
  const after = await stack.review({ args: ["--no-read", "--format", "text", "--json", json] });
  // Compares with the lines of a JavaScript program.
  const words = ({ stdout }: CommandResult) =>
    stdout.replace(/ \(?index\.js:\d+\)?/g, "").replace(/[0-9a-f]{32}/g, "");
  expect(words(after)).toBe(words(before));
  expect(after.stdout).toContain("gains");

  const env = { IDENTITY_REVIEW_FILE: json, IDENTITY_REQUIRE_REVIEW: "true" };
  stack.rewrite("yaml", ONE(`${others}, ${GROUP_SUPPORT}`));
  const refused = await stack.up({ env });
  expect(refused.code).not.toBe(0);
  expect(refused.all).toContain(`${GROUP_SUPPORT} would gain it, but review.json`);
  stack.rewrite("yaml", ONE(others));
  succeeded(await stack.up({ env }));
  expect(requests()).toEqual([
    `POST /api/v2/roles/${VIEWER}/groups 204`,
    `DELETE /api/v2/roles/${VIEWER}/groups 204`,
  ]);

  stack.rewrite("js", IN_JAVASCRIPT(others, { moved: true }));
  expect(succeeded(await stack.up())).toContain("2 updated");
  expect(requests()).toEqual([]);
  succeeded(await stack.refresh());
  succeeded(await stack.destroy());
  expect(simulator.state().roles.find(({ id }) => id === VIEWER)?.groups).toEqual([]);
});

/**
 * Assignments in a component with its own Provider, and a profile under the default one. `from`: the module
 * of their classes. On the way back from the plugin, an alias names the plugin's type.
 */
const BY_CLASS = (from: string, { one, two, back = false }: Groups & { back?: boolean }) => `
const pulumi = require("@pulumi/pulumi");
const { ConnectionProfile, getRole, Provider, RoleGroupAssignment } = require("${from}");
const aliases = (type) => (${back} ? [{ type: "identity:index:" + type }] : []);
const eu = new Provider("eu", ${JSON.stringify({ domain: simulator.url, clientId: simulator.clientId, clientSecret: simulator.clientSecret })});
const parent = new pulumi.ComponentResource("acme:index:Access", "access", {}, { providers: [eu] });
const viewer = getRole({ name: "billing-viewer" }, { parent }).then(({ id }) => id);
const of = { parent, aliases: aliases("RoleGroupAssignment") };
new RoleGroupAssignment("one", { roleId: viewer, groupIds: ${JSON.stringify(one)} }, of);
new RoleGroupAssignment("two", { roleId: "${VIEWER}", groupIds: ${JSON.stringify(two)} }, of);
new ConnectionProfile("enterprise", { name: "enterprise" }, { aliases: aliases("ConnectionProfile") });
`;
interface Groups {
  one: string[];
  two: string[];
}

test("a TypeScript stack moves to the plugin's classes without a change, and back without a request", async () => {
  const before = { one: [GROUP_ADMINS, GROUP_BILLING], two: [GROUP_CONTRACTORS] };
  const after = { one: [GROUP_ADMINS], two: [GROUP_CONTRACTORS, GROUP_BILLING] };
  await start("");
  stack.rewrite("js", BY_CLASS("pulumi-identity", before));
  succeeded(await stack.up());
  expect(requests().filter((line) => !line.startsWith("GET"))).toHaveLength(3);

  stack.rewrite("js", BY_CLASS("pulumi-identity/plugin", before));
  expect(succeeded(await stack.up())).not.toMatch(/updated|replaced/);
  expect(requests()).toEqual(["GET /api/v2/roles?page=0&per_page=100&include_totals=true 200"]);
  succeeded(await stack.refresh());
  requests();

  // Thanks to the listing, the moving group never loses the role.
  stack.rewrite("js", BY_CLASS("pulumi-identity/plugin", after));
  succeeded(await stack.up());
  expect(requests().filter((line) => !line.startsWith("GET"))).toEqual([
    `POST /api/v2/roles/${VIEWER}/groups 204`,
  ]);

  stack.rewrite("js", BY_CLASS("pulumi-identity", { ...after, back: true }));
  expect(succeeded(await stack.up())).toContain("3 updated");
  expect(requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
  succeeded(await stack.refresh());
  succeeded(await stack.destroy());
  expect(simulator.state().roles.find(({ id }) => id === VIEWER)?.groups).toEqual([]);
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("the plugin's classes import, and get reads all groups of a role whenever it is refreshed", async () => {
  await start("");
  stack.rewrite(
    "js",
    `
const { RoleGroupAssignment } = require("pulumi-identity/plugin");
new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: ["${GROUP_SUPPORT}"] }, { import: "${AGENT}" });
exports.groups = RoleGroupAssignment.get("viewers", "${VIEWER}").groupIds;
`,
  );
  simulator.seed({
    ...DEFAULTS(),
    roles: [
      { id: AGENT, name: "support-agent", groups: [GROUP_SUPPORT] },
      { id: VIEWER, name: "billing-viewer", groups: [GROUP_BILLING] },
    ],
  });

  succeeded(await stack.up());
  expect(requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
  expect(await stack.outputs()).toEqual({ groups: [GROUP_BILLING] });

  simulator.seed({
    ...DEFAULTS(),
    roles: [
      { id: AGENT, name: "support-agent", groups: [GROUP_SUPPORT] },
      { id: VIEWER, name: "billing-viewer", groups: [GROUP_ADMINS, GROUP_BILLING] },
    ],
  });
  succeeded(await stack.refresh());
  const { resources } = await stack.state();
  expect(resources.find(({ id }) => id === VIEWER)?.outputs?.["groupIds"]).toEqual(
    [GROUP_ADMINS, GROUP_BILLING].sort(),
  );
});

test("pulumi import brings what is there, with its code, and the next preview changes nothing", async () => {
  await start("resources: {}\n");
  const imported = succeeded(
    await stack.pulumi([
      "import",
      "identity:index:RoleGroupAssignment",
      "agents",
      AGENT,
      "--yes",
      "--protect=false",
    ]),
  );
  const [, code = ""] = /\n(resources:\n[\s\S]*?)\n\n/.exec(`${imported}\n\n`) ?? [];
  expect(code).toContain(`roleId: ${AGENT}`);
  expect(code).toContain(`- ${GROUP_SUPPORT}`);
  stack.rewrite("yaml", `${code}\n`);
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  // Groups assigned elsewhere stay theirs.
  simulator.seed({
    ...DEFAULTS(),
    roles: [{ id: AGENT, name: "support-agent", groups: [GROUP_SUPPORT, GROUP_ADMINS] }],
  });
  succeeded(await stack.refresh());
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));

  const empty = await stack.pulumi([
    "import",
    "identity:index:ConnectionProfile",
    "none",
    "cop_2GjRf8mYd5LcVt7K9sPmZa",
    "--yes",
  ]);
  expect(empty.code).not.toBe(0);
  expect(empty.all).toContain("does not exist on the tenant");
});

function DEFAULTS(): Parameters<Simulator["seed"]>[0] {
  const { clients, groups } = simulator.state();
  return { clients, groups };
}

test("two providers: assignments of one group are refused in the preview, and a shared role is warned of", async () => {
  const provider = (name: string, group: string) => `
  ${name}:
    type: pulumi:providers:identity
    properties: { domain: "${simulator.url}", clientId: ${simulator.clientId}, clientSecret: ${simulator.clientSecret} }
  of-${name}:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${VIEWER}, groupIds: [${group}] }
    options: { provider: "\${${name}}" }`;
  await start(`resources:${provider("one", GROUP_ADMINS)}${provider("two", GROUP_ADMINS)}\n`);

  const refused = await stack.preview();
  stack.write(`resources:${provider("one", GROUP_ADMINS)}${provider("two", GROUP_BILLING)}\n`);
  const shared = succeeded(await stack.preview());

  expect(refused.code).not.toBe(0);
  expect(refused.all).toMatch(/"of-one" and "of-two"/);
  expect(shared).toMatch(
    /of-(one|two): role rol_\w+: is also assigned by of-(one|two), under another provider\. .*put all assignments of a role under one provider/,
  );
  expect(requests()).toEqual([]);
});

test("the example runs as it stands", async () => {
  const env = environmentOf(simulator);
  stack = await Stack.create({ folder: "examples/yaml", env });

  succeeded(await stack.up());

  expect(Object.keys(await stack.outputs()).sort()).toEqual(["permissions", "profileId"]);
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  succeeded(await stack.destroy());
});

test("a misspelt setting is told before anything is checked", async () => {
  await start(ONE(GROUP_ADMINS));
  await stack.config("identity:clientID", "x");

  const { code, all } = await stack.preview();

  expect(code).not.toBe(0);
  expect(all).toContain("identity:clientID is no setting: did you mean identity:clientId?");
});
