import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import {
  DEFAULT_SEED,
  GROUP_BILLING,
  GROUP_CONTRACTORS,
  GROUP_SUPPORT,
  LOST_PHONE_CREDENTIAL_ID,
  ROLE_ID,
  USER_ID,
} from "../../simulator/default-seed";
import { type CommandResult, Stack, type StackOptions } from "./stack";

jest.setTimeout(120_000);

const examples = resolve(__dirname, "../../examples");
const user = `/api/v2/users/${encodeURIComponent(USER_ID)}`;
const TOKEN = "POST /oauth/token 200";
/** The CLI prints an error as it happens, and in the end. */

let simulator: Simulator;
let stack: Stack | undefined;

async function start(options: StackOptions, seed: SeedInput = DEFAULT_SEED): Promise<Stack> {
  simulator = await startSimulator({ seed, rate: { burst: 1000, perSecond: 1000 } });
  const { url, clientId, clientSecret } = simulator;
  const env = { IDENTITY_DOMAIN: url, IDENTITY_CLIENT_ID: clientId, IDENTITY_CLIENT_SECRET: clientSecret };
  stack = await Stack.create({ ...options, env });
  return stack;
}

afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await simulator.close();
});

function succeeded(result: CommandResult): CommandResult {
  if (result.code !== 0) throw new Error(result.all);
  return result;
}

function failed(result: CommandResult): string {
  expect(result.code).toBeGreaterThan(0);
  return result.all;
}

/** The request log since the last call, in the order of arrival. */
function requests(): string[] {
  const log = simulator.log();
  simulator.reset();
  return log;
}

const textsBelow = (folder: string): string =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");

test("tokens never appear in clear: state, previews, outputs, messages", async () => {
  const stack = await start({
    program: `
      const { getUser, getUserOutput, RoleGroupAssignment } = require("pulumi-identity");
      const userId = ${JSON.stringify(USER_ID)};
      const tokens = { userId, includeIdentityTokens: true };
      module.exports = async () => {
        const user = await getUser(tokens);
        const kept = getUserOutput(tokens).identities[1].refreshToken;
        new RoleGroupAssignment("role", {
          roleId: ${JSON.stringify(ROLE_ID)},
          groupIds: kept.apply((token) => token ? [${JSON.stringify(GROUP_BILLING)}] : []),
        });
        return { user, kept, output: getUserOutput(tokens), plain: await getUser({ userId }), open: getUserOutput({ userId }) };
      };`,
  });
  const seeded = ["simulated-provider-access-token", "simulated-provider-refresh-token"];
  const printed = [
    succeeded(await stack.preview({ json: true })).all,
    succeeded(await stack.preview({ args: ["--diff"] })).all,
    succeeded(await stack.up()).all,
    succeeded(await stack.pulumi(["stack", "output"])).all,
    succeeded(await stack.pulumi(["stack", "output", "--json"])).all,
    JSON.stringify(await stack.state()),
    textsBelow(join(stack.home, "state")),
  ];
  const handedOut = simulator.state().access_tokens;
  expect(handedOut.length).toBeGreaterThanOrEqual(3);
  expect(printed.at(-1)).toContain("RoleGroupAssignment");
  for (const secret of [...handedOut, ...seeded, simulator.clientSecret]) {
    for (const text of printed) expect(text).not.toContain(secret);
  }

  // They are there for people who may decrypt them, and only if requested.
  const outputs = await stack.outputs();
  for (const name of ["user", "output"]) {
    expect(outputs[name]).toMatchObject({
      identities: [{}, { accessToken: seeded[0], refreshToken: seeded[1], provider: "oidc" }],
    });
  }
  expect(outputs["kept"]).toBe(seeded[1]);
  for (const name of ["plain", "open"]) {
    expect(outputs[name]).toMatchObject({ userId: USER_ID, appMetadata: { department: "support" } });
    for (const secret of seeded) expect(JSON.stringify(outputs[name])).not.toContain(secret);
  }
  const clear = JSON.stringify(await stack.state({ showSecrets: true }));
  for (const secret of [...handedOut, simulator.clientSecret]) expect(clear).not.toContain(secret);
});

test("get: existing objects as resources, in previews too; nothing is changed or deleted", async () => {
  const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
  const stack = await start(
    {
      program: `
        const { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
        exports.name = ConnectionProfile.get("p", ${JSON.stringify(id)}).name;
        exports.groups = RoleGroupAssignment.get("a", ${JSON.stringify(ROLE_ID)}).groupIds;
        exports.phone = DeviceCredentialRemoval.get("r", ${JSON.stringify(LOST_PHONE_CREDENTIAL_ID)}).deviceCredentialId;`,
    },
    { ...DEFAULT_SEED, connection_profiles: [{ id, name: "theirs" }] },
  );
  const reads = [
    `GET /api/v2/connection-profiles/${id} 200`,
    `GET /api/v2/roles/${ROLE_ID}/groups?take=100 200`,
    TOKEN,
  ];
  expect(succeeded(await stack.preview()).all).toContain('"theirs"');
  expect(requests().sort()).toEqual(reads);
  succeeded(await stack.up());
  expect(requests().sort()).toEqual(reads);
  expect(await stack.outputs()).toEqual({
    name: "theirs",
    groups: [GROUP_SUPPORT],
    phone: LOST_PHONE_CREDENTIAL_ID,
  });
  succeeded(await stack.destroy());
  expect(requests()).toEqual([]);
});

