import { transformSync } from "@swc/core";
import { execFile } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { environmentOf, Stack, type StackOptions } from "./stack";

/**
 * Each example for a resource: up, no changes, destroy, with whole request logs. Those that need more time
 * are in examples.long.ts.
 */
const examples = resolve(__dirname, "../../examples");
const adoptedId = "cop_5wTqXn8YkLbVd2sPmZaGhJ";

let simulator: Simulator;
let stack: Stack;

async function start(example: string, seed?: SeedInput): Promise<void> {
  await startWith({ program: compiled(source(example)) }, seed);
}

async function startWith(program: StackOptions, seed?: SeedInput): Promise<void> {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  if (seed !== undefined) simulator.seed({ ...tenant.DEFAULT_SEED, ...seed });
  stack = await Stack.create({
    ...program,
    env: settings(),
  });
}

function settings(): Record<string, string> {
  return environmentOf(simulator);
}

function source(example: string): string {
  return readFileSync(join(examples, example, "index.ts"), "utf8");
}

/**
 * Converts to JavaScript, because without the TypeScript compiler a command takes two seconds of processor
 * time less. `npm run check` checks the types.
 */
function compiled(program: string): string {
  const jsc = { target: "es2022", parser: { syntax: "typescript" } } as const;
  return transformSync(program, { jsc, module: { type: "commonjs" } }).code;
}

/** Runs a command that must succeed, and returns its output and its requests, sorted. */
async function requestsOf(command: Promise<{ code: number | null; all: string }>): Promise<string[]> {
  simulator.reset();
  const { code, all } = await command;
  if (code !== 0) throw new Error(all);
  return simulator.log().sort();
}

const TOKEN = "POST /oauth/token 200";
const NO_CHANGES = { args: ["--expect-no-changes"] };

afterEach(async () => {
  stack.remove();
  await simulator.close();
});

test("connection-profile", async () => {
  await start(
    "connection-profile",
    JSON.parse(readFileSync(join(examples, "connection-profile/seed.json"), "utf8")) as SeedInput,
  );
  const made = () => simulator.state().connection_profiles.find(({ id }) => id !== adoptedId)?.id as string;
  const adopted = () => simulator.state().connection_profiles.find(({ id }) => id === adoptedId);

  const preview = await stack.preview();
  expect(preview.all).toContain(
    `partners: adopts connection profile ${adoptedId}, named "by hand": changes name: "by hand" → "partners", ` +
      'enabledFeatures: not set → ["scim"]',
  );
  // An adoption reads the object for the preview's line, and again right before the change.
  expect(await requestsOf(stack.up())).toEqual([
    `GET /api/v2/connection-profiles/${adoptedId} 200`,
    `GET /api/v2/connection-profiles/${adoptedId} 200`,
    `PATCH /api/v2/connection-profiles/${adoptedId} 200`,
    "POST /api/v2/connection-profiles 201",
    TOKEN,
  ]);
  expect(adopted()).toMatchObject({
    name: "partners",
    enabled_features: ["scim"],
    connection_name_prefix_template: "p-{org_name}",
  });
  expect(await requestsOf(stack.preview(NO_CHANGES))).toEqual([]);
  const id = made();
  expect(await requestsOf(stack.destroy())).toEqual([`DELETE /api/v2/connection-profiles/${id} 204`, TOKEN]);
  expect(simulator.state().connection_profiles).toEqual([adopted()]);
});

test("role-group-assignment", async () => {
  await start("role-group-assignment");
  const support = `/api/v2/roles/${tenant.ROLE_ID}/groups`;
  const billing = `/api/v2/roles/${tenant.OTHER_ROLE_ID}/groups`;
  const groupsOf = (roleId: string) => simulator.state().roles.find(({ id }) => id === roleId)?.groups;

  const lookUps = [
    "GET /api/v2/groups?name=billing-team&take=100 200",
    "GET /api/v2/groups?name=directory-admins&take=100 200",
    "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
    TOKEN,
  ];
  expect(await requestsOf(stack.up())).toEqual(
    [
      `GET ${billing}?take=100 200`,
      `GET ${billing}?take=100 200`,
      `POST ${support} 204`,
      `POST ${billing} 204`,
      TOKEN,
      ...lookUps,
    ].sort(),
  );
  expect(await requestsOf(stack.preview(NO_CHANGES))).toEqual(lookUps);
  expect(await requestsOf(stack.destroy())).toEqual([
    `DELETE ${support} 204`,
    `DELETE ${billing} 204`,
    TOKEN,
  ]);
  expect(groupsOf(tenant.ROLE_ID)).toEqual([tenant.GROUP_SUPPORT]);
  expect(groupsOf(tenant.OTHER_ROLE_ID)).toEqual([]);
});

