import { createServer } from "node:net";
import { type Simulator, startSimulator } from "../../simulator";
import { CLIENT_ID, DEFAULT_SEED, USER_ID } from "../../simulator/default-seed";
import { Stack } from "./stack";

const profile = `
  const { ConnectionProfile } = require("pulumi-identity");
  new ConnectionProfile("enterprise", { name: "enterprise" });
`;
const question = `
  const { getUserPermissionsOutput } = require("pulumi-identity");
  exports.permissions = getUserPermissionsOutput({ userId: "${USER_ID}" }).permissions;
`;
const narrow = {
  client_id: "narrow",
  client_secret: "narrow-client-secret",
  scope: "read:connection_profiles",
};

let simulator: Simulator;
let credentials: Record<string, string>;

beforeAll(async () => {
  simulator = await startSimulator({
    seed: { ...DEFAULT_SEED, clients: [...(DEFAULT_SEED.clients ?? []), narrow] },
  });
  credentials = {
    IDENTITY_DOMAIN: simulator.url,
    IDENTITY_CLIENT_ID: CLIENT_ID,
    IDENTITY_CLIENT_SECRET: simulator.clientSecret,
  };
});

afterAll(() => simulator.close());

/** Runs `pulumi up`, which fails within a minute, and returns everything the user sees, without secrets. */
async function failure(program: string, env: Record<string, string>): Promise<string> {
  const stack = await Stack.create({ program, env, seconds: 60 });
  try {
    simulator.reset();
    const { code, all } = await stack.up();
    expect({ failed: code !== 0, inTime: code !== null, all }).toMatchObject({ failed: true, inTime: true });
    // The CLI masks only secrets of stack configuration; these come from the environment, so it would show
    // them.
    for (const secret of [env["IDENTITY_CLIENT_SECRET"], ...simulator.state().access_tokens])
      if (secret !== undefined) expect(all).not.toContain(secret);
    return all;
  } finally {
    stack.remove();
  }
}

test("missing settings: a resource names the configuration keys and environment variables", async () => {
  const all = await failure(profile, {});
  for (const [key, variable] of [
    ["domain", "DOMAIN"],
    ["clientId", "CLIENT_ID"],
    ["clientSecret", "CLIENT_SECRET"],
    ["privateKey", "PRIVATE_KEY"],
    ["accessToken", "ACCESS_TOKEN"],
  ]) {
    expect(all).toContain(`identity:${key} (IDENTITY_${variable})`);
  }
  expect(simulator.log()).toEqual([]);
});

test("a tenant that can't be reached: a data source names its address and the setting", async () => {
  const url = await closedPort();
  const all = await failure(question, { ...credentials, IDENTITY_DOMAIN: url });
  expect(all).toContain(`POST /oauth/token on ${url} failed: the connection was refused`);
  expect(all).toContain("Check identity:domain (IDENTITY_DOMAIN)");
});

test("a wrong secret: a resource names the settings to check", async () => {
  const all = await failure(profile, { ...credentials, IDENTITY_CLIENT_SECRET: "wrong-client-secret" });
  expect(all).toContain("POST /oauth/token answered 401 access_denied");
  expect(all).toContain(
    "check identity:clientId (IDENTITY_CLIENT_ID) and identity:clientSecret (IDENTITY_CLIENT_SECRET)",
  );
  expect(new Set(simulator.log())).toEqual(new Set(["POST /oauth/token 401"]));
});

test.each([
  ["a resource", profile, "POST /api/v2/connection-profiles 403", "create:connection_profiles"],
  [
    "a data source",
    question,
    "GET /api/v2/users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d/permissions?page=0&per_page=100&include_totals=true 403",
    "read:users",
  ],
])("a missing scope: %s names it", async (_, program, refused, scope) => {
  const all = await failure(program, {
    ...credentials,
    IDENTITY_CLIENT_ID: narrow.client_id,
    IDENTITY_CLIENT_SECRET: narrow.client_secret,
  });
  expect(all).toContain("answered 403 insufficient_scope");
  expect(all).toContain(`Grant ${scope} to the client`);
  expect(simulator.log()).toEqual(["POST /oauth/token 200", refused]);
});

test("equal questions that fail before they are awaited: told once, and Node.js warns of nothing", async () => {
  const all = await failure(
    `
      const { getUser } = require("pulumi-identity");
      const reported = new Promise((done) => process.once("unhandledRejection", () => setTimeout(done, 100)));
      const users = [getUser({ userId: "${USER_ID}" }), getUser({ userId: "${USER_ID}" })];
      module.exports = async () => {
        await reported;
        return await Promise.all(users);
      };
    `,
    { ...credentials, IDENTITY_CLIENT_SECRET: "wrong-client-secret" },
  );
  const [, summary = ""] = all.split("Diagnostics:");
  expect(summary.match(/getUser\(/g)).toHaveLength(1);
  expect(all).not.toContain("PromiseRejectionHandledWarning");
});

test("bad input: every problem of a resource at once, and nothing is sent", async () => {
  const all = await failure(
    `
      const { ConnectionProfile } = require("pulumi-identity");
      new ConnectionProfile("enterprise", {
        name: "",
        connectionNamePrefixTemplate: "--far-too-long--",
        enabledFeatures: ["scim", "sso"],
        strategyOverrides: { okta: { enabledFeatures: ["mfa"] } },
        colour: "red",
      });
    `,
    credentials,
  );
  for (const problem of [
    'name: must have 1 to 50 characters; received "".',
    'connectionNamePrefixTemplate: must have at most 15 characters; received "--far-too-long--".',
    'enabledFeatures[1]: must be directory_sync, scim or universal_logout; received "sso".',
    'strategyOverrides.okta.enabledFeatures[0]: must be directory_sync, scim or universal_logout; received "mfa".',
    "colour: is not an input; check its spelling.",
  ]) {
    expect(all).toContain(problem);
  }
  expect(simulator.log()).toEqual([]);
});

/** The address of a port without a listener. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return `http://127.0.0.1:${address.port}`;
}

test("a secret in plain stack configuration is warned of, once, and one that is kept as a secret is not", async () => {
  const stack = await Stack.create({
    program: `${profile}new ConnectionProfile("other", { name: "other" });`,
  });
  try {
    await stack.config("identity:clientSecret", "in-the-open");
    const plain = (await stack.preview()).stdout;
    await stack.config("identity:clientSecret", "hidden", { secret: true });
    const secret = (await stack.preview()).stdout;

    // Once while it runs, and once in the summary.
    const [, summary = ""] = plain.split("Diagnostics:");
    expect(summary.match(/pulumi config set --secret identity:clientSecret/g)).toHaveLength(1);
    expect(plain).not.toContain("in-the-open");
    expect(secret).not.toContain("in clear");
  } finally {
    stack.remove();
  }
});
