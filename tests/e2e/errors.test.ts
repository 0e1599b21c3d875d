import { type Simulator, startSimulator } from "../../simulator";
import { USER_ID } from "../../simulator/default-seed";
import { environmentOf, Stack } from "./stack";

const profile = `
  const { ConnectionProfile } = require("pulumi-identity");
  new ConnectionProfile("enterprise", { name: "enterprise" });
`;
let simulator: Simulator;
let credentials: Record<string, string>;

beforeAll(async () => {
  simulator = await startSimulator();
  credentials = environmentOf(simulator);
});

afterAll(() => simulator.close());

/** Runs `pulumi up`, which fails within a minute, and returns everything the user sees, without secrets. */
async function failure(program: string, env: Record<string, string>): Promise<string> {
  const stack = await Stack.create({ program, env });
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
