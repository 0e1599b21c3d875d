import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Tenant } from "../host/tenant";
import {
  DEFAULT_SEED,
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  GROUP_SUPPORT as SUPPORT,
  LAPTOP_CREDENTIAL_ID as LAPTOP,
  LOST_PHONE_CREDENTIAL_ID as PHONE,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
  USER_ID,
} from "../../simulator/default-seed";
import { expectGolden } from "./review/golden";
import { review, reviewIn, type ReviewResult } from "./review/review";
import { type CommandResult, environmentOf, Stack } from "./stack";

/*
 * The review of real previews, made by the real CLI. Ports and the tenant's ids are replaced in the previews,
 * so that each review and its fingerprint are the same in every run.
 */

const AUDITOR = "rol_2kVpYs6TgLc8dJmE";
const PARTNERS = "cop_5wTqXn8YkLbVd2sPmZaGhJ";
const json = (value: unknown) => JSON.stringify(value);
const assignment = (name: string, roleId: string, groupIds: string[], more = {}) =>
  `new RoleGroupAssignment(${json(name)}, ${json({ roleId, groupIds, ...more })});`;
const profile = (name: string, args: object) => `new ConnectionProfile(${json(name)}, ${json(args)});`;
const removal = (name: string, deviceCredentialId: string) =>
  `new DeviceCredentialRemoval(${json(name)}, ${json({ deviceCredentialId })});`;

const ENTERPRISE = {
  name: "enterprise",
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  organization: { showAsButton: "optional" },
};
const START = {
  agents: assignment("agents", AGENT, [ADMINS, BILLING]),
  viewers: assignment("viewers", VIEWER, [ADMINS]),
  auditors: assignment("auditors", AUDITOR, [CONTRACTORS], { exclusive: true }),
  enterprise: profile("enterprise", ENTERPRISE),
  legacy: profile("legacy", { name: "legacy" }),
  kept: profile("kept", { name: "kept", deleteOnDestroy: false }),
  phone: removal("phone", PHONE),
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

type Program = Partial<typeof START> & Record<string, string | undefined>;

function write(program: Program): void {
  stack.write(
    `const { ConnectionProfile, DeviceCredentialRemoval, Provider, RoleGroupAssignment } = require("pulumi-identity");
const pulumi = require("@pulumi/pulumi");
${Object.values(program)
  .filter((line) => line !== undefined)
  .join("\n")}`,
  );
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
    agents: assignment("agents", AGENT, [ADMINS, CONTRACTORS]),
    viewers: assignment("viewers", VIEWER, [BILLING], { exclusive: true }),
    more: assignment("more", AUDITOR, [CONTRACTORS, BILLING], { exclusive: true }),
    enterprise: profile("enterprise", {
      ...ENTERPRISE,
      connectionNamePrefixTemplate: "con-{org_name}",
      enabledFeatures: ["scim"],
      organization: undefined,
      strategyOverrides: { okta: { enabledFeatures: ["universal_logout"] } },
      deleteOnDestroy: false,
    }),
    partners: profile("partners", {
      name: "partners",
      adopt: PARTNERS,
      enabledFeatures: ["universal_logout"],
    }),
    fresh: profile("fresh", { name: "fresh" }),
    hidden: `new RoleGroupAssignment("hidden", { roleId: "rol_hidden1hidden1", groupIds: pulumi.secret(["${BILLING}"]) });`,
    laptop: removal("laptop", LAPTOP),
  });
  const rules = join(stack.home, "rules.yaml");
  writeFileSync(rules, RULES);
  const args = ["--rules", rules, "--source", SOURCE];
  const result = await read(text, ...args, "--fail-on", "removal,delete,exclusive,rules,unknown");
  expect(result.code).toBe(3);
  expectGolden("everything.md", result.stdout);
  const model = { ...(result.json as object), made: "2026-11-22T10:02:00.000Z" };
  expectGolden("everything.json", withoutFolder(fixed(`${JSON.stringify(model, null, 2)}\n`)));
  expectGolden("everything.txt", (await read(text, ...args, "--format", "text")).stdout);
});

