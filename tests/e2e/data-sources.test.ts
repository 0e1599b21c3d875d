import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
import { type CommandResult, environmentOf, Stack, type StackOptions } from "./stack";

const TOKEN = "POST /oauth/token 200";

let simulator: Simulator;
let stack: Stack | undefined;

async function start(options: StackOptions, seed: SeedInput = DEFAULT_SEED): Promise<Stack> {
  simulator = await startSimulator({ seed, rate: { burst: 1000, perSecond: 1000 } });
  const env = environmentOf(simulator);
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
  const asked = `GET /api/v2/users/${encodeURIComponent(USER_ID)}/permissions?page=0&per_page=100&include_totals=true 200`;
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
  const stack = await start({ program: "" });
  for (const [name, call, message] of [
    [
      "a secret user",
      `getUserOutput({ userId: pulumi.secret("auth0|nobody") })`,
      "GET /users/[secret] answered 404",
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
