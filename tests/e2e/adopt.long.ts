import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { TEXTS } from "../../testkit/hostile-texts";
import { ALL_SCOPES } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { Stack } from "../../testkit/stack";

const bin = resolve(__dirname, "../../dist/cli/index.js");
const roleId = "rol_4hNkVx8QmTz2bRcW";
const groups = [
  { id: "grp_5BmRd9aSj2WqTgFx7cUkEn", name: "*/ process.exit() /*" },
  { id: "grp_7TqWc2nYx5RkHbVd9sPmZa", name: "Support" },
  { id: "grp_9sJdYp3LfGe7uXaK4hNkVx", name: "\u2028Billing\u202e" },
];
const names = TEXTS.map((text) => text.slice(0, 50) || "x");

// Several runs of the real CLI, with a program that is compiled each time.

const simulator = useSimulator({
  seed: {
    tokens: [{ access_token: "by-hand", scope: ALL_SCOPES }],
    groups,
    roles: [{ id: roleId, groups: groups.slice(0, 2).map(({ id }) => id) }],
    connection_profiles: [
      { name: "plain" },
      {
        name: "full",
        organization: { show_as_button: "optional" },
        connection_name_prefix_template: "con-{org_id}",
        enabled_features: ["universal_logout", "scim"],
        strategy_overrides: {
          okta: { enabled_features: ["scim"], provisioning: { list: [1, [2]], tokens: ["a"] } },
        },
      },
      ...names.map((name) => ({ name })),
    ],
  },
});
let stack: Stack;
beforeAll(async () => {
  stack = await Stack.create({ language: "ts" });
  await stack.configure(simulator);
});

afterAll(() => stack.remove());

const adopt = (args: string) => stack.shell(`node ${bin} adopt ${args}`);

/** Returns the writes since the last call. */
function writes(): string[] {
  const lines = simulator
    .requests()
    .filter(({ method, path }) => method !== "GET" && !path.startsWith("/oauth/token"))
    .map(({ method, path }) => `${method} ${path}`);
  simulator.reset();
  return lines;
}

async function byHand(method: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${simulator.url}/api/v2${path}`, {
    method,
    headers: { authorization: "Bearer by-hand", "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  simulator.reset();
  return answer.status === 204 ? undefined : answer.json();
}

test("an existing tenant becomes a program, whose first up changes no profile", async () => {
  expect(await adopt(`--role ${roleId} --output index.ts --force`)).toMatchObject({ code: 0, all: "" });
  expect(writes()).toEqual([]);

  const before = simulator.state().connection_profiles;
  const { code, all } = await stack.up();
  if (code !== 0) throw new Error(all);
  expect(writes()).toEqual([`POST /api/v2/roles/${roleId}/groups`]);
  expect(simulator.state().connection_profiles).toEqual(before);
});

test("then the adopt lines may go, and --unmanaged writes only what was made by hand since", async () => {
  const { id } = (await byHand("POST", "/connection-profiles", { name: "by hand" })) as { id: string };
  await byHand("POST", `/roles/${roleId}/groups`, { groups: [groups[2]?.id] });

  const { code, stdout, stderr } = await stack.shell(
    `pulumi stack export | node ${bin} adopt --unmanaged --state - --role ${roleId}`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replace(/^\/\/.*\n/gm, "").replace(/by-hand-\w{10}/, "by-hand-…")).toBe(
    `import { ConnectionProfile, RoleGroupAssignment } from "pulumi-identity";

new ConnectionProfile("by-hand-…", {
  adopt: "${id}",
  name: "by hand",
});

new RoleGroupAssignment("${roleId}-2", {
  roleId: "${roleId}",
  groupIds: [
    "${groups[2]?.id}", // "Billing\\u202e"
  ],
  deleteOnDestroy: false,
});
`,
  );
  const file = join(stack.folder, "index.ts");
  const settled = readFileSync(file, "utf8").replace(/^ {2}adopt: .*\n/gm, "");
  writeFileSync(file, `${settled}\nimport "./more";\n`);
  writeFileSync(join(stack.folder, "more.ts"), stdout);
  const preview = await stack.preview();
  expect(preview.code).toBe(0);
  expect(preview.all).toMatch(/: adopts connection profile \S+, named "by hand": it stays as it is \{.*\}$/m);
  expect(preview.all).toMatch(/^ +\+ 2 to create\n +\d+ unchanged$/m);
});
