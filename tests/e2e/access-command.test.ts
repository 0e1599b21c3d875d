import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { accessCommand } from "../../cli/access/command";
import { accessSchema } from "../../cli/access/model";
import { runBin } from "../../testkit/cli/bin";
import { runCommand } from "../../testkit/cli/in-process";
import { pageJson } from "../../testkit/cli/pages";
import { violations } from "../../testkit/json-schemas";
import {
  ADMINS,
  AGENT,
  ALL_SCOPES,
  BILLING,
  DEFAULT_SEED,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { environmentOf, useSimulator } from "../../testkit/simulator";
import { Stack, succeeded } from "../../testkit/stack";

const bin = resolve(__dirname, "../../dist/cli/index.js");

const [user] = DEFAULT_SEED.users ?? [];
const simulator = useSimulator({
  seed: {
    ...DEFAULT_SEED,
    tokens: [{ access_token: "by-hand", scope: ALL_SCOPES }],
    users: [{ ...user!, groups: [BILLING] }],
  },
});
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.create({
    language: "yaml",
    program: `resources:
  support:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${AGENT}, groupIds: [${BILLING}, ${ADMINS}] }
  viewers:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${VIEWER}, groupIds: { fn::secret: [${BILLING}] } }
`,
  });
  await stack.configure(simulator);
  succeeded(await stack.up());
  succeeded(await stack.shell("pulumi stack export > state.json"));
  await byHand("DELETE", `/roles/${AGENT}/groups`, { groups: [ADMINS] });
});

afterAll(() => stack.remove());

beforeEach(() => simulator.reset());

