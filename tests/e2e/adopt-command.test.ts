import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type SeedInput } from "../../simulator";
import { CLIENT_SECRET } from "../../simulator/default-seed";
import { adoptCommand } from "../../cli/adopt/command";
import { runBin } from "../../testkit/cli/bin";
import { runCommand } from "../../testkit/cli/in-process";
import { useFolder } from "../../testkit/folder";
import { useSimulator } from "../../testkit/simulator";
import { environmentOf } from "../../testkit/stack";

/* The command without a stack: settings come from the environment. */

const roleId = "rol_4hNkVx8QmTz2bRcW";
const groupId = "grp_5BmRd9aSj2WqTgFx7cUkEn";
const seed: SeedInput = {
  roles: [{ id: roleId }],
  connection_profiles: [
    { id: "cop_1", name: "one" },
    {
      id: "cop_2",
      name: "two",
      strategy_overrides: { okta: { provisioning: { note: `x${CLIENT_SECRET}x` } } },
    },
    { id: "cop_3", name: `three \ud800` },
  ],
};

const simulator = useSimulator({ seed });
const folder = useFolder();

beforeEach(() => {
  simulator.seed(seed);
  simulator.reset();
});

/** As a process only with input: that takes a second. */
const run = (args: readonly string[], env: Record<string, string> = {}, input = "") => {
  const variables = { PATH: "", ...environmentOf(simulator), ...env };
  if (input !== "") return runBin(variables, ["adopt", ...args], { cwd: folder, input });
  return runCommand(adoptCommand(), args, { env: variables, cwd: folder });
};

test("what a killed run may have created is said before anything else", async () => {
  const type = "identity:index:ConnectionProfile";
  const resource = { urn: `urn:pulumi:dev::test::${type}::one`, type, inputs: { name: "one" } };
  const deployment = { resources: [], pending_operations: [{ type: "creating", resource }] };
  const { code, stderr } = await run(["--unmanaged", "--state", "-"], {}, JSON.stringify({ deployment }));
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /^Pending: the connection profile one may be on the tenant already: .*`pulumi refresh --clear-pending-creates`\.\n/,
  );
});

test("it prints the program, nothing beside it, and sends only reads", async () => {
  const { code, stdout, stderr } = await run(["--role", roleId]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replace(/-\w{10}"/g, '-…"')).toBe(
    `// What \`npx --no pulumi-identity adopt\` found on ${new URL(simulator.url).host}.
// Format it as you like.
//
// \`pulumi preview\` says of each connection profile that it stays as it is, and
// \`pulumi up\` takes it over without a change. Then the \`adopt\` lines may go.
// Destroying leaves adopted profiles in place, unless deleteOnDestroy is true.
import { ConnectionProfile } from "pulumi-identity";

new ConnectionProfile("one-…", {
  adopt: "cop_1",
  name: "one",
});

// Can't be declared: the connection profile cop_3, named "three \\ud800":
// - name: holds half of a character.

// Left as it is on the tenant, and not managed:
// - strategyOverrides.okta.provisioning.note: holds a credential of this client.
new ConnectionProfile("two-…", {
  adopt: "cop_2",
  name: "two",
});

// No assignment of the role ${roleId}: no group has it.
`,
  );
  expect(simulator.requests().map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /oauth/token",
    "GET /api/v2/connection-profiles?take=10",
    `GET /api/v2/roles/${roleId}/groups?take=100`,
  ]);
});

test("--format import writes the file of an import, and says on standard error what it leaves out", async () => {
  simulator.seed({ ...seed, groups: [{ id: groupId }], roles: [{ id: roleId, groups: [groupId] }] });
  const { code, stdout, stderr } = await run(["--role", roleId, "--format", "import"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout.replace(/-\w{10}"/g, '-…"'))).toEqual({
    resources: [
      { type: "identity:index:ConnectionProfile", name: "one-…", id: "cop_1" },
      { type: "identity:index:RoleGroupAssignment", name: roleId, id: roleId },
    ],
  });
  expect(stderr).toBe(
    `Left out: connection profile cop_3 "three \\ud800": name: holds half of a character.\n` +
      `Left out: connection profile cop_2 "two": strategyOverrides.okta.provisioning.note: holds a credential of this client.\n`,
  );
  const none = await run(
    ["--role", roleId, "--format", "import", "--unmanaged", "--state", "-"],
    {},
    stateOf(),
  );
  expect(JSON.parse(none.stdout)).toEqual({ resources: [] });
  expect(none.stderr).toContain(`Left out: role ${roleId}: "support" manages a part of its groups`);
});

/** The state of a stack that has the profile, and the role for another group. */
function stateOf(): string {
  const tenant = new URL(simulator.url).host;
  const resource = (kind: string, name: string, id: string, outputs: object) => ({
    urn: `urn:pulumi:test::project::identity:index:${kind}::${name}`,
    type: `identity:index:${kind}`,
    id,
    outputs: { tenant, ...outputs },
  });
  const resources = [
    resource("ConnectionProfile", "one", "cop_1", {}),
    resource("RoleGroupAssignment", "support", roleId, { groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] }),
  ];
  return JSON.stringify({ version: 3, deployment: { resources } });
}

