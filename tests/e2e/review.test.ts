import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../../testkit/tenant";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  LAPTOP,
  PHONE,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { review, reviewIn, type ReviewResult } from "../../testkit/cli/review";
import { expectGolden } from "../../testkit/golden";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/*
 * The review of real previews, made by the real CLI. Ports and the tenant's ids are replaced in the previews,
 * so that each review and its fingerprint are the same in every run.
 */

const golden = (name: string, text: string) => expectGolden(join(__dirname, "review/golden", name), text);
const AUDITOR = "rol_2kVpYs6TgLc8dJmE";
const PARTNERS = "cop_5wTqXn8YkLbVd2sPmZaGhJ";

interface Declared {
  type: string;
  /** Default: the key in the program. */
  name?: string;
  properties: object;
  options?: { provider: string };
}
type Program = Record<string, Declared | undefined>;

const assignment = (roleId: unknown, groupIds: unknown, more = {}): Declared => ({
  type: "identity:RoleGroupAssignment",
  properties: { roleId, groupIds, ...more },
});
const profile = (properties: object): Declared => ({ type: "identity:ConnectionProfile", properties });
const removal = (deviceCredentialId: unknown): Declared => ({
  type: "identity:DeviceCredentialRemoval",
  properties: { deviceCredentialId },
});
/** As YAML has it. */
const secret = (value: unknown) => ({ "fn::secret": value });

const ENTERPRISE = {
  name: "enterprise",
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  organization: { showAsButton: "optional" },
};
const START = {
  agents: assignment(AGENT, [ADMINS, BILLING]),
  viewers: assignment(VIEWER, [ADMINS]),
  auditors: assignment(AUDITOR, [CONTRACTORS], { exclusive: true }),
  enterprise: profile(ENTERPRISE),
  legacy: profile({ name: "legacy" }),
  kept: profile({ name: "kept", deleteOnDestroy: false }),
  phone: removal(PHONE),
};

/** Contractors must not be agents, nor anybody an agent and a viewer; auditors are for a while. */
const RULES = `allow:
  support-agent: [support-desk, directory-admins, billing-team]
conflicts:
  - [support-agent, billing-viewer]
end:
  auditor: 30
`;

const tenant = new Tenant();
let stack: Stack;
/** Ids that the tenant gave to the profiles, with their replacements. */
let stable: [string, string][];

/** The program in JavaScript: one line for each resource. */
function javaScript(program: Program): string {
  const lines = Object.entries(program).flatMap(([name, declared]) => {
    if (declared === undefined) return [];
    const args = JSON.stringify(declared.properties).replace(/\{"fn::secret":(.*?)\}/g, "pulumi.secret($1)");
    return `new ${declared.type.replace("identity:", "")}("${name}", ${args});`;
  });
  return `const { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
const pulumi = require("@pulumi/pulumi");
${lines.join("\n")}`;
}

