import { resolve } from "node:path";
import { tokenCommand } from "../../cli/token";
import { runCommand } from "../../testkit/cli/in-process";
import { environmentOf, useSimulator } from "../../testkit/simulator";
import { Stack } from "../../testkit/stack";

const bin = resolve(__dirname, "../../dist/cli/index.js");
const TOKEN = "POST /oauth/token 200";
const HINT = "This is a secret: until it expires, whoever has it can do what the client can.";

const simulator = useSimulator();
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.create({
    program: `
      const { ConnectionProfile, getConnectionProfilesOutput } = require("pulumi-identity");
      const profile = new ConnectionProfile("p", { name: "mine" });
      exports.all = getConnectionProfilesOutput({}, { dependsOn: profile });`,
  });
  await stack.configure(simulator);
});

afterAll(() => stack.remove());

beforeEach(() => simulator.reset());

const token = (args: string) => stack.shell(`node ${bin} token ${args}`);
/** In this process, without a stack. */
const tokenOf = (env: Record<string, string>) =>
  runCommand(tokenCommand(), [], { env: { PATH: "", ...environmentOf(simulator), ...env } });

test("prints the token of the stack's client and nothing else", async () => {
  const { code, stdout, stderr } = await token("--stack test");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  expect(simulator.log()).toEqual([TOKEN]);
});

test("one token serves all commands of a job, programs with data sources too", async () => {
  const { code, all } = await stack.shell(`
    token="$(node ${bin} token)"
    export IDENTITY_ACCESS_TOKEN="$token" IDENTITY_LOG=json
    pulumi up --yes --skip-preview --non-interactive
    node ${bin} adopt >adopted.ts
    if pulumi stack export --show-secrets | grep -F "$token"; then exit 1; fi`);
  expect({ code, all }).toMatchObject({ code: 0 });
  expect(simulator.log().filter((line) => line.includes("/oauth/token"))).toEqual([TOKEN]);
  expect(all).not.toMatch(/eyJ/);
  // The logs of provider host and program, among Pulumi's lines.
  const logged = [...all.matchAll(/^ *(\{"event":"request".*\})$/gm)].map(
    ([, line = ""]) => JSON.parse(line) as { method: string; route: string },
  );
  const requests = logged.map(({ method, route }) => `${method} ${route}`);
  expect([...new Set(requests)].sort()).toEqual(["GET /connection-profiles", "POST /connection-profiles"]);
});

test("a configured token is printed as it is, without a request", async () => {
  const { code, stdout, stderr } = await tokenOf({ IDENTITY_ACCESS_TOKEN: "token-of-a-broker" });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "token-of-a-broker\n", stderr: "" });
  expect(simulator.log()).toEqual([]);
});

test("one that has expired is an error: what asks for a new one must not print the old one again", async () => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const expired = `${part({ alg: "none" })}.${part({ exp: 1_700_000_000 })}.x`;
  expect(await tokenOf({ IDENTITY_ACCESS_TOKEN: expired })).toMatchObject({
    code: 1,
    stdout: "",
    stderr:
      "identity:accessToken (IDENTITY_ACCESS_TOKEN) has expired. Unset it and run this again: the client's own credentials " +
      "get a new token.\n",
  });
  expect(simulator.log()).toEqual([]);
});

test("refused credentials print no token", async () => {
  const refused = await tokenOf({ IDENTITY_CLIENT_SECRET: "wrong-secret" });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toMatch(
    /^POST \/oauth\/token answered 401 .* gave no token: check identity:clientId /,
  );
  expect(refused.stderr).not.toContain("wrong-secret");
  expect(simulator.log()).toEqual(["POST /oauth/token 401"]);
});

test("a terminal is told that this is a secret", async () => {
  const { code, stdout } = await stack.shell(`script -qec "node ${bin} token" /dev/null`);
  expect(code).toBe(0);
  expect(stdout.trim().split(/\s*\n/)).toEqual([expect.stringMatching(/^eyJ[\w.-]+$/), HINT]);
  expect(simulator.log()).toEqual([TOKEN]);
});