test("--only takes the profiles of matching names; a tenant without any still makes a module", async () => {
  const { stdout } = await run(["--only", "*o*e*"]);
  expect([...stdout.matchAll(/adopt: "(.*)"/g)].map(([, id]) => id)).toEqual(["cop_1"]);
  const none = await run(["--only", "*/ nobody"]);
  expect(none).toMatchObject({ code: 0, stderr: "" });
  expect(none.stdout).toMatch(
    /^\/\/ What .*\n\/\/ Format it as you like\.\nexport \{\};\n\n\/\/ There is no connection profile whose name matches "\*\/ nobody"\.\n$/,
  );
});

test("a file is written as a whole, and an existing one is replaced only with --force", async () => {
  expect(await run(["--output", "index.ts"])).toEqual({ code: 0, stdout: "", stderr: "" });
  const program = readFileSync(join(folder, "index.ts"), "utf8");
  expect(program).toBe((await run([])).stdout);

  writeFileSync(join(folder, "index.ts"), "mine");
  simulator.reset();
  const refused = await run(["--output", "index.ts"]);
  expect(refused).toEqual({
    code: 2,
    stdout: "",
    stderr: "index.ts is there already. Name another file, or add --force to replace it.\n",
  });
  expect(simulator.requests()).toEqual([]);
  expect(readFileSync(join(folder, "index.ts"), "utf8")).toBe("mine");

  simulator.fail({ method: "GET", times: 20, action: { status: 403 } });
  expect(await run(["--output", "index.ts", "--force"])).toMatchObject({ code: 1, stdout: "" });
  expect(readFileSync(join(folder, "index.ts"), "utf8")).toBe("mine");
  simulator.reset();

  expect(await run(["--output", "index.ts", "--force"])).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, "index.ts"), "utf8")).toBe(program);
  expect(readdirSync(folder)).toEqual(["index.ts"]);
});

test.each<[string, number, string[], string]>([
  ["a role that is none", 1, ["--role", "../users"], 'is called "../users"'],
  [
    "a folder that is not there",
    2,
    ["--output", "none/index.ts"],
    "none/index.ts could not be written (no such folder).",
  ],
  [
    "a stack that can't be read",
    1,
    ["--stack", "prod"],
    "The configuration of the stack prod could not be read. There is no `pulumi`",
  ],
  [
    "a role that does not exist",
    1,
    ["--role", "rol_none"],
    "The role rol_none is not on the tenant 127.0.0.1:",
  ],
])("%s: exit %d, and nothing but a sentence is printed", async (_, code, args, message) => {
  const result = await run(args);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(message);
  expect(result.stderr).not.toMatch(/\n {4}at /);
  expect(
    simulator.requests().filter(({ method, path }) => method !== "GET" && !path.startsWith("/oauth/")),
  ).toEqual([]);
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    "no settings",
    { IDENTITY_DOMAIN: "", IDENTITY_CLIENT_ID: "", IDENTITY_CLIENT_SECRET: "" },
    // The cause and the fix, in one line.
    /^There is no `pulumi` on the PATH\. Install .*\. Or set IDENTITY_DOMAIN and the credentials in the environment\.\n$/,
  ],
  ["a wrong secret", { IDENTITY_CLIENT_SECRET: "wrong-secret-of-a-test" }, /401/],
])("%s: exit 1, and no secret in the sentence", async (_, env, message) => {
  const { code, stdout, stderr } = await run([], env);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(message);
  expect(stderr).not.toContain("wrong-secret-of-a-test");
});
