import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { leaksIn } from "../../testkit/canaries/spellings";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import {
  ADMINS,
  AGENT,
  ALL_SCOPES,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  PHONE,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { environmentOf, Stack, type StackOptions, succeeded } from "../../testkit/stack";

/* Resources and data sources in one program, in JavaScript: the program asks the tenant itself. */

let simulator: Simulator;
let stack: Stack | undefined;

async function start(options: StackOptions, seed: SeedInput = {}): Promise<Stack> {
  const rate = { burst: 1000, perSecond: 1000 };
  simulator = await startSimulator({ seed: { ...DEFAULT_SEED, ...seed }, rate });
  stack = await Stack.create(options);
  return stack;
}

afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await simulator.close();
});

/** The request log since the last call, in the order of arrival. */
function requests(): string[] {
  const log = simulator.log();
  simulator.reset();
  return log;
}

test("credentials, tokens and secret inputs are in no output of the CLI in clear, and in no file that it writes", async () => {
  const client = { client_id: "canary", client_secret: 'cA9/kw0!+&"x ~q7Zr2=', scope: ALL_SCOPES };
  const secret = "in7/Vq+&w ~Hc3p";
  const tokens = {
    access_token: "idA/1x-kk82.Qq",
    access_token_secret: "idS/2x-kk82.Qq",
    refresh_token: "idR/3x-kk82.Qq",
  };
  const identity = {
    connection: "c",
    provider: "okta",
    ...tokens,
    profileData: { id_token: tokens.access_token },
  };
  const user = { user_id: USER_ID, app_metadata: { department: "support" }, identities: [identity] };
  const stack = await start(
    {
      program: `
        const pulumi = require("@pulumi/pulumi");
        const { ConnectionProfile, getUser, getUserOutput, RoleGroupAssignment } = require("pulumi-identity");
        const userId = ${JSON.stringify(USER_ID)};
        const tokens = { userId, includeIdentityTokens: true };
        const note = pulumi.secret(${JSON.stringify(secret)});
        new ConnectionProfile("p", { name: "mine", strategyOverrides: { okta: { provisioning: { note } } } });
        module.exports = async () => {
          const user = await getUser(tokens);
          const kept = getUserOutput(tokens).identities[0].refreshToken;
          new RoleGroupAssignment("role", {
            roleId: ${JSON.stringify(AGENT)},
            groupIds: kept.apply((token) => token ? [${JSON.stringify(BILLING)}] : []),
          });
          return { user, kept, output: getUserOutput(tokens), plain: await getUser({ userId }), open: getUserOutput({ userId }) };
        };`,
    },
    { clients: [client], users: [{ ...user, last_token: tokens.refresh_token }] },
  );
  const env = {
    IDENTITY_DOMAIN: simulator.url,
    IDENTITY_CLIENT_ID: client.client_id,
    IDENTITY_CLIENT_SECRET: client.client_secret,
    IDENTITY_LOG: "debug",
  };
  const printed: [string, string][] = [
    ["preview", succeeded(await stack.preview({ json: true, env })).all],
    ["up", succeeded(await stack.up({ env })).all],
    ["output", succeeded(await stack.pulumi(["stack", "output"])).all],
    ["output as JSON", succeeded(await stack.pulumi(["stack", "output", "--json"])).all],
  ];
  for (const [, text] of printed.slice(0, 2)) expect(text).toContain("identity: ");
  const files = readdirSync(stack.home, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== "index.js")
    .map((entry) => join(entry.parentPath, entry.name));
  expect(files.some((file) => file.includes("history"))).toBe(true);
  const written = files.map((file): [string, string] => [file, readFileSync(file, "utf8")]);
  const handedOut = simulator.state().access_tokens;
  expect(handedOut.length).toBeGreaterThanOrEqual(3);
  const canaries = {
    "client secret": client.client_secret,
    "secret input": secret,
    ...tokens,
    ...Object.fromEntries(handedOut.map((token, i) => [`access token ${i}`, token])),
  };
  expect([...printed, ...written].flatMap(([place, text]) => leaksIn(place, text, canaries))).toEqual([]);

  // They are there for people who may decrypt them, and only if requested.
  const outputs = await stack.outputs();
  for (const name of ["user", "output"]) {
    expect(outputs[name]).toMatchObject({
      identities: [{ accessToken: tokens.access_token, refreshToken: tokens.refresh_token }],
    });
  }
  expect(outputs["kept"]).toBe(tokens.refresh_token);
  for (const name of ["plain", "open"]) {
    expect(outputs[name]).toMatchObject({ userId: USER_ID, appMetadata: { department: "support" } });
    for (const token of Object.values(tokens)) expect(JSON.stringify(outputs[name])).not.toContain(token);
  }
  const clear = JSON.stringify(await stack.state({ showSecrets: true }));
  for (const text of [...handedOut, JSON.stringify(client.client_secret).slice(1, -1)])
    expect(clear).not.toContain(text);
});