/** The picture in the README is drawn from it. */
test("a small change", async () => {
  const text = await preview({
    ...START,
    agents: assignment("agents", AGENT, [ADMINS, CONTRACTORS]),
    enterprise: profile("enterprise", { ...ENTERPRISE, enabledFeatures: ["scim"] }),
    laptop: removal("laptop", LAPTOP),
  });
  const { code, stdout } = await read(text, "--source", SOURCE, "--fail-on", "removal");
  expect(code).toBe(3);
  expectGolden("small.md", stdout);
});

const EXCLUSIVE = { ...START, agents: assignment("agents", AGENT, [ADMINS, BILLING], { exclusive: true }) };

test("an adoption and an assignment that becomes exclusive, where the preview could ask nothing", async () => {
  const program = { ...EXCLUSIVE, partners: profile("partners", { name: "partners", adopt: PARTNERS }) };
  const text = await preview(program, { IDENTITY_CLIENT_ID: "" });
  const { code, stdout } = await review([text], "--fail-on", "unknown");
  expect(code).toBe(3);
  expectGolden("without-answers.md", stdout);
});

test("replacements", async () => {
  await outside("POST", `/roles/${VIEWER}/groups`, { groups: [SUPPORT] });
  const program = {
    ...START,
    phone: removal("phone", LAPTOP),
    auditors: assignment("auditors", VIEWER, [CONTRACTORS], { exclusive: true }),
    viewers: undefined,
    legacy: profile("legacy", { name: "legacy", adopt: PARTNERS }),
  };
  const { stdout } = await review([await preview(program)], "--fail-on", "replace");
  expectGolden("replacement.md", stdout);
});

test("what is known only when the change is made", async () => {
  const text = await preview({
    made: `const made = ${profile("made", { name: "made" })}`,
    ...START,
    groups: `new RoleGroupAssignment("groups", { roleId: "${VIEWER}", groupIds: ["${BILLING}", made.id] });`,
    agents: `new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: ["${ADMINS}", made.id] });`,
    role: `new RoleGroupAssignment("role", { roleId: made.id, groupIds: ["${BILLING}"] });`,
    credential: `new DeviceCredentialRemoval("credential", { deviceCredentialId: made.id });`,
    adopter: `new ConnectionProfile("adopter", { name: "adopter", adopt: made.id });`,
    field: `new ConnectionProfile("field", { name: "field", connectionConfig: { other: made.id } });`,
  });
  const { code, stdout } = await review([text], "--fail-on", "removal");
  expect(code).toBe(3);
  expectGolden("unknown.md", stdout);
});

test("secrets", async () => {
  const secret = (value: unknown) => `pulumi.secret(${json(value)})`;
  const text = await preview({
    ...START,
    agents: `new RoleGroupAssignment("agents", { roleId: "${AGENT}", groupIds: ${secret([ADMINS])} });`,
    viewers: `new RoleGroupAssignment("viewers", { roleId: ${secret(VIEWER)}, groupIds: ["${ADMINS}"] });`,
    credential: `new DeviceCredentialRemoval("credential", { deviceCredentialId: ${secret(LAPTOP)} });`,
    field: `new ConnectionProfile("field", { name: "field", connectionConfig: { key: ${secret("hunter2")} } });`,
  });
  const { code, stdout } = await review([text], "--fail-on", "revoke");
  expect(code).toBe(3);
  expect(stdout).not.toContain("hunter2");
  expectGolden("secrets.md", stdout);
});