test("device-credential-removal", async () => {
  await start("device-credential-removal");
  const path = (id: string) => `DELETE /api/v2/device-credentials/${id} 204`;

  const preview = await stack.preview();
  expect(preview.all).toContain(`permanently removes device credential ${tenant.LOST_PHONE_CREDENTIAL_ID}`);
  expect(await requestsOf(stack.up())).toEqual([path(tenant.LOST_PHONE_CREDENTIAL_ID), TOKEN]);
  expect(await requestsOf(stack.preview(NO_CHANGES))).toEqual([]);
  const destroyed = stack.destroy();
  expect(await requestsOf(destroyed)).toEqual([]);
  expect((await destroyed).all).toContain("stays deleted");
});

test("lost-device prints lines that can be reviewed, whatever users call their devices", async () => {
  const id = "dcr_7NewPhone4Kq9ZpH";
  const hostile = {
    id,
    type: "refresh_token" as const,
    user_id: tenant.USER_ID,
    device_name: "mine\nprocess.exit(1)\u2028//",
  };
  const seed = { device_credentials: [...tenant.DEFAULT_SEED.device_credentials!, hostile] };
  await startWith({ program: "" }, seed);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "index.ts", tenant.USER_ID],
    { cwd: join(examples, "lost-device"), env: { ...process.env, ...settings() } },
  );
  const ids = seed.device_credentials.map((credential) => credential.id).sort();
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(ids.length);
  expect(lines).toContain(
    `new DeviceCredentialRemoval("${tenant.LOST_PHONE_CREDENTIAL_ID}", ` +
      `{ deviceCredentialId: "${tenant.LOST_PHONE_CREDENTIAL_ID}" }); // refresh_token of lost phone`,
  );
  expect(lines.find((line) => line.includes(id))).toMatch(
    / \/\/ refresh_token of mine\?process\.exit\(1\)\?\?\?$/,
  );

  stack.write(`const { DeviceCredentialRemoval } = require("pulumi-identity");\n${stdout}`);
  const removals = ids.map((one) => `DELETE /api/v2/device-credentials/${one} 204`);
  expect(await requestsOf(stack.up())).toEqual([...removals, TOKEN].sort());
  expect(simulator.state().device_credentials).toEqual([]);
});

test("the unit tests of component and automation need neither CLI nor tenant", async () => {
  simulator = await startSimulator();
  const files = ["component/customer.test.ts", "automation/onboard.test.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", "--test", ...files], {
    cwd: examples,
    env: { ...process.env, IDENTITY_DOMAIN: simulator.url, IDENTITY_ACCESS_TOKEN: "unused" },
  });
  expect(stdout).toMatch(/pass [23]\b/);
  expect(stdout).toMatch(/fail 0\b/);
  expect(simulator.requests()).toEqual([]);
});

test("unit-tests runs without CLI and tenant", async () => {
  simulator = await startSimulator();
  const folder = join(examples, "unit-tests");
  const { stdout } = await promisify(execFile)("npm", ["test"], {
    cwd: folder,
    env: { ...process.env, IDENTITY_DOMAIN: simulator.url, IDENTITY_ACCESS_TOKEN: "unused" },
  }).finally(() => rmSync(join(folder, "bin"), { recursive: true, force: true }));
  expect(stdout).toMatch(/pass 2\b/);
  expect(stdout).toMatch(/fail 0\b/);
  expect(simulator.requests()).toEqual([]);
});