test("a role and a group by name; a name that nothing has, and a key that is no setting, fail the preview", async () => {
  const program = `
    const { getGroupOutput, getRole, RoleGroupAssignment } = require("pulumi-identity");
    const name = new (require("@pulumi/pulumi").Config)().get("role") ?? "support-agent";
    module.exports = async () => {
      const role = await getRole({ name });
      const group = getGroupOutput({ name: "billing-team" });
      new RoleGroupAssignment("by name", { roleId: role.id, groupIds: [group.id] });
      return { role, group };
    };`;
  const stack = await start({ program });
  const asked = [
    "GET /api/v2/groups?name=billing-team&take=100 200",
    "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
  ];
  succeeded(await stack.preview());
  expect(requests().sort()).toEqual([...asked, TOKEN]);
  succeeded(await stack.up());
  expect(requests().filter((line) => line.startsWith("POST /api/v2"))).toEqual([
    `POST /api/v2/roles/${ROLE_ID}/groups 204`,
  ]);
  expect(await stack.outputs()).toEqual({
    role: { id: ROLE_ID, name: "support-agent", description: "Answers tickets" },
    group: { id: GROUP_BILLING, name: "billing-team" },
  });

  stack.write(`
    const { getGroupOutput, getRoleOutput, RoleGroupAssignment } = require("pulumi-identity");
    const roleId = getRoleOutput({ name: "support-agent" }).id;
    const groupIds = [getGroupOutput({ name: "billing-team" }).id];
    for (const name of ["a", "b"]) new RoleGroupAssignment(name, { roleId, groupIds });`);
  expect(failed(await stack.preview())).toContain("both list");

  stack.write(program);
  await stack.config("role", "suport-agent");
  expect(failed(await stack.preview())).toContain(
    `No role has exactly this name. Nearest names: "support-agent" (${ROLE_ID})`,
  );
  await stack.config("identity:maxRevocation", "5");
  requests();
  const refused = failed(await stack.up());
  expect(refused.split("identity:maxRevocation is no setting: did you mean")).toHaveLength(2);
  expect(refused).not.toMatch(/\n +at /);
  expect(requests()).toEqual([]);
});

test("all pages in previews and updates, in the fewest requests", async () => {
  const counts = [0, 1, 100, 101, 1_000];
  const users = counts.map((count) => ({
    user_id: `auth0|${count}`,
    permissions: Array.from({ length: count }, (_, i) => ({
      resource_server_identifier: "https://api.example.com/",
      permission_name: `read:${i}`,
    })),
  }));
  const stack = await start(
    {
      program: `
        const { getUserPermissions, getUserPermissionsOutput } = require("pulumi-identity");
        for (const count of ${JSON.stringify(counts)}) {
          const args = { userId: "auth0|" + count };
          exports["of" + count] = getUserPermissions(args).then(({ permissions }) => permissions.length);
          exports["again" + count] = getUserPermissionsOutput(args).total;
        }`,
    },
    { users },
  );
  const pages = counts.flatMap((count) =>
    Array.from(
      { length: Math.max(1, Math.ceil(count / 100)) },
      (_, page) =>
        `GET /api/v2/users/auth0%7C${count}/permissions?page=${page}&per_page=100&include_totals=true 200`,
    ),
  );
  succeeded(await stack.preview());
  expect(requests().sort()).toEqual([...pages, TOKEN].sort());
  succeeded(await stack.up());
  expect(requests().sort()).toEqual([...pages, TOKEN].sort());
  expect(await stack.outputs()).toEqual(
    Object.fromEntries(
      counts.flatMap((count) => [
        [`of${count}`, count],
        [`again${count}`, count],
      ]),
    ),
  );
});

test("dependsOn: unknown while something is yet to be created, then asked after it, and not from an earlier answer", async () => {
  const stack = await start({
    program: `
      const pulumi = require("@pulumi/pulumi");
      const { getUserPermissions, getUserPermissionsOutput, RoleGroupAssignment } = require("pulumi-identity");
      const userId = ${JSON.stringify(USER_ID)};
      class Team extends pulumi.ComponentResource {
        constructor(name) {
          super("test:index:Team", name);
          this.role = new RoleGroupAssignment(name, {
            roleId: ${JSON.stringify(ROLE_ID)}, groupIds: [${JSON.stringify(GROUP_CONTRACTORS)}],
          }, { parent: this });
        }
      }
      const team = new Team("team");
      exports.early = getUserPermissions({ userId }).then(({ total }) => total);
      exports.late = getUserPermissionsOutput({ userId }, { dependsOn: team }).total;
      exports.fromArgument = getUserPermissionsOutput({ userId: team.role.roleId.apply(() => userId) }).total;`,
  });
  const asked = `GET ${user}/permissions?page=0&per_page=100&include_totals=true 200`;
  const planned = succeeded(await stack.preview());
  expect(planned.all).toMatch(/early *: 3/);
  expect(planned.all).toMatch(/late *: (\[unknown\]|output<number>)/);
  expect(requests().filter((line) => line === asked)).toHaveLength(1);

  succeeded(await stack.up());
  const log = requests();
  const assigned = log.findIndex((line) => line.startsWith("POST /api/v2/roles/"));
  expect(log.slice(0, assigned).filter((line) => line === asked)).toHaveLength(1);
  // The two that wait for the same resource share one request.
  expect(log.slice(assigned + 1).filter((line) => line === asked)).toHaveLength(1);
  expect(await stack.outputs()).toEqual({ early: 3, late: 3, fromArgument: 3 });

  // Existing resources are known in previews too.
  const unchanged = succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  expect(unchanged.all).not.toContain("unknown");
});

