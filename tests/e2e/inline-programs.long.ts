import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { PulumiCli } from "../../scripts/pulumi-cli/index.mjs" with { "resolution-mode": "import" };
import { type Simulator, startSimulator } from "../../simulator";
import { AGENT, BILLING, USER_ID } from "../../simulator/default-seed";
import { environmentOf, pulumiCli } from "../../testkit/stack";

/** Inline programs of the Automation API, in a process of their own without settings in its environment. */

const repository = resolve(__dirname, "../..");
const run = promisify(execFile);

let folder: string;
let simulator: Simulator;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-inline-"));
  for (const name of ["state", "pulumi", "user"]) mkdirSync(join(folder, name));
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
  simulator = await startSimulator();
});

afterEach(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

/** Without any settings. */
function environment(cli: PulumiCli): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  return {
    ...Object.fromEntries(inherited),
    ...cli.env,
    HOME: join(folder, "user"),
    PULUMI_BACKEND_URL: `file://${join(folder, "state")}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
    PULUMI_HOME: join(folder, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
}

/** Runs `up` on a program, given as the text of a function, and returns its outputs or the error. */
async function up(
  program: string,
  { envVars = {}, config = {} }: { envVars?: Record<string, string>; config?: Record<string, string> },
): Promise<{ outputs?: Record<string, unknown>; error?: string }> {
  const cli = await pulumiCli();
  const script = `
    const { LocalWorkspace, PulumiCommand } = require("@pulumi/pulumi/automation");
    const { ConnectionProfile, getUser, getUserOutput, RoleGroupAssignment } = require("pulumi-identity");
    const [envVars, config, root] = ${JSON.stringify([envVars, config, dirname(dirname(cli.bin))])};
    const program = ${program};
    (async () => {
      const pulumiCommand = await PulumiCommand.get({ root, skipVersionCheck: true });
      const options = { pulumiCommand, envVars };
      const stack = await LocalWorkspace.createOrSelectStack({ stackName: "test", projectName: "inline", program }, options);
      for (const [key, value] of Object.entries(config)) await stack.setConfig(key, { value });
      return Object.fromEntries(Object.entries((await stack.up()).outputs).map(([name, { value }]) => [name, value]));
    })().then((outputs) => ({ outputs }), (error) => ({ error: error.message }))
      .then((result) => process.stdout.write(JSON.stringify(result), () => process.exit()));`;
  writeFileSync(join(folder, "automate.js"), script);
  const { stdout } = await run(process.execPath, ["automate.js"], {
    cwd: folder,
    env: environment(cli),
  });
  return JSON.parse(stdout) as Awaited<ReturnType<typeof up>>;
}

const asEnvironment = () => environmentOf(simulator);
const asConfiguration = () => ({
  "identity:domain": simulator.url,
  "identity:clientId": simulator.clientId,
  "identity:clientSecret": simulator.clientSecret,
});

const args = JSON.stringify({ userId: USER_ID });
const advice =
  "This is an inline program of the Automation API: the envVars of its workspace reach resources, but not data sources";

test.each([
  ["the plain form", `await getUser(${args})`],
  ["the Output form", `getUserOutput(${args})`],
])("%s of a data source that can't see the workspace's envVars says so", async (_, call) => {
  const program = `async () => { ${call}; new ConnectionProfile("after", { name: "after" }); }`;
  const { error } = await up(program, { envVars: asEnvironment() });
  expect(error).toContain(advice);
  expect(error).toContain(
    "Set stack configuration (stack.setConfig) or process.env instead, or give resources and data sources a Provider.",
  );
  expect(simulator.log()).toEqual([]);
});

test("the workspace's envVars suffice for a program without data sources", async () => {
  const program = `async () => ({ name: new ConnectionProfile("made", { name: "made" }).name })`;
  expect(await up(program, { envVars: asEnvironment() })).toEqual({ outputs: { name: "made" } });
});

// The SDK tells the engine that an inline program is done before it looks whether the program failed. The
// engine would then delete everything that the program hadn't declared yet.
test("with stack configuration, a program that fails, in whatever way, deletes nothing that it hasn't declared yet", async () => {
  const assignment = `new RoleGroupAssignment("access", { roleId: "${AGENT}", groupIds: ["${BILLING}"] })`;
  const made = `const profile = new ConnectionProfile("made", { name: "made" });`;
  const config = asConfiguration();
  // Stack configuration reaches resources and data sources.
  const whole = `async () => { ${made} ${assignment}; return { email: (await getUser(${args})).email }; }`;
  const email = simulator.state().users.find(({ user_id }) => user_id === USER_ID)?.email;
  expect(await up(whole, { config })).toEqual({ outputs: { email } });

  for (const failure of [
    `getUserOutput({ userId: "auth0|nobody" }).email.apply(() => undefined)`,
    `profile.name.apply(() => { throw new Error("no such team"); })`,
    `Promise.reject(new Error("no such team"))`,
  ]) {
    const { error } = await up(`async () => { ${made} ${failure}; }`, { config });
    expect(error).toMatch(/no such team|auth0\|nobody/);
    expect(error).toContain("The program failed, so nothing is deleted that it didn't get to.");
  }
  expect(simulator.log().filter((line) => line.startsWith("DELETE"))).toEqual([]);
  expect(simulator.state().roles.find(({ id }) => id === AGENT)?.groups).toContain(BILLING);
});

test("examples/automation onboards a customer, tells each step, and says what is wrong once", async () => {
  const options = {
    cwd: join(repository, "examples/automation"),
    env: {
      ...environment(await pulumiCli()),
      ...asEnvironment(),
      PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK: "true",
    },
  };
  const onboard = (...customer: string[]) =>
    run(process.execPath, ["--import", "tsx", "index.ts", ...customer], options);

  const { stdout } = await onboard("example", AGENT, BILLING);
  const { connection_profiles, roles } = simulator.state();
  expect(stdout.trim().split("\n")).toEqual([
    "create ConnectionProfile example",
    "create RoleGroupAssignment example",
    `done: profile ${connection_profiles[0]?.id}`,
  ]);
  expect(roles.find(({ id }) => id === AGENT)?.groups).toContain(BILLING);

  const { code, stderr } = (await onboard("example", BILLING, BILLING).catch(
    (error: { code: number; stderr: string }) => error,
  )) as { code?: number; stderr: string };
  expect(code).toBe(1);
  expect(stderr).toMatch(/^failed: .*roleId: must be .*$/m);
  expect(stderr.match(/roleId/g)).toHaveLength(1);
});
