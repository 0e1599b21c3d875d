import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type AccessJson } from "../../cli/access/model";
import { type ReviewJson } from "../../provider/review/model";
import { type TenantState } from "../../simulator";
import { AGENT, BILLING, DEFAULT_SEED, SUPPORT, USER_ID } from "../../simulator/default-seed";
import { Stack } from "../../testkit/stack";
import { useSimulator } from "../../testkit/simulator";

/* A ticket from start to end, as docs/leaving.md tells it: list, write, review, a held run, evidence. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const [leaver, ...others] = DEFAULT_SEED.users ?? [];
const withoutDirect = { ...leaver!, permissions: [] };
const simulator = useSimulator();
beforeEach(() =>
  simulator.seed({ ...DEFAULT_SEED, users: [{ ...withoutDirect, groups: [BILLING] }, ...others] }),
);
/** As the directory sends them after somebody has left. */
const usersIn = (users: TenantState["users"]) =>
  users.map((user) => (user.user_id === USER_ID ? { ...user, groups: [] } : user));
let stack: Stack;
afterEach(() => stack.remove());

const leaving = (...args: string[]) =>
  stack.shell(`node ${bin} access --user '${USER_ID}' --leave ${args.join(" ")}`);
const listed = async (): Promise<NonNullable<NonNullable<AccessJson["user"]>["leaving"]>> =>
  (JSON.parse((await leaving("--format", "json")).stdout) as AccessJson).user!.leaving!;

const DOORS = [
  [
    "a program in JavaScript",
    "js",
    "typescript",
    `const { RoleGroupAssignment, UserSignOut } = require("pulumi-identity");
new RoleGroupAssignment("support", { roleId: "${AGENT}", groupIds: ["${BILLING}"] });
`,
  ],
  [
    "YAML",
    "yaml",
    "yaml",
    `resources:
  support:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${AGENT}, groupIds: [${BILLING}] }
`,
  ],
] as const;

test.each(DOORS)("somebody leaves, in %s", async (_, language, door, program) => {
  stack = await Stack.create({ program, language });
  await stack.configure(simulator);
  const started = await stack.up();
  expect({ code: started.code, all: started.all }).toMatchObject({ code: 0 });

  const before = await leaving("--fail-on left");
  expect(before.code).toBe(3);
  expect(before.stdout).toContain("Left: 1 role · 1 session · 2 refresh tokens · 3 device credentials");
  const { steps } = await listed();
  const [write] = steps.flatMap((step) => step.write ?? []);

  // The directory ends the membership, and the line that the command prints goes into the program.
  simulator.seed({ ...simulator.state(), users: usersIn(simulator.state().users) });
  stack.write(`${program}${language === "yaml" ? `  ${write![door]}\n` : write![door]}`);

  const file = join(stack.home, "reviewed.json");
  const reviewed = await stack.review({ args: ["--json", file, "--fail-on", "removal"] });
  expect(reviewed.code).toBe(3);
  expect(reviewed.stdout).toMatch(
    /user \*\*`?Support One`?\*\* `auth0\|\w+` is signed out, by .*: 1 session, 2 refresh tokens and 3 device credentials end/,
  );
  const { signOuts, counts } = JSON.parse(readFileSync(file, "utf8")) as ReviewJson;
  expect({ users: signOuts?.map(({ user }) => user), counts }).toMatchObject({
    users: [USER_ID],
    counts: { gains: 0, loses: 0, signOuts: 1 },
  });

  const applied = await stack.up({
    env: {
      IDENTITY_REVIEW_FILE: file,
      IDENTITY_REVIEW_DIGEST: createHash("sha256").update(readFileSync(file)).digest("hex"),
    },
  });
  expect(applied.all).toContain(
    `User ${USER_ID}: ended all sessions and refresh tokens, deleted 3 device credentials.`,
  );
  expect(applied.code).toBe(0);
  const { sessions, refresh_tokens, device_credentials } = simulator.state();
  expect([...sessions, ...refresh_tokens, ...device_credentials]).toEqual([]);
  expect(simulator.state().roles.find(({ id }) => id === AGENT)?.groups).toEqual([SUPPORT, BILLING]);

  const evidence = await leaving("--fail-on left");
  expect(evidence.stdout).toContain("Nothing is left");
  expect(evidence.code).toBe(0);
  const again = await stack.preview();
  expect(again.all).toMatch(/\b3 unchanged|2 unchanged/);
});
