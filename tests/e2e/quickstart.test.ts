import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT, ROLE_ID } from "../../simulator/default-seed";
import { type CommandResult, Stack, type StackOptions } from "./stack";

const quickstart = resolve(__dirname, "../../examples/quickstart");

let simulator: Simulator;
let stack: Stack | undefined;

beforeEach(async () => {
  simulator = await startSimulator();
});

afterEach(async () => {
  stack?.remove();
  stack = undefined;
  await simulator.close();
});

/** Puts the credentials into stack configuration as a user does, the secret encrypted. */
async function start(options: StackOptions): Promise<Stack> {
  stack = await Stack.create(options);
  await stack.configure(simulator);
  return stack;
}

/** Runs a command that succeeds; returns all its requests, sorted because the engine works in parallel. */
async function requests(running: Promise<CommandResult>): Promise<string[]> {
  simulator.reset();
  const { code, all } = await running;
  expect({ code, all: code === 0 ? "" : all }).toEqual({ code: 0, all: "" });
  return simulator.log().sort();
}

const token = "POST /oauth/token 200";
/** The program's look-ups of the role and the two groups. */
const lookups = [
  "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
  "GET /api/v2/groups?name=billing-team&take=100 200",
  "GET /api/v2/groups?name=directory-admins&take=100 200",
];
const writes = [
  "DELETE /api/v2/device-credentials/dcr_6XnTb4kWq9ZpHs2V 204",
  "POST /api/v2/connection-profiles 201",
  `POST /api/v2/roles/${ROLE_ID}/groups 204`,
];
const sorted = (...lines: string[]) => [...lines].sort();
const profileId = () => simulator.state().connection_profiles[0]?.id;
const groupsOfRole = () =>
  sorted(...(simulator.state().roles.find(({ id }) => id === ROLE_ID)?.groups ?? []));

/** Every file of a folder, by its path. */
function contents(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes("node_modules"),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), "latin1"),
    ]),
  );
}

test("the quickstart, as it stands, costs one request for each change, and three to look names up", async () => {
  const before = contents(quickstart);
  const stack = await start({ folder: "examples/quickstart" });

  expect(await requests(stack.preview())).toEqual(sorted(token, ...lookups));

  // One token for the process of the resources, one for the process of the program.
  expect(await requests(stack.up())).toEqual(sorted(token, ...writes, token, ...lookups));
  expect(await stack.outputs()).toEqual({ profileId: profileId() });
  expect(groupsOfRole()).toEqual(sorted(GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT));

  const unchanged = sorted(token, ...lookups);
  expect(await requests(stack.up({ args: ["--expect-no-changes"] }))).toEqual(unchanged);
  expect(await requests(stack.preview({ args: ["--expect-no-changes"] }))).toEqual(unchanged);
  expect(await requests(stack.refresh({ args: ["--expect-no-changes"] }))).toEqual(
    sorted(
      token,
      `GET /api/v2/connection-profiles/${profileId()} 200`,
      `GET /api/v2/roles/${ROLE_ID}/groups?take=100 200`,
    ),
  );

  const { resources } = await stack.state();
  const own = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/identity:"));
  expect(own.map(({ urn }) => urn.split("::").at(-1)).sort()).toEqual([
    "enterprise",
    "lost-phone",
    "support",
  ]);
  for (const { inputs, outputs } of own) {
    expect(String(inputs?.["__provider"]).length).toBeLessThanOrEqual(150);
    expect(outputs?.["__provider"]).toBe(inputs?.["__provider"]);
  }
  // Checkpoint, backup and history, as they are on the disk.
  const stored = Object.values(contents(join(stack.home, "state"))).join("\n");
  expect(stored).toContain("enterprise");
  const { access_tokens: tokens } = simulator.state();
  expect(tokens.length).toBeGreaterThan(0);
  for (const secret of [simulator.clientSecret, ...tokens]) expect(stored).not.toContain(secret);

  const id = profileId();
  expect(await requests(stack.destroy())).toEqual(
    sorted(
      token,
      `DELETE /api/v2/connection-profiles/${id} 204`,
      `DELETE /api/v2/roles/${ROLE_ID}/groups 204`,
    ),
  );
  expect(simulator.state().connection_profiles).toEqual([]);
  expect(groupsOfRole()).toEqual([GROUP_SUPPORT]);
  expect((await stack.state()).resources).toEqual([]);
  expect(contents(quickstart)).toEqual(before);
});

test("at the repository's root, Pulumi runs the quickstart", async () => {
  const root = resolve(__dirname, "../..");
  const before = contents(quickstart);
  const stack = await start({ folder: "." });

  expect(await requests(stack.preview())).toEqual(sorted(token, ...lookups));
  expect(readdirSync(root).filter((name) => name.startsWith("Pulumi"))).toEqual(["Pulumi.yaml"]);
  expect(contents(quickstart)).toEqual(before);
});

test("the README's program in YAML does the same", async () => {
  const readme = readFileSync(resolve(__dirname, "../../README.md"), "utf8");
  const [, yaml = ""] = /```yaml\n[^`]+?\n(variables:\n[^`]+)```/.exec(readme) ?? [];
  const stack = await start({ program: yaml, language: "yaml" });

  expect((await requests(stack.up())).filter((line) => !line.startsWith("GET "))).toEqual(
    sorted(token, ...writes),
  );
  expect(simulator.state().connection_profiles).toMatchObject([{ name: "enterprise" }]);
  expect(groupsOfRole()).toEqual(sorted(GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT));
  await requests(stack.destroy());
});