test("a failure in check", async () => {
  const text = await preview({ ...START, wrong: assignment("wrong", AGENT, ["no-group"]) }, {}, 1);
  const { code, stdout } = await review([text], "--fail-on", "any");
  expect(code).toBe(4);
  expectGolden("failure-in-check.md", stdout);
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
  const text = await preview(
    Object.fromEntries([
      ...hostile.map((name, index) => [
        `a${index}`,
        assignment(name, `rol_hostile1hostile${index + 1}`, [BILLING]),
      ]),
      [
        "eu",
        `const eu = new Provider("eu", { domain: "eu.example.com", clientId: "client", clientSecret: "not-a-secret" });`,
      ],
      [
        "there",
        `new RoleGroupAssignment("there", { roleId: "${AGENT}", groupIds: ["${BILLING}"] }, { provider: eu });`,
      ],
      ["p", profile("p", { name: "**bold** @team | `x`", connectionConfig: { "a|b`": "</table>" } })],
    ]) as Program,
  );
  const { stdout } = await review([text]);
  expect(stdout).not.toContain("not-a-secret");
  expectGolden("hostile.md", stdout);
});

test("destroy", async () => {
  write(START);
  const text = textOf(await stack.pulumi(["destroy", "--preview-only", "--json", "--show-sames"]));
  const { code, stdout } = await review([text], "--fail-on", "delete");
  expect(code).toBe(3);
  expectGolden("destroy.md", stdout);
});

test("drift", async () => {
  write(START);
  const refresh = async (...more: string[]) =>
    textOf(await stack.pulumi(["refresh", "--preview-only", "--json", ...more]));
  const clean = await review([await refresh()], "--drift", "--fail-on", "any");
  expect(clean.code).toBe(0);
  expectGolden("no-drift.md", clean.stdout);
  expect(await review([await refresh("--run-program")])).toMatchObject({ code: 2, stdout: "" });

  const [enterprise, legacy] = ["enterprise", "legacy"].map(
    (name) => tenant.simulator.state().connection_profiles.find((one) => one.name === name)?.id,
  );
  await outside("DELETE", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  await outside("DELETE", `/roles/${VIEWER}/groups`, { groups: [ADMINS] });
  await outside("POST", `/roles/${AUDITOR}/groups`, { groups: [SUPPORT] });
  await outside("PATCH", `/connection-profiles/${enterprise}`, { name: "changed by hand" });
  await outside("DELETE", `/connection-profiles/${legacy}`);
  for (const text of [await refresh(), await refresh("--run-program")]) {
    const { code, stdout } = await review([text], "--drift", "--fail-on", "any");
    expect(code).toBe(3);
    expectGolden("drift.md", stdout);
  }
});

/**
 * After the drift: contractors and support-desk have the auditor's role, directory-admins and support-desk
 * the agent's.
 */
test("who has the roles today, and what sample users may do by them", async () => {
  const program = {
    ...START,
    agents: assignment("agents", AGENT, [ADMINS, SUPPORT]),
    viewers: assignment("viewers", VIEWER, [BILLING], { exclusive: true }),
    auditors: assignment("auditors", AUDITOR, [BILLING], { exclusive: true }),
  };
  const text = await preview(program, { IDENTITY_CLIENT_ID: "" });
  tenant.sent();
  const sampled = (...args: string[]) => read(text, "--sample-user", USER_ID, ...args);
  const { code, stdout, stderr, json } = await sampled("--fail-on", "unknown");
  expect(code).toBe(0);
  expect(stderr).toBe("");
  expectGolden("read.md", stdout);
  expect(json).toMatchObject({ names: { [AGENT]: "support-agent", [SUPPORT]: "support-desk" } });
  expect(tenant.sent().sort()).toEqual(
    [
      `GET /groups/${BILLING} 200`,
      ...[SUPPORT, BILLING, ADMINS, CONTRACTORS].map((group) => `GET /groups/${group}/members?take=100 200`),
      ...[AUDITOR, AGENT, VIEWER].map(
        (role) => `GET /roles/${role}/permissions?page=0&per_page=100&include_totals=true 200`,
      ),
      ...[AUDITOR, AGENT, VIEWER].map((role) => `GET /roles/${role}/groups?take=100 200`),
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
