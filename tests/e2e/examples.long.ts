import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { problemsOf, type Workflow } from "../../scripts/rules/workflow-problems";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { AGENT, BILLING, CONTRACTORS, DEFAULT_SEED, SUPPORT, USER_ID } from "../../simulator/default-seed";
import { type CommandResult, environmentOf, pulumiCli, Stack, succeeded } from "../../testkit/stack";

/* Examples that make whole programs of the resources and data sources. */

const folder = resolve(__dirname, "../../examples/end-to-end-test");
const workflow = readFileSync(join(folder, ".github/workflows/test.yml"), "utf8");
const TOKEN = "POST /oauth/token 200";

let simulator: Simulator | undefined;
let stack: Stack | undefined;

async function start(example: string, seed: SeedInput = DEFAULT_SEED): Promise<[Stack, Simulator]> {
  simulator = await startSimulator({ seed, rate: { burst: 1000, perSecond: 1000 } });
  const env = environmentOf(simulator);
  stack = await Stack.create({ folder: `examples/${example}`, env });
  return [stack, simulator];
}

afterEach(async () => {
  stack?.remove();
  await simulator?.close();
  stack = simulator = undefined;
});

function failed(result: CommandResult): string {
  expect(result.code).toBeGreaterThan(0);
  return result.all;
}

test("guard-on-access fails the preview when a contractor holds an admin permission", async () => {
  const permissions = [
    {
      resource_server_identifier: "https://api.example.com/",
      permission_name: "admin:billing",
      sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
    },
  ];
  const [stack, simulator] = await start("guard-on-access", {
    ...DEFAULT_SEED,
    users: [...DEFAULT_SEED.users!, { user_id: "auth0|contractor", permissions }],
  });
  const contractors = (...ids: string[]) =>
    stack.config("identity-guard-on-access:contractors", JSON.stringify(ids));

  // The contractor in Pulumi.yaml has none.
  succeeded(await stack.up());
  expect(simulator.log().filter((line) => line.startsWith("POST /api/v2"))).toHaveLength(1);
  simulator.reset();

  await contractors(USER_ID, "auth0|contractor");
  expect(failed(await stack.up())).toContain(
    "Contractors must not hold admin permissions: auth0|contractor holds admin:billing of https://api.example.com/, from DIRECT",
  );
  expect(simulator.log().filter((line) => !line.startsWith("GET "))).toEqual([TOKEN]);
  // The update never got as far as deleting the profile.
  expect(simulator.state().connection_profiles).toHaveLength(1);
});

test("grant-by-connection gives the role to the groups of the user's connections", async () => {
  const [stack, simulator] = await start("grant-by-connection", {
    ...DEFAULT_SEED,
    users: [...DEFAULT_SEED.users!, { user_id: "auth0|elsewhere", identities: [] }],
  });
  succeeded(await stack.up());
  expect(simulator.log()).toContain(
    `GET /api/v2/users/${encodeURIComponent(USER_ID)}?fields=user_id%2Cidentities 200`,
  );
  const granted = [BILLING, CONTRACTORS];
  expect(simulator.state().roles.find(({ id }) => id === AGENT)?.groups).toEqual(
    expect.arrayContaining(granted),
  );
  expect((await stack.outputs())["granted"]).toEqual(expect.arrayContaining(granted));

  await stack.config("identity-grant-by-connection:userId", "auth0|elsewhere");
  expect(failed(await stack.preview())).toContain("must name at least one group");
});

/** Returns the requests of a command that must succeed, sorted. */
async function requestsOf(command: Promise<CommandResult>, simulator: Simulator): Promise<string[]> {
  simulator.reset();
  succeeded(await command);
  return simulator.log().sort();
}

test("component", async () => {
  const [stack, simulator] = await start("component");
  const groups = `/api/v2/roles/${AGENT}/groups`;
  const customers = (value: Record<string, object>) =>
    stack.config("identity-component:customers", JSON.stringify(value));

  const posts = (await requestsOf(stack.up(), simulator)).filter((request) =>
    request.startsWith("POST /api"),
  );
  expect(new Set(posts)).toEqual(new Set(["POST /api/v2/connection-profiles 201", `POST ${groups} 204`]));
  const profiles = simulator.state().connection_profiles;
  expect(profiles.map(({ name, enabled_features }) => [name, enabled_features]).sort()).toEqual([
    ["example", ["scim"]],
    ["other", []],
  ]);

  // A customer who leaves takes everything along.
  await customers({ example: { groups: ["billing-team"] } });
  const other = profiles.find(({ name }) => name === "other")?.id;
  const writes = (await requestsOf(stack.up(), simulator)).filter((line) => line.startsWith("DELETE "));
  expect(writes).toEqual([`DELETE /api/v2/connection-profiles/${other} 204`, `DELETE ${groups} 204`]);
  const role = simulator.state().roles.find(({ id }) => id === AGENT);
  expect(role?.groups?.sort()).toEqual([SUPPORT, BILLING].sort());
});

test("unit-tests compiles, and its tests pass", async () => {
  const folder = resolve(__dirname, "../../examples/unit-tests");
  const { stdout } = await promisify(execFile)("npm", ["test"], { cwd: folder }).finally(() =>
    rmSync(join(folder, "bin"), { recursive: true, force: true }),
  );
  expect(stdout).toMatch(/pass 2\b/);
  expect(stdout).toMatch(/fail 0\b/);
});

test("the workflow runs the tests, without a secret and as others have to be", () => {
  expect(problemsOf(workflow)).toEqual([]);
  const { jobs } = parse(workflow) as Workflow;
  expect(jobs["test"]?.steps.flatMap(({ run }) => run ?? [])).toEqual(["npm ci", "npm test"]);
});

test("the tests pass with no setting but pulumi on the PATH, and leave nothing behind", async () => {
  const home = mkdtempSync(join(tmpdir(), "pulumi-identity-example-"));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  const cli = await pulumiCli();
  // npm puts the repository's own `pulumi` in front of the PATH's; it looks for its version in PULUMI_HOME.
  mkdirSync(join(home, "pulumi"));
  symlinkSync(resolve(cli.bin, "../../.."), join(home, "pulumi", "versions"));
  const env = {
    ...Object.fromEntries(inherited),
    ...cli.env,
    HOME: home,
    PULUMI_HOME: join(home, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  try {
    const { stderr } = await promisify(execFile)("npm", ["test"], { cwd: folder, env });
    expect(stderr).toMatch(/^Tests: +3 passed, 3 total$/m);
    expect(existsSync(join(folder, "Pulumi.test.yaml"))).toBe(false);
  } finally {
    rmSync(join(folder, "bin"), { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
});

test("the unit tests of component and automation need neither CLI nor tenant", async () => {
  const tenant = (simulator = await startSimulator());
  const tests = ["component/customer.test.ts", "automation/onboard.test.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--test", ...tests], {
    cwd: resolve(__dirname, "../../examples"),
    env: { ...process.env, IDENTITY_DOMAIN: tenant.url, IDENTITY_ACCESS_TOKEN: "unused" },
  });
  expect(stdout).toMatch(/pass [23]\b/);
  expect(stdout).toMatch(/fail 0\b/);
  expect(tenant.requests()).toEqual([]);
});