test("names, get and dependsOn: unknown while something is yet to be created, and not answered from before", async () => {
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const role = { id: AGENT, name: "support-agent", description: "Answers tickets" };
  const stack = await start(
    {
      program: `
        const pulumi = require("@pulumi/pulumi");
        const {
          ConnectionProfile, DeviceCredentialRemoval, getGroupOutput, getRole, getUserPermissions,
          getUserPermissionsOutput, RoleGroupAssignment,
        } = require("pulumi-identity");
        const userId = ${JSON.stringify(USER_ID)};
        class Team extends pulumi.ComponentResource {
          constructor(name, roleId, group) {
            super("test:index:Team", name);
            const groupIds = [${JSON.stringify(CONTRACTORS)}, group.id];
            this.role = new RoleGroupAssignment(name, { roleId, groupIds }, { parent: this });
          }
        }
        module.exports = async () => {
          const role = await getRole({ name: "support-agent" });
          const group = getGroupOutput({ name: "billing-team" });
          const team = new Team("team", role.id, group);
          return {
            role,
            group,
            profile: ConnectionProfile.get("p", ${JSON.stringify(id)}).name,
            groups: RoleGroupAssignment.get("a", ${JSON.stringify(VIEWER)}).groupIds,
            phone: DeviceCredentialRemoval.get("r", ${JSON.stringify(PHONE)}).deviceCredentialId,
            early: (await getUserPermissions({ userId })).total,
            late: getUserPermissionsOutput({ userId }, { dependsOn: team }).total,
            fromArgument: getUserPermissionsOutput({ userId: team.role.roleId.apply(() => userId) }).total,
          };
        };`,
    },
    {
      roles: [role, { id: VIEWER, name: "billing-viewer", groups: [ADMINS] }],
      connection_profiles: [{ id, name: "theirs" }],
    },
  );
  const env = environmentOf(simulator);
  const permissions = `GET /api/v2/users/${encodeURIComponent(USER_ID)}/permissions?page=0&per_page=100&include_totals=true 200`;
  const asked = [
    `GET /api/v2/connection-profiles/${id} 200`,
    "GET /api/v2/groups?name=billing-team&take=100 200",
    `GET /api/v2/roles/${VIEWER}/groups?take=100 200`,
    "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
    permissions,
    // One for the program, one for the host of its resources.
    ...["POST /oauth/token 200", "POST /oauth/token 200"],
  ];

  const planned = succeeded(await stack.preview({ env })).all;
  expect(planned).toMatch(/early *: 3/);
  expect(planned).toMatch(/late *: (\[unknown\]|output<number>)/);
  expect(planned).toContain('"theirs"');
  expect(requests().sort()).toEqual(asked);

  succeeded(await stack.up({ env }));
  const log = requests();
  const assigned = `POST /api/v2/roles/${AGENT}/groups 204`;
  // The two that wait for the same resource share one request.
  expect([...log].sort()).toEqual([...asked, assigned, permissions].sort());
  const wrote = log.indexOf(assigned);
  expect(log.indexOf(permissions)).toBeLessThan(wrote);
  expect(log.lastIndexOf(permissions)).toBeGreaterThan(wrote);
  expect(await stack.outputs()).toEqual({
    role,
    group: { id: BILLING, name: "billing-team" },
    profile: "theirs",
    groups: [ADMINS],
    phone: PHONE,
    early: 3,
    late: 3,
    fromArgument: 3,
  });
});

