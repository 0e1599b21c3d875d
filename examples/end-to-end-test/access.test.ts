// Runs the program with the real Pulumi CLI on a simulated tenant, and looks at what the tenant holds then.
// `npm test` needs nothing but `pulumi` on the PATH: no account, no tenant, no secret.
import { LocalWorkspace, type Stack } from "@pulumi/pulumi/automation";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type SeedInput, type Simulator, startSimulator } from "pulumi-identity-simulator";

const SUPPORT = "grp_7TqWc2nYx5RkHbVd9sPmZa";
const ON_CALL = "grp_8HvYs4eMk3ZpLfDr6tXbNj";

/** Where Pulumi.yaml is: this file runs from bin/. */
const program = dirname(__dirname);

let simulator: Simulator;
let backend: string;
let stack: Stack;

beforeAll(async () => {
  const seed = JSON.parse(readFileSync(join(program, "seed.json"), "utf8")) as SeedInput;
  simulator = await startSimulator({ seed });
  backend = mkdtempSync(join(tmpdir(), "end-to-end-test-"));
  const envVars = {
    IDENTITY_DOMAIN: simulator.url,
    IDENTITY_CLIENT_ID: simulator.clientId,
    IDENTITY_CLIENT_SECRET: simulator.clientSecret,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "test",
  };
  stack = await LocalWorkspace.createStack({ stackName: "test", workDir: program }, { envVars });
});

afterAll(async () => {
  await simulator.close();
  rmSync(backend, { recursive: true });
});

const groups = () => simulator.state().roles[0]?.groups;

test("support gets the role, beside those who have it, and the profile is made", async () => {
  const { outputs } = await stack.up();
  expect(groups()).toEqual([ON_CALL, SUPPORT]);
  expect(simulator.state().connection_profiles).toMatchObject([
    { id: outputs["profileId"]?.value as string, name: "enterprise", enabled_features: ["scim"] },
  ]);
});

test("the next run has nothing to do", async () => {
  await stack.preview({ expectNoChanges: true });
});

test("destroying it takes away what it has made, and nothing else", async () => {
  // Also removes Pulumi.test.yaml, which creating the stack has written.
  await stack.destroy({ remove: true });
  expect(groups()).toEqual([ON_CALL]);
  expect(simulator.state().connection_profiles).toEqual([]);
});
