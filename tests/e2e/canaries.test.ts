import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_ECHOES } from "../canary/echoes";
import { checksSoFar, leaksIn, SPELLINGS } from "../canary/spellings";
import { type Simulator, startSimulator } from "../../simulator";
import {
  ALL_SCOPES,
  DEFAULT_SEED,
  GROUP_BILLING,
  OTHER_ROLE_ID,
  ROLE_ID,
  USER_ID,
} from "../../simulator/default-seed";
import { reviewIn } from "./review/review";
import { Stack } from "./stack";

/**
 * Credentials, tokens of identities and secret inputs are in no output of the real CLI, and in no file that
 * it writes.
 */

const CLIENT = { client_id: "canary", client_secret: 'cA9/kw0!+&"x ~q7Zr2=', scope: ALL_SCOPES };
const INPUT = "in7/Vq+&w ~Hc3p";
const tokens = {
  access_token: "idA/1x-kk82.Qq",
  access_token_secret: "idS/2x-kk82.Qq",
  refresh_token: "idR/3x-kk82.Qq",
};

let simulator: Simulator;
let stack: Stack;

beforeAll(async () => {
  simulator = await startSimulator({
    rate: { burst: 1_000, perSecond: 1_000 },
    seed: {
      ...DEFAULT_SEED,
      clients: [CLIENT],
      users: [
        {
          user_id: USER_ID,
          identities: [
            { connection: "c", provider: "okta", ...tokens, profileData: { id_token: tokens.access_token } },
          ],
          last_token: tokens.refresh_token,
        },
      ],
    },
  });
  stack = await Stack.create({
    env: {
      IDENTITY_DOMAIN: simulator.url,
      IDENTITY_CLIENT_ID: CLIENT.client_id,
      IDENTITY_CLIENT_SECRET: CLIENT.client_secret,
      IDENTITY_LOG: "debug",
    },
  });
});

afterAll(async () => {
  stack.remove();
  await simulator.close();
  process.stdout.write(`${checksSoFar()} searches for a canary in what the CLI shows and writes\n`);
});

const program = (name: string) => `
  const pulumi = require("@pulumi/pulumi");
  const { ConnectionProfile, getUserOutput } = require("pulumi-identity");
  const note = pulumi.secret(${JSON.stringify(INPUT)});
  new ConnectionProfile("p", { name: "${name}", strategyOverrides: { okta: { provisioning: { note } } } });
  exports.plain = getUserOutput({ userId: "${USER_ID}" });
  exports.withTokens = getUserOutput({ userId: "${USER_ID}", includeIdentityTokens: true });`;

/** All files of the stack but the program itself. */
const filesOf = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name !== "index.js")
    .map((entry) => join(entry.parentPath, entry.name));

const assigning = `${program("renamed")}
  const { RoleGroupAssignment } = require("pulumi-identity");
  new RoleGroupAssignment("a", { roleId: "${OTHER_ROLE_ID}", groupIds: ["${GROUP_BILLING}"] });`;
const RULES = `conflicts:\n  - [${ROLE_ID}, ${OTHER_ROLE_ID}]\n`;

test("up, a failing up, preview, refresh, a review with findings, and destroy", async () => {
  const shown: [string, string][] = [];
  const show = async (
    name: string,
    command: Promise<{ all: string; code: number | null }>,
    fails = false,
  ) => {
    const { all, code } = await command;
    expect({ name, failed: code !== 0 }).toEqual({ name, failed: fails });
    expect(all).toContain("identity: ");
    shown.push([name, all]);
  };
  stack.write(program("mine"));
  await show("preview", stack.preview({ json: true }));
  await show("up", stack.up());
  stack.write(program("renamed"));
  const spelled = Object.values(SPELLINGS).map((spell) => spell(CLIENT.client_secret));
  const echo = API_ECHOES["the message of a 400"] as (
    text: string,
  ) => ReturnType<(typeof API_ECHOES)[string]>;
  simulator.fail({ path: "*/connection-profiles*", times: 5, action: echo(spelled.join(" ")) });
  await show("a failing up", stack.up(), true);
  simulator.reset();
  await show("refresh", stack.refresh());

  stack.write(assigning);
  const { stdout: preview } = await stack.preview({ json: true });
  const rules = join(stack.home, "rules.yaml");
  writeFileSync(rules, RULES);
  simulator.fail({ path: "*/roles/*", times: 20, action: echo(spelled.join(" ")) });
  const environment = {
    IDENTITY_DOMAIN: simulator.url,
    IDENTITY_CLIENT_ID: CLIENT.client_id,
    IDENTITY_CLIENT_SECRET: CLIENT.client_secret,
    GITHUB_ACTIONS: "true",
  };
  const args = ["--rules", rules, "--annotate", "--people", "--fail-on", "rules"];
  for (const format of ["sarif", "markdown"]) {
    const review = await reviewIn(environment, [preview], ...args, "--format", format);
    expect(review.code).toBe(3);
    expect(review.stderr).toContain("::warning ");
    shown.push([`review as ${format}`, JSON.stringify(review.json) + review.stdout + review.stderr]);
  }
  simulator.reset();
  stack.write(program("renamed"));
  await show("destroy", stack.destroy());

  const canaries = {
    "client secret": CLIENT.client_secret,
    "secret input": INPUT,
    "token of an identity": tokens.access_token,
    "token secret of an identity": tokens.access_token_secret,
    "refresh token of an identity": tokens.refresh_token,
    ...Object.fromEntries(simulator.state().access_tokens.map((token, i) => [`access token ${i}`, token])),
  };
  const files = filesOf(stack.home);
  expect(files.some((file) => file.includes("history"))).toBe(true);
  const written = files.map((file): [string, string] => [
    file.slice(stack.home.length),
    readFileSync(file, "utf8"),
  ]);
  const leaks = [...shown, ...written].flatMap(([place, text]) => leaksIn(place, text, canaries));
  expect(leaks).toEqual([]);
});