test("lines name what the program looked up by a name that is no secret, and a run without changes stays one", async () => {
  const program = (from: string) => `
    const pulumi = require("@pulumi/pulumi");
    const { getGroup, getGroupOutput, getRoleOutput, RoleGroupAssignment } = require("${from}");
    const groupIds = [getGroup({ name: "billing-team" }).then(({ id }) => id), "${ADMINS}"];
    new RoleGroupAssignment("agents", { roleId: getRoleOutput({ name: "support-agent" }).id, groupIds });
    new RoleGroupAssignment("viewers", {
      roleId: getRoleOutput({ name: pulumi.secret("billing-viewer") }).id,
      groupIds: [getGroupOutput({ name: "billing-team" }).id],
    });`;
  const stack = await start(
    { program: program("pulumi-identity") },
    {
      roles: [AGENT, VIEWER].map((id, at) => ({
        id,
        name: ["support-agent", "billing-viewer"][at] ?? "",
      })),
    },
  );
  const env = environmentOf(simulator);
  const named = `agents: ${AGENT} is "support-agent", ${BILLING} is "billing-team"`;
  for (const printed of [await stack.preview({ env }), await stack.up({ env })]) {
    const { all } = succeeded(printed);
    expect(all).toContain(named);
    expect(all).toContain(`viewers: ${BILLING} is "billing-team"`);
    expect(all).not.toContain("billing-viewer");
  }
  expect(JSON.stringify(await stack.state())).not.toContain("support-agent");
  const again = succeeded(await stack.preview({ env, json: true })).all;
  expect(again).toContain('"same": 3');
  expect(again).not.toContain(' is \\"');
});

test("errors end the program with a sentence, told once, and a secret in plain configuration is warned of", async () => {
  const stack = await start({
    program: `
      const pulumi = require("@pulumi/pulumi");
      const { ConnectionProfile, getUserOutput } = require("pulumi-identity");
      new ConnectionProfile("enterprise", { name: "enterprise" });
      getUserOutput({ userId: pulumi.secret("auth0|nobody") }).apply(() => {});`,
  });
  const failed = async () => {
    const { code, all } = await stack.preview();
    expect(code).toBeGreaterThan(0);
    expect(all).not.toContain(simulator.clientSecret);
    return { all, summary: all.split("Diagnostics:").at(-1) ?? "" };
  };
  await stack.configure(simulator);
  await stack.config("identity:clientSecret", simulator.clientSecret);
  const plain = await failed();
  expect(plain.summary.match(/pulumi config set --secret identity:clientSecret/g)).toHaveLength(1);
  expect(plain.all).toContain("GET /users/[secret] answered 404");
  expect(plain.all).not.toContain("nobody");

  await stack.config("identity:clientSecret", "wrong-client-secret", { secret: true });
  // Both fail before the program awaits them.
  stack.write(`
    const { ConnectionProfile, getUser } = require("pulumi-identity");
    new ConnectionProfile("enterprise", { name: "enterprise" });
    const reported = new Promise((done) => process.once("unhandledRejection", () => setTimeout(done, 100)));
    const users = [getUser({ userId: "${USER_ID}" }), getUser({ userId: "${USER_ID}" })];
    module.exports = async () => {
      await reported;
      return await Promise.all(users);
    };`);
  const refused = await failed();
  expect(refused.summary.match(/getUser\(/g)).toHaveLength(1);
  expect(refused.all).not.toContain("PromiseRejectionHandledWarning");
  expect(refused.all).not.toContain("in clear");

  // Of an Output's error, Pulumi prints the stack: none of its lines is ours.
  await stack.config("identity:clientSecret", simulator.clientSecret, { secret: true });
  stack.write(`
    const { getRoleOutput } = require("pulumi-identity");
    module.exports = { id: getRoleOutput({ name: "nobody" }).id };`);
  const { summary } = await failed();
  expect(summary).toContain("No role has exactly this name.");
  expect(summary).not.toMatch(/^ +at /m);
});
