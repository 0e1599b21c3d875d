import { transformSync } from "@swc/core";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import * as tenant from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/** Examples of the resources. Those that need more time are in examples.long.ts. */
const repository = resolve(__dirname, "../..");
const examples = join(repository, "examples");
const TOKEN = "POST /oauth/token 200";
/** Whom an example signs out. */
const LEFT = "oidc|partner-directory|2004";
const LOOKUPS = [
  "GET /api/v2/groups?name=billing-team&take=100 200",
  "GET /api/v2/groups?name=directory-admins&take=100 200",
  "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
];

let simulator: Simulator;
let stack: Stack | undefined;

afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await simulator.close();
});

/**
 * Converts to JavaScript, because without the TypeScript compiler a command takes two seconds of processor
 * time less. `npm run check` checks the types.
 */
function compiled(example: string): string {
  const jsc = { target: "es2022", parser: { syntax: "typescript" } } as const;
  const text = readFileSync(join(examples, example, "index.ts"), "utf8");
  return transformSync(text, { jsc, module: { type: "commonjs" } }).code;
}

/** Runs a command that must succeed, and returns its requests, sorted. */
async function requestsOf(command: Promise<CommandResult>): Promise<string[]> {
  simulator.reset();
  const { code, all } = await command;
  if (code !== 0) throw new Error(all);
  return simulator.log().sort();
}

test("an example for each resource, in one stack, from its preview to its destroy", async () => {
  const adopted = "cop_5wTqXn8YkLbVd2sPmZaGhJ";
  const names = [
    "connection-profile",
    "role-group-assignment",
    "organization-role-group-assignment",
    "device-credential-removal",
    "user-sign-out",
  ];
  const seed = JSON.parse(readFileSync(join(examples, "connection-profile/seed.json"), "utf8")) as SeedInput;
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  simulator.seed({
    ...tenant.DEFAULT_SEED,
    organizations: [{ id: "org_5vJmTq8XbRz3kWcY", name: "acme", groups: [tenant.BILLING] }],
    ...seed,
  });
  stack = await Stack.create({
    program: names.map((name) => `require("./${name}.js");`).join("\n"),
    env: environmentOf(simulator),
  });
  for (const name of names) writeFileSync(join(stack.folder, `${name}.js`), compiled(name));
  const [support, billing] = [tenant.AGENT, tenant.VIEWER].map((id) => `/api/v2/roles/${id}/groups`);
  const profile = `/api/v2/connection-profiles/${adopted}`;
  const signedIn = `/api/v2/users/${encodeURIComponent(LEFT)}`;
  const credentials = `/api/v2/device-credentials?user_id=${encodeURIComponent(LEFT)}`;
  const inAcme = `/api/v2/organizations/org_5vJmTq8XbRz3kWcY/groups/${tenant.BILLING}/roles`;

  const preview = await stack.preview();
  expect(preview.all).toContain(
    `partners: adopts connection profile ${adopted}, named "by hand": changes name: "by hand" → "partners", ` +
      'enabledFeatures: not set → ["scim"]',
  );
  expect(preview.all).toContain(`permanently removes device credential ${tenant.PHONE}`);
  expect(preview.all).toContain(`permanently signs out user ${LEFT}`);

  // Adoptions and exclusive assignments read for the preview's lines, and again right before the change.
  expect(await requestsOf(stack.up())).toEqual(
    [
      ...[`GET ${profile} 200`, `GET ${profile} 200`, `PATCH ${profile} 200`],
      "POST /api/v2/connection-profiles 201",
      ...[`GET ${billing}?take=100 200`, `GET ${billing}?take=100 200`],
      ...[`POST ${support} 204`, `POST ${support} 204`, `POST ${billing} 204`, `POST ${inAcme} 204`],
      `DELETE /api/v2/device-credentials/${tenant.PHONE} 204`,
      ...[`DELETE ${signedIn}/sessions 202`, `DELETE ${signedIn}/refresh-tokens 202`],
      ...["public_key", "refresh_token", "rotating_refresh_token"].map(
        (type) => `GET ${credentials}&type=${type}&page=0&per_page=100&include_totals=true 200`,
      ),
      "GET /api/v2/organizations/name/acme 200",
      "GET /api/v2/roles?type=organization&owner_id=org_5vJmTq8XbRz3kWcY&page=0&per_page=100&include_totals=true 200",
      ...[...LOOKUPS, TOKEN, TOKEN],
    ].sort(),
  );
  const profiles = simulator.state().connection_profiles;
  const theirs = profiles.find(({ id }) => id === adopted);
  expect(theirs).toMatchObject({
    name: "partners",
    enabled_features: ["scim"],
    connection_name_prefix_template: "p-{org_name}",
  });
  const made = profiles.find(({ id }) => id !== adopted)?.id;

  const destroyed = stack.destroy();
  expect(await requestsOf(destroyed)).toEqual(
    [
      `DELETE /api/v2/connection-profiles/${made} 204`,
      ...[`DELETE ${support} 204`, `DELETE ${support} 204`, `DELETE ${billing} 204`, `DELETE ${inAcme} 204`],
      TOKEN,
    ].sort(),
  );
  expect((await destroyed).all).toContain("stays deleted");
  expect(simulator.state().connection_profiles).toEqual([theirs]);
  const groupsOf = (roleId: string) => simulator.state().roles.find(({ id }) => id === roleId)?.groups;
  expect([groupsOf(tenant.AGENT), groupsOf(tenant.VIEWER)]).toEqual([[tenant.SUPPORT], []]);
});