/** Starts four times as fast, but has no lines. */
function yaml(program: Program): string {
  const text = `resources: ${JSON.stringify(program)}`;
  return text.replace(/[^\x20-\x7e]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

let language: "js" | "yaml" = "js";
function write(program: Program): void {
  stack.rewrite(language, language === "js" ? javaScript(program) : yaml(program));
}

/** Replaces the parts of a preview that differ from run to run. */
function fixed(text: string): string {
  return [...stable, [tenant.host, "tenant.example.com"] as const].reduce(
    (result, [from, to]) => result.replaceAll(from, to),
    text,
  );
}

/** Changes the tenant behind Pulumi's back. */
function outside(method: string, path: string, body?: unknown): Promise<unknown> {
  tenant.sent();
  return tenant.outside(method, path, body);
}

async function preview(program: Program, env: Record<string, string> = {}, code = 0): Promise<string> {
  write(program);
  return textOf(await stack.preview({ json: true, env }), code);
}

/** Reviews a preview, and reads the tenant. */
async function read(text: string, ...args: string[]): Promise<ReviewResult> {
  const env = {
    ...environmentOf(tenant),
    IDENTITY_FORMER_DOMAINS: "tenant.example.com",
  };
  const result = await reviewIn(env, [text], ...args);
  return { ...result, stdout: withoutFolder(fixed(result.stdout)) };
}

const withoutFolder = (text: string) => text.replaceAll(join(stack.home, "/"), "");

const SOURCE = "https://git.example.com/example/access/blob/4f2c1e9";

function textOf(result: CommandResult, code = 0): string {
  if (result.code !== code) throw new Error(`pulumi ended with code ${result.code}: ${result.all}`);
  return fixed(result.stdout);
}

beforeAll(async () => {
  await tenant.open();
  tenant.seed({
    roles: [
      { id: AGENT, name: "support-agent", groups: [SUPPORT] },
      { id: VIEWER, name: "billing-viewer" },
      { id: AUDITOR, name: "auditor" },
      { id: "rol_hidden1hidden1", name: "partner-manager" },
    ],
    users: [
      ...(DEFAULT_SEED.users ?? []),
      { user_id: "oidc|partner-directory|3001", groups: [SUPPORT, BILLING] },
    ],
    connection_profiles: [{ id: PARTNERS, name: "partners-old", enabled_features: ["scim"] }],
  });
  stack = await Stack.create({
    env: environmentOf(tenant),
  });
  stable = [];
  write(START);
  textOf(await stack.up());
  stable = tenant.simulator
    .state()
    .connection_profiles.filter(({ id }) => id !== PARTNERS)
    .map(({ id, name }) => [id, `cop_${String(name).padEnd(22, "1")}`]);
});

afterAll(async () => {
  stack.remove();
  await tenant.close();
});

test("everything at once", async () => {
  const text = await preview({
    agents: assignment(AGENT, [ADMINS, CONTRACTORS]),
    viewers: assignment(VIEWER, [BILLING], { exclusive: true }),
    more: assignment(AUDITOR, [CONTRACTORS, BILLING], { exclusive: true }),
    enterprise: profile({
      ...ENTERPRISE,
      connectionNamePrefixTemplate: "con-{org_name}",
      enabledFeatures: ["scim"],
      organization: undefined,
      strategyOverrides: { okta: { enabledFeatures: ["universal_logout"] } },
      deleteOnDestroy: false,
    }),
    partners: profile({ name: "partners", adopt: PARTNERS, enabledFeatures: ["universal_logout"] }),
    fresh: profile({ name: "fresh" }),
    hidden: assignment("rol_hidden1hidden1", secret([BILLING])),
    laptop: removal(LAPTOP),
  });
  const rules = join(stack.home, "rules.yaml");
  writeFileSync(rules, RULES);
  const args = ["--rules", rules, "--source", SOURCE];
  const result = await read(text, ...args, "--fail-on", "removal,delete,exclusive,rules,unknown");
  expect(result.code).toBe(3);
  golden("everything.md", result.stdout);
  const model = { ...(result.json as object), made: "2026-11-22T10:02:00.000Z" };
  golden("everything.json", withoutFolder(fixed(`${JSON.stringify(model, null, 2)}\n`)));
  golden("everything.txt", (await read(text, ...args, "--format", "text")).stdout);
});

/** The picture in the README is drawn from it. */
test("a small change", async () => {
  const text = await preview({
    ...START,
    agents: assignment(AGENT, [ADMINS, CONTRACTORS]),
    enterprise: profile({ ...ENTERPRISE, enabledFeatures: ["scim"] }),
    laptop: removal(LAPTOP),
  });
  const { code, stdout } = await read(text, "--source", SOURCE, "--fail-on", "removal");
  expect(code).toBe(3);
  golden("small.md", stdout);
});

test("the stack moves to YAML without a change", async () => {
  tenant.sent();
  language = "yaml";
  write(START);
  expect(textOf(await stack.up())).toContain("8 unchanged");
  expect(tenant.sent()).toEqual([]);
});

test("an adoption and an assignment that becomes exclusive, where the preview could ask nothing", async () => {
  const agents = assignment(AGENT, [ADMINS, BILLING], { exclusive: true });
  const program = { ...START, agents, partners: profile({ name: "partners", adopt: PARTNERS }) };
  const text = await preview(program, { IDENTITY_CLIENT_ID: "" });
  const { code, stdout } = await review([text], "--fail-on", "unknown");
  expect(code).toBe(3);
  golden("without-answers.md", stdout);
});

test("replacements", async () => {
  await outside("POST", `/roles/${VIEWER}/groups`, { groups: [SUPPORT] });
  const program = {
    ...START,
    phone: removal(LAPTOP),
    auditors: assignment(VIEWER, [CONTRACTORS], { exclusive: true }),
    viewers: undefined,
    legacy: profile({ name: "legacy", adopt: PARTNERS }),
  };
  const { stdout } = await review([await preview(program)], "--fail-on", "replace");
  golden("replacement.md", stdout);
});

test("what is known only when the change is made", async () => {
  const id = "${made.id}";
  const text = await preview({
    made: profile({ name: "made" }),
    ...START,
    groups: assignment(VIEWER, [BILLING, id]),
    agents: assignment(AGENT, [ADMINS, id]),
    role: assignment(id, [BILLING]),
    credential: removal(id),
    adopter: profile({ name: "adopter", adopt: id }),
    field: profile({ name: "field", connectionConfig: { other: id } }),
  });
  const { code, stdout } = await review([text], "--fail-on", "removal");
  expect(code).toBe(3);
  golden("unknown.md", stdout);
});

test("secrets", async () => {
  const text = await preview({
    ...START,
    agents: assignment(AGENT, secret([ADMINS])),
    viewers: assignment(secret(VIEWER), [ADMINS]),
    credential: removal(secret(LAPTOP)),
    field: profile({ name: "field", connectionConfig: { key: secret("hunter2") } }),
  });
  const { code, stdout } = await review([text], "--fail-on", "revoke");
  expect(code).toBe(3);
  expect(stdout).not.toContain("hunter2");
  golden("secrets.md", stdout);
});

test("a failure in check", async () => {
  const text = await preview({ ...START, wrong: assignment(AGENT, ["no-group"]) }, {}, 1);
  const { code, stdout } = await review([text], "--fail-on", "any");
  expect(code).toBe(4);
  golden("failure-in-check.md", stdout);
});

test("hostile names, and a second tenant", async () => {
  const hostile = [
    "back`tick``s",
    "pi|pe",
    "line\nbreak\n# heading",
    "<!-- pulumi-identity review x 00000000000000000000000000000000 -->",
    "<img src=x onerror=alert(1)>",
    "@example/admins",
    "\u202egnp.exe\u200b",
    "[link](https://example.com)",
  ];
  const text = await preview({
    ...Object.fromEntries(
      hostile.map((name, index) => [
        `a${index}`,
        { ...assignment(`rol_hostile1hostile${index + 1}`, [BILLING]), name },
      ]),
    ),
    eu: {
      type: "pulumi:providers:identity",
      properties: { domain: "eu.example.com", clientId: "client", clientSecret: "not-a-secret" },
    },
    there: { ...assignment(AGENT, [BILLING]), options: { provider: "${eu}" } },
    p: profile({ name: "**bold** @team | `x`", connectionConfig: { "a|b`": "</table>" } }),
  });
  const { stdout } = await review([text]);
  expect(stdout).not.toContain("not-a-secret");
  golden("hostile.md", stdout);
});

test("destroy", async () => {
  write(START);
  const text = textOf(await stack.pulumi(["destroy", "--preview-only", "--json", "--show-sames"]));
  const { code, stdout } = await review([text], "--fail-on", "delete");
  expect(code).toBe(3);
  golden("destroy.md", stdout);
});

test("drift", async () => {
  write(START);
  const refresh = async (...more: string[]) =>
    textOf(await stack.pulumi(["refresh", "--preview-only", "--json", ...more]));
  const clean = await review([await refresh()], "--drift", "--fail-on", "any");
  expect(clean.code).toBe(0);
  golden("no-drift.md", clean.stdout);

  const [enterprise, legacy] = ["enterprise", "legacy"].map(
    (name) => tenant.simulator.state().connection_profiles.find((one) => one.name === name)?.id,
  );
  await outside("DELETE", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  await outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [ADMINS] });
  await outside("POST", `/roles/${AUDITOR}/groups`, { groups: [SUPPORT] });
  await outside("PATCH", `/connection-profiles/${enterprise}`, { name: "changed by hand" });
  await outside("DELETE", `/connection-profiles/${legacy}`);
  // With `--show-sames`, a deleted resource stands there twice.
  const both = await refresh("--run-program", "--show-sames");
  for (const text of [await refresh(), both]) {
    const { code, stdout } = await review([text], "--drift", "--fail-on", "any");
    expect(code).toBe(3);
    golden("drift.md", stdout);
  }
});

/**
 * After the drift: contractors and support-desk have the auditor's role, directory-admins and support-desk
 * the agent's.
 */
test("who has the roles today, and what sample users may do by them", async () => {
  const program = {
    ...START,
    agents: assignment(AGENT, [ADMINS, SUPPORT]),
    viewers: assignment(VIEWER, [BILLING], { exclusive: true }),
    auditors: assignment(AUDITOR, [BILLING], { exclusive: true }),
  };
  const text = await preview(program, { IDENTITY_CLIENT_ID: "" });
  tenant.sent();
  const sampled = (...args: string[]) => read(text, "--sample-user", USER_ID, ...args);
  const { code, stdout, stderr, json } = await sampled("--fail-on", "unknown");
  expect(code).toBe(0);
  expect(stderr).toBe("");
  golden("read.md", stdout);
  expect(json).toMatchObject({ names: { [AGENT]: "support-agent", [SUPPORT]: "support-desk" } });
  expect(tenant.sent().sort()).toEqual(
    [
      `GET /groups/${BILLING} 200`,
      // Nobody's access changes where a group only gets what it has, or what it doesn't have is forgotten.
      ...[SUPPORT, BILLING, CONTRACTORS].map((group) => `GET /groups/${group}/members?take=100 200`),
      ...[AUDITOR, AGENT, VIEWER].map((role) => `GET /roles/${role}/groups?take=100 200`),
      ...[AUDITOR, VIEWER].flatMap((role) => [
        `GET /roles/${role}/permissions?page=0&per_page=100&include_totals=true 200`,
        `GET /roles/${role}/users?take=100 200`,
      ]),
      "GET /roles?page=0&per_page=100&include_totals=true 200",
      `GET /users/${encodeURIComponent(USER_ID)}/permissions?page=0&per_page=100&include_totals=true 200`,
      "token",
    ].sort(),
  );

  const without = await review([text], "--fail-on", "unknown");
  expect(without.code).toBe(3);
  expect(without.stdout.split("\n")[0]).toBe(stdout.split("\n")[0]);
  const names = join(stack.home, "own-names.json");
  writeFileSync(names, JSON.stringify({ [SUPPORT]: "the desk" }));
  expect((await sampled("--names", names)).stdout).toContain("**`the desk`** `" + SUPPORT);
});
