import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { ALL_SCOPES, DEFAULT_SEED, USER_ID } from "../../simulator/default-seed";
import { Stack } from "./stack";

/** Credentials that a file or a command has, with the real CLI: in the provider host and in the program. */

jest.setTimeout(240_000);

const CLIENT = { client_id: "kept", client_secret: "secret-in-a-file", scope: ALL_SCOPES };
const ACCESS_TOKEN = "token-of-a-command";

let simulator: Simulator;
let stack: Stack;

beforeAll(async () => {
  simulator = await startSimulator({
    seed: {
      ...DEFAULT_SEED,
      clients: [CLIENT],
      tokens: [{ access_token: ACCESS_TOKEN, scope: ALL_SCOPES }],
    },
  });
  stack = await Stack.create({
    program: `
      const { ConnectionProfile, getUserPermissionsOutput } = require("pulumi-identity");
      const profile = new ConnectionProfile("p", { name: "mine" });
      exports.found = getUserPermissionsOutput({ userId: "${USER_ID}" }, { dependsOn: profile }).total;`,
    env: { IDENTITY_DOMAIN: simulator.url, IDENTITY_CLIENT_ID: CLIENT.client_id },
  });
});

afterAll(async () => {
  stack.remove();
  await simulator.close();
});

test("pulumi config set asks how to store the path or the command, and takes it with --plaintext", async () => {
  for (const [key, value] of [
    ["identity:clientSecretFile", "/run/secrets/identity"],
    ["identity:accessTokenCommand", "vault read -field=token secret/tenant"],
    ["identity:tokenCache", "/tmp/identity-token"],
  ] as const) {
    const asked = await stack.pulumi(["config", "set", "--", key, value]);
    expect(asked.code).not.toBe(0);
    expect(asked.all).toContain("rerun with --secret to encrypt it, or --plaintext");
    await stack.config(key, value);
  }
});

test("with a file for the token, two commands, each with a host and a program, ask for one", async () => {
  await stack.pulumi(["config", "rm", "identity:accessTokenCommand"]);
  const file = join(stack.home, "token");
  await stack.config("identity:tokenCache", file);
  const env = { IDENTITY_CLIENT_SECRET: CLIENT.client_secret, IDENTITY_LOG: "json" };
  const up = await stack.up({ env });
  expect({ code: up.code, all: up.all }).toMatchObject({ code: 0 });
  const again = await stack.up({ env });
  expect({ code: again.code, all: again.all }).toMatchObject({ code: 0 });
  const destroy = await stack.destroy({ env });
  expect({ code: destroy.code, all: destroy.all }).toMatchObject({ code: 0 });
  // The data source waits for the profile, so the program finds the token of the host.
  expect(simulator.log().filter((line) => line === "POST /oauth/token 200")).toHaveLength(1);
  const [, token = ""] = /"value":"([^"]+)"/.exec(readFileSync(file, "utf8")) ?? [];
  expect(token.split(".")).toHaveLength(3);
  const state = JSON.stringify(await stack.state({ showSecrets: true }));
  expect(up.all + again.all + destroy.all + state).not.toContain(token);
  await stack.pulumi(["config", "rm", "identity:tokenCache"]);
  simulator.reset();
});

test("a file in stack configuration is read by both processes, and not before something is sent", async () => {
  const file = join(stack.home, "client-secret");
  await stack.config("identity:clientSecretFile", file);
  const preview = await stack.preview();
  expect({ code: preview.code, all: preview.all }).toMatchObject({ code: 0 });
  expect(simulator.log()).toEqual([]);

  writeFileSync(file, `${CLIENT.client_secret}\n`);
  const up = await stack.up({ env: { IDENTITY_LOG: "json" } });
  expect({ code: up.code, all: up.all }).toMatchObject({ code: 0 });
  expect(simulator.log().filter((line) => line === "POST /oauth/token 200")).toHaveLength(2);
  expect(up.all + JSON.stringify(await stack.state({ showSecrets: true }))).not.toContain(
    CLIENT.client_secret,
  );

  // Pulumi shows a line while it runs, behind the name of the stack, and at the end by itself.
  const [, summary = ""] = up.stdout.split("Diagnostics:");
  const lines = [...summary.matchAll(/^ *(\{"event".*\})$/gm)].map(
    ([, line = ""]) => JSON.parse(line) as object,
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "request", method: "POST", path: "/connection-profiles", status: 201 }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ event: "request", route: "/users/{id}/permissions", status: 200 }),
  );
});

test("a command in the environment is run by refresh and destroy, which know stack configuration of the last up", async () => {
  const runs = join(stack.home, "runs");
  const command = JSON.stringify(["sh", "-c", `echo run >> ${runs}; echo ${ACCESS_TOKEN}`]);
  rmSync(join(stack.home, "client-secret"));
  simulator.reset();
  const refresh = await stack.refresh({ env: { IDENTITY_ACCESS_TOKEN_COMMAND: command } });
  expect({ code: refresh.code, all: refresh.all }).toMatchObject({ code: 0 });
  const destroy = await stack.destroy({ env: { IDENTITY_ACCESS_TOKEN_COMMAND: command } });
  expect({ code: destroy.code, all: destroy.all }).toMatchObject({ code: 0 });
  expect(readFileSync(runs, "utf8")).toBe("run\n".repeat(2));
  expect(simulator.log().filter((line) => line.startsWith("POST /oauth/token"))).toEqual([]);
  expect(refresh.all + destroy.all).not.toContain(ACCESS_TOKEN);
});