test("at the repository's root, Pulumi runs the quickstart, and leaves nothing there", async () => {
  const files = () => [
    ...readdirSync(repository).filter((name) => name.startsWith("Pulumi")),
    ...readdirSync(join(examples, "quickstart")),
  ];
  const before = files();
  simulator = await startSimulator();
  stack = await Stack.create({ folder: ".", env: environmentOf(simulator) });

  expect(await requestsOf(stack.preview())).toEqual([...LOOKUPS, TOKEN].sort());

  expect(files()).toEqual(before);
});

test("lost-device prints lines that can be reviewed, whatever users call their devices", async () => {
  const id = "dcr_7NewPhone4Kq9ZpH";
  const hostile = {
    id,
    type: "refresh_token" as const,
    user_id: tenant.USER_ID,
    device_name: "mine\nprocess.exit(1)\u2028//",
  };
  const credentials = [...tenant.DEFAULT_SEED.device_credentials!, hostile];
  simulator = await startSimulator({ seed: { ...tenant.DEFAULT_SEED, device_credentials: credentials } });
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "index.ts", tenant.USER_ID],
    { cwd: join(examples, "lost-device"), env: { ...process.env, ...environmentOf(simulator) } },
  );
  const lines = stdout.trim().split("\n");
  expect(lines[0]).toBe("// Support One may close:tickets, read:reports, read:tickets");
  const phone = tenant.PHONE;
  expect(lines).toContain(
    `new DeviceCredentialRemoval("${phone}", { deviceCredentialId: "${phone}" }); // refresh_token of lost phone`,
  );
  expect(lines.find((line) => line.includes(id))).toMatch(
    / \/\/ refresh_token of mine\?process\.exit\(1\)\?\?\?$/,
  );
  // Nothing runs but one removal a line.
  const removed: unknown[][] = [];
  class DeviceCredentialRemoval {
    constructor(...args: unknown[]) {
      removed.push(args);
    }
  }
  runInNewContext(stdout, { DeviceCredentialRemoval });
  const ids = credentials.map((credential) => credential.id).sort();
  expect(removed.sort()).toEqual(ids.map((one) => [one, { deviceCredentialId: one }]));
});