test("errors end the program with a sentence", async () => {
  const stack = await start({ program: "", seconds: 60 });
  for (const [name, call, message] of [
    [
      "the plain form and an Output",
      `getUser({ userId: pulumi.output("x") })`,
      "Use getUserOutput, which takes such values",
    ],
    ["an invalid id in the Output form", `getUserOutput({ userId: pulumi.output(null) })`, "received null."],
    ["an unknown user", `getUserOutput({ userId: "auth0|nobody" })`, "answered 404 inexistent_user"],
    [
      "a secret user",
      `getUserOutput({ userId: pulumi.secret("auth0|nobody") })`,
      "GET /users/[secret] answered 404",
    ],
    [
      "a secret id that is invalid",
      `getUserOutput({ userId: pulumi.secret("nobody\\n") })`,
      "received a secret value.",
    ],
    [
      "a result that nothing else uses",
      `getUserOutput({ userId: "auth0|no" + "body" }).apply(() => {})`,
      "answered 404",
    ],
  ] as const) {
    stack.write(`
      const pulumi = require("@pulumi/pulumi");
      const { getUser, getUserOutput } = require("pulumi-identity");
      ${call};`);
    const printed = failed(await stack.preview());
    expect(`${name}: ${printed}`).toContain(message);
    if (name.includes("secret")) expect(printed).not.toContain("nobody");
  }
});

describe("examples", () => {
  test("guard-on-access fails the preview when a contractor holds an admin permission", async () => {
    const permissions = [
      {
        resource_server_identifier: "https://api.example.com/",
        permission_name: "admin:billing",
        sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
      },
    ];
    const stack = await start(
      { folder: "examples/guard-on-access" },
      { ...DEFAULT_SEED, users: [...DEFAULT_SEED.users!, { user_id: "auth0|contractor", permissions }] },
    );
    const contractors = (...ids: string[]) =>
      stack.config("identity-guard-on-access:contractors", JSON.stringify(ids));

    // The contractor in Pulumi.yaml has none.
    succeeded(await stack.up());
    expect(requests().filter((line) => line.startsWith("POST /api/v2"))).toHaveLength(1);

    await contractors(USER_ID, "auth0|contractor");
    for (const result of [await stack.preview(), await stack.up()]) {
      expect(failed(result)).toContain(
        'Contractors must not hold admin permissions: auth0|contractor holds admin:billing of https://api.example.com/, from [{"source_id":"","source_name":"","source_type":"DIRECT"}]',
      );
    }
    expect(requests().filter((line) => !line.startsWith("GET "))).toEqual([TOKEN, TOKEN]);
    // The update never got as far as deleting the profile.
    expect(simulator.state().connection_profiles).toHaveLength(1);
  });

  test("grant-by-connection gives the role to the groups of the user's connections", async () => {
    const stack = await start(
      { folder: "examples/grant-by-connection" },
      { ...DEFAULT_SEED, users: [...DEFAULT_SEED.users!, { user_id: "auth0|elsewhere", identities: [] }] },
    );
    succeeded(await stack.up());
    expect(requests()).toContain(`GET ${user}?fields=user_id%2Cidentities 200`);
    const granted = [GROUP_BILLING, GROUP_CONTRACTORS];
    expect(simulator.state().roles.find(({ id }) => id === ROLE_ID)?.groups).toEqual(
      expect.arrayContaining(granted),
    );
    expect((await stack.outputs())["granted"]).toEqual(expect.arrayContaining(granted));

    await stack.config("identity-grant-by-connection:userId", "auth0|elsewhere");
    expect(failed(await stack.preview())).toContain("must name at least one group");
  });

  test("unit-tests runs without CLI and tenant", async () => {
    simulator = await startSimulator();
    const folder = join(examples, "unit-tests");
    const { stdout } = await promisify(execFile)("npm", ["test"], {
      cwd: folder,
      env: { ...process.env, IDENTITY_DOMAIN: simulator.url, IDENTITY_ACCESS_TOKEN: "unused" },
    }).finally(() => rmSync(join(folder, "bin"), { recursive: true, force: true }));
    expect(stdout).toMatch(/pass 2\b/);
    expect(stdout).toMatch(/fail 0\b/);
    expect(simulator.requests()).toEqual([]);
  });
});