async function byHand(method: string, path: string, body: object): Promise<void> {
  const { ok } = await fetch(`${simulator.url}/api/v2${path}`, {
    method,
    headers: { authorization: "Bearer by-hand", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!ok) throw new Error(`${method} ${path} failed.`);
}

const access = (args: string, before = "") => stack.shell(`${before}node ${bin} access ${args}`);
/** In this process, on files: no Pulumi is asked. */
const ofFiles = (...args: string[]) =>
  runCommand(accessCommand(), args, { env: { PATH: "", ...environmentOf(simulator) }, cwd: stack.folder });
const ofState = (...args: string[]) => ofFiles("--state", "state.json", ...args);

test("the selected stack is compared with its tenant, by reads", async () => {
  const { code, stdout, stderr } = await access("");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replace(/\d{4}-\d\d-\d\d \d\d:\d\d/, "<minute>"))
    .toBe(`Access on ${new URL(simulator.url).host}, as of <minute> UTC
  2 roles · 3 grants: 1 managed, 1 by hand, 1 not known · 1 claimed, not there
  Compared with test/test (2 assignments)

billing-viewer ${VIEWER}
  billing-team  ${BILLING}  unknown: the groups of viewers in test/test (Pulumi.yaml:7) are secret
  –                                         unknown if all are there: the groups of viewers in test/test (Pulumi.yaml:7) are secret

support-agent ${AGENT}
  support-desk  ${SUPPORT}  by hand: in none of the states
  –             ${ADMINS}  claimed, not there: support in test/test (Pulumi.yaml:4)
  billing-team  ${BILLING}  support in test/test (Pulumi.yaml:4)

Nobody has one of these roles directly.
`);
  expect(simulator.log().sort()).toEqual([
    "GET /api/v2/organizations?take=100 200",
    `GET /api/v2/roles/${AGENT}/groups?take=100 200`,
    `GET /api/v2/roles/${AGENT}/users?take=100 200`,
    `GET /api/v2/roles/${VIEWER}/groups?take=100 200`,
    `GET /api/v2/roles/${VIEWER}/users?take=100 200`,
    "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
    "POST /oauth/token 200",
  ]);
});

test("stacks by name and states from files and from standard input add up; what is found decides the exit code", async () => {
  const dev = `{"deployment":{"resources":[{"urn":"urn:pulumi:dev::test::pulumi-nodejs:dynamic/identity:RoleGroupAssignment::desk","type":"pulumi-nodejs:dynamic/identity:RoleGroupAssignment","id":"${AGENT}","outputs":{"groupIds":["${SUPPORT}"],"tenant":"${new URL(simulator.url).host}"}}]}}`;
  writeFileSync(join(stack.folder, "dev.json"), dev);
  const named = await access("--stack test --state dev.json --format csv --fail-on unmanaged");
  const rows = (csv: string) => csv.split("\r\n").map((line) => line.split(",").slice(5, 9).join(" "));
  expect(named).toMatchObject({
    code: 3,
    stderr: "Can't rule out unmanaged: the answer says what was not asked or not read.\n",
  });
  expect(rows(named.stdout)).toEqual([
    '"group_name" "status" "stack" "resource"',
    '"billing-team" "unknown" "test/test" "viewers"',
    '"" "unknown" "test/test" "viewers"',
    '"" "drift" "test/test" "support"',
    '"billing-team" "managed" "test/test" "support"',
    '"support-desk" "managed" "test/dev" "desk"',
    "",
  ]);

  const clear = "pulumi stack export --show-secrets | tee clear.json | ";
  const piped = await access("--state - --state dev.json --format json --fail-on unmanaged", clear);
  expect(piped).toMatchObject({ code: 0, stderr: "" });
  const json = JSON.parse(piped.stdout) as unknown;
  expect(violations("access", json)).toEqual([]);
  expect(json).toMatchObject({ complete: true, counts: { managed: 3, unmanaged: 0, unknown: 0, drift: 1 } });
  const both = ["--fail-on", "unmanaged", "--fail-on", "drift"];
  const drift = await ofFiles("--state", "clear.json", ...both, "--format", "markdown");
  expect(drift).toMatchObject({ code: 3, stderr: "Found what --fail-on names: unmanaged, drift.\n" });
  expect(drift.stdout).toContain(`| \`support-desk\` | \`${SUPPORT}\` | by hand: in none of the states |`);
});

test("a page has the JSON of the command, and nobody's id unless it's asked for", async () => {
  const dataOf = async (...args: string[]) => {
    const { code, stdout, stderr } = await ofState("--format", "html", ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return accessSchema.parse(pageJson(stdout));
  };
  const json = accessSchema.parse(JSON.parse((await ofState("--format", "json")).stdout));
  const plain = await dataOf();
  expect({ ...plain, made: json.made }).toEqual(json);
  expect(JSON.stringify(plain)).not.toContain(USER_ID);
  const full = await dataOf("--people", "--permissions");
  expect(full.members?.find(({ id }) => id === BILLING)?.people?.ids).toEqual([USER_ID]);
  expect(full.roles.map(({ permissions }) => Array.isArray(permissions))).toEqual([true, true]);
});

test("decisions: exit 3 while something is open, 0 when all is decided", async () => {
  writeFileSync(join(stack.folder, "access.csv"), (await ofState("--no-direct", "--format", "csv")).stdout);
  const open = await ofState("--no-direct", "--decisions", "access.csv");
  expect(open).toMatchObject({ code: 3, stderr: "Open in access.csv: 3 undecided.\n" });
  expect(open.stdout).toContain(
    `undecided  support-desk ${SUPPORT} has support-agent ${AGENT}, and nobody has decided`,
  );

  const rows = readFileSync(join(stack.folder, "access.csv"), "utf8").split("\r\n");
  const decided = rows.map((row) =>
    /"grp_/.test(row)
      ? row.replace(
          /"","",""$/,
          `"${row.includes(SUPPORT) ? "revoke" : "confirm"}","reviewer@example.com",""`,
        )
      : row,
  );
  writeFileSync(join(stack.folder, "access.csv"), decided.join("\r\n"));
  const standing = await ofState("--no-direct", "--decisions", "access.csv");
  expect(standing).toMatchObject({ code: 3, stderr: "Open in access.csv: 1 still to revoke.\n" });
  await byHand("DELETE", `/roles/${AGENT}/groups`, { groups: [SUPPORT] });
  const done = await ofState("--no-direct", "--decisions", "access.csv");
  await byHand("POST", `/roles/${AGENT}/groups`, { groups: [SUPPORT] });
  expect(done).toMatchObject({ code: 0, stderr: "" });
  expect(done.stdout).toContain("Decisions of access.csv: 2 confirmed, 1 revoked; nothing is open");
});

test("what is said to end for a user ends", async () => {
  const { code, stdout, stderr } = await ofState("--user", USER_ID);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`
support-agent ${AGENT}, through these groups
  billing-team  ${BILLING}  support in test/test (Pulumi.yaml:4)

If an assignment were destroyed
  support in test/test (Pulumi.yaml:4)  loses support-agent, and with it read:tickets
`);
  await stack.destroy({ args: ["--target", "**::support"] });
  const after = JSON.parse((await access(`--user '${USER_ID}' --format json`)).stdout) as unknown;
  // The simulator doesn't derive the list of permissions from the roles, so the tenant's list of roles proves
  // it.
  expect(violations("access", after)).toEqual([]);
  expect(accessSchema.parse(after).roles.map(({ id, direct }) => [id, direct])).toEqual([
    [VIEWER, false],
    [AGENT, null],
  ]);
});

test.each<[string, number, string[], string]>([
  ["a state that is not there", 1, ["--state", "none"], "none could not be read (no such file)."],
  [
    "output that nobody could write, before the tenant is asked",
    2,
    ["--output", "none/access.csv"],
    "none/access.csv could not be written (no such folder).",
  ],
])("%s: exit %d, and nothing but a sentence", async (_, code, args, message) => {
  const result = await ofFiles(...args);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(message);
  expect(simulator.log()).toEqual([]);
});

test("as a process: exit 1 for a state that is none, 2 for a disk without room, and nothing but a sentence", async () => {
  const none = await runBin(environmentOf(simulator), ["access", "--state", "-"], { input: " " });
  const full = await access("--state state.json --no-direct > /dev/full");
  for (const [result, code, message] of [
    [none, 1, "The input is not JSON. Write it by: pulumi stack export"],
    [full, 2, "The output could not be written (no space left)."],
  ] as const) {
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/\n {4}at /);
  }
});

test("without a stack, and without a program: it says what to do", async () => {
  const stranger = await access("--stack none");
  expect(stranger).toMatchObject({ code: 1, stdout: "" });
  expect(stranger.stderr).toContain("The configuration of the stack none could not be read.");
  const variables = Object.entries(environmentOf(simulator)).map(([name, value]) => `${name}='${value}'`);
  const { code, stdout, stderr } = await access("", `cd / && ${variables.join(" ")} `);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("The state of the selected stack could not be read.");
  expect(stderr).toContain("Run this in the folder of the program's Pulumi.yaml. Or give --state FILE.");
});
