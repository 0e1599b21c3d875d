import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { StandIn } from "../../testkit/code-host";
import { MEMBER } from "../../testkit/code-host/repository";
import { Tenant } from "../../testkit/tenant";
import { ADMINS, AGENT, BILLING } from "../../simulator/default-seed";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";
import { linkPackages } from "./linked-packages";

/*
 * The unchanged pipelines of examples/pipelines, and the results of a pull request, its merge and a night.
 */

const scripts = resolve(__dirname, "../../examples/pipelines/shell");
const tenant = new Tenant();
const standIn = new StandIn();
let stack: Stack;

beforeAll(async () => {
  await Promise.all([tenant.open(), standIn.open()]);
  tenant.seed({ roles: [{ id: AGENT, name: "support-agent" }] });
  stack = await Stack.create({ language: "yaml", env: environmentOf(tenant) });
  linkPackages(stack.folder);
});

afterAll(async () => {
  stack.remove();
  await Promise.all([tenant.close(), standIn.close()]);
});

type Host = "github" | "gitlab";

/** Runs a script in a job's environment. */
function run(
  script: string,
  host: Host,
  job: Parameters<StandIn[Host]>[0],
  more: Record<string, string> = {},
) {
  const environment = { CODE_HOST: host, ...standIn[host](job), ...more };
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  return stack.shell(`${exports.join("\n")}\n${scripts}/${script}`);
}

function succeeded(result: CommandResult): void {
  if (result.code !== 0) throw new Error(result.all);
  expect(result.all).not.toContain(standIn.token);
}

const program = (...groupIds: string[]) => programUntil(undefined, ...groupIds);
const programUntil = (until: string | undefined, ...groupIds: string[]) => {
  const agents = {
    type: "identity:RoleGroupAssignment",
    properties: { roleId: AGENT, groupIds, ...(until !== undefined && { until }) },
  };
  return `resources: ${JSON.stringify(groupIds.length > 0 ? { agents } : {})}\n`;
};
const commit = (digit: string) => digit.repeat(40);
const sent = () => tenant.sent().filter((line) => /^(POST|DELETE|PATCH)/.test(line));

test("a pull request: one comment, whatever is pushed, and also when the preview fails", async () => {
  const change = standIn.repository.addChange(7);
  standIn.repository.addComment(change, "please", MEMBER);
  writeFileSync(join(stack.folder, "names.json"), JSON.stringify({ [AGENT]: "support-agent" }));
  stack.write(program(ADMINS, BILLING));
  succeeded(await run("review.sh", "github", { number: 7 }));
  expect(change.comments[1]?.body).toContain("➕ 2 grants");
  expect(change.comments[1]?.body).toContain("support-agent");

  const failed = await run("review.sh", "github", { number: 7 }, { PULUMI_CONFIG_PASSPHRASE: "wrong" });
  expect(failed.code).toBe(4);
  expect(change.comments[1]?.body).toContain("The preview failed");

  stack.write(program(ADMINS));
  const summary = join(stack.home, "summary.md");
  succeeded(await run("review.sh", "github", { number: 7 }, { GITHUB_STEP_SUMMARY: summary }));
  expect(change.comments).toHaveLength(2);
  expect(change.comments[1]?.body).toContain("➕ 1 grant");
  expect(sent()).toEqual([]);
});

test("its merge applies what was reviewed", async () => {
  const [change] = standIn.repository.changes;
  if (change === undefined) throw new Error("There is no pull request.");
  standIn.repository.merge(change, commit("a"));
  const summary = join(stack.home, "applied.md");
  succeeded(await run("apply.sh", "github", { commit: commit("a") }, { GITHUB_STEP_SUMMARY: summary }));
  expect(tenant.groupsOf(AGENT)).toEqual([ADMINS]);
  const applied = "**✅ Applied** by [run 17](https://github.example/example/access/actions/runs/4711).\n";
  expect(readFileSync(summary, "utf8")).toContain(applied);
  expect(change.comments[1]?.body.split("\n").slice(1, 3).join("\n")).toBe(
    `<!-- pulumi-identity outcome applied -->\n${applied.trim()}`,
  );
  expect(change.comments[1]?.body).toContain("➕ 1 grant");
});

test("what is not what was reviewed is not applied, until somebody says so", async () => {
  const change = standIn.repository.addChange(8);
  stack.write(program(ADMINS, BILLING));
  succeeded(await run("review.sh", "gitlab", { number: 8 }));
  // Read from the tenant; by now the state has it too.
  expect(change.comments[0]?.body).toContain("billing-team");
  standIn.repository.merge(change, commit("b"));
  // The state changes: the same program now grants two groups the role, not one.
  stack.write(program());
  succeeded(await stack.up());
  stack.write(program(ADMINS, BILLING));
  tenant.sent();

  const refused = await run("apply.sh", "gitlab", { commit: commit("b") });
  expect(refused.code).toBe(5);
  expect(refused.stderr).toContain("The effects are not those that were reviewed in merge request !8");
  expect(sent()).toEqual([]);
  expect(tenant.groupsOf(AGENT)).toEqual([]);
  expect(change.comments[0]?.body).toContain("**❌ Not applied**: [job 4711](");

  const fingerprint = /--expect ([0-9a-f]{32})/.exec(refused.stderr)?.[1] ?? "";
  succeeded(await run("apply.sh", "gitlab", { commit: commit("b") }, { REVIEWED: fingerprint }));
  expect(tenant.groupsOf(AGENT)).toEqual([ADMINS, BILLING].sort());
  expect(change.comments).toHaveLength(1);
  expect(change.comments[0]?.body).toContain("**✅ Applied** by [job 4711](");
  expect(change.comments[0]?.body).not.toContain("Not applied");
});

test("a run that fails halfway: the comment says what is left", async () => {
  const change = standIn.repository.addChange(10);
  stack.write(program(ADMINS));
  succeeded(await run("review.sh", "github", { number: 10 }));
  standIn.repository.merge(change, commit("d"));
  tenant.withoutScopes("delete:group_roles");
  const failed = await run("apply.sh", "github", { commit: commit("d") });
  tenant.withoutScopes();
  expect(failed.code).toBeGreaterThan(0);
  expect(failed.stderr).toContain("applied in part or not at all");
  const [, outcome = ""] =
    /outcome failed -->\n([^]*)<!-- pulumi-identity end/.exec(change.comments[0]?.body ?? "") ?? [];
  expect(outcome).toContain("This is left to do");
  expect(outcome).toContain("➖ 1 revocation");
  stack.write(program(ADMINS, BILLING));
});

test("an old run that is started again gives nothing back", async () => {
  const change = standIn.repository.addChange(9);
  stack.write(program(ADMINS));
  succeeded(await run("review.sh", "github", { number: 9 }));
  standIn.repository.merge(change, commit("c"));
  succeeded(await run("apply.sh", "github", { commit: commit("c") }));
  expect(tenant.groupsOf(AGENT)).toEqual([ADMINS]);
  tenant.sent();

  // The effects are the same as in its own pull request's comment.
  stack.write(program(ADMINS, BILLING));
  for (const more of [{} as Record<string, string>, { REVIEWED: "0".repeat(32) }]) {
    const replayed = await run("apply.sh", "github", { commit: commit("b") }, more);
    expect(replayed.code).toBe(5);
    if (!("REVIEWED" in more)) expect(replayed.stderr).toContain("is not the last one of the default branch");
  }
  expect(sent()).toEqual([]);
  // The job's environment also refuses: nothing is written without a review.
  stack.write(program(BILLING));
  const bare = await stack.up({ env: { IDENTITY_REQUIRE_REVIEW: "true" } });
  expect(bare.code).toBeGreaterThan(0);
  expect(bare.all.replace(/\s+/g, " ")).toContain("Nothing is sent without a review");
  expect(sent()).toEqual([]);
});

test.each<Host>(["github", "gitlab"])("a drift on %s: one issue, open as long as it lasts", async (host) => {
  const before = standIn.repository.issues.length;
  const issues = () => standIn.repository.issues.slice(before);
  stack.write(program(ADMINS, BILLING));
  succeeded(await stack.up());
  succeeded(await run("drift.sh", host, {}));
  expect(issues()).toEqual([]);

  tenant.sent();
  await tenant.outside("DELETE", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  succeeded(await run("drift.sh", host, {}));
  expect(issues()).toMatchObject([{ title: "Access needs attention", isOpen: true }]);
  expect(issues()[0]?.body).toContain("➖ 1 group lost a role");
  expect(issues()[0]?.body).toMatch(/\n- to undo it, run `pulumi up --refresh --stack \S+`\n/);

  tenant.sent();
  await tenant.outside("POST", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  succeeded(await run("drift.sh", host, {}));
  expect(issues()).toMatchObject([{ isOpen: false }]);
  expect(issues()[0]?.comments[0]?.body).toContain("no drift");
});

test("a grant that ends soon keeps an issue open as well, and a later end closes it", async () => {
  const before = standIn.repository.issues.length;
  const issues = () => standIn.repository.issues.slice(before);
  const end = new Date(Date.now() + 50 * 3_600_000).toISOString();
  stack.write(programUntil(end, ADMINS, BILLING));
  succeeded(await stack.up());
  succeeded(await run("drift.sh", "gitlab", {}));
  expect(issues()).toMatchObject([{ isOpen: true }]);
  const body = issues()[0]?.body ?? "";
  expect(body).toContain("no drift, the tenant is as the state says · **⏳ 1 assignment ends soon**");
  expect(body).toContain("#### Ends within 14 days");
  expect(body).toContain(`| \`${end}\`, in 2 days | **\`support-agent\`**`);
  expect(body).toContain("**`billing-team`**");
  expect(body).toContain(`change \`"until":"${end}"\``);

  // A grant that has drifted away doesn't end any more.
  tenant.sent();
  await tenant.outside("DELETE", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  succeeded(await run("drift.sh", "gitlab", {}));
  const [, ends = "", lost = ""] = /#### Ends([^]*)#### Access([^]*)/.exec(issues()[0]?.body ?? "") ?? [];
  expect([ends.includes(ADMINS), ends.includes(BILLING), lost.includes(BILLING)]).toEqual([
    true,
    false,
    true,
  ]);
  tenant.sent();
  await tenant.outside("POST", `/roles/${AGENT}/groups`, { groups: [BILLING] });
  succeeded(await run("drift.sh", "gitlab", {}, { ENDS_WITHIN: "36h" }));
  expect(issues()[0]).toMatchObject({ isOpen: false });
});

test("what has ended is taken away at night, by a client that can give nothing, and nothing else is done", async () => {
  const over = "2020-12-31";
  stack.write(program(ADMINS, BILLING));
  succeeded(await stack.up());
  tenant.withoutScopes("create:group_roles");
  tenant.sent();
  const summary = join(stack.home, "ended.md");

  stack.write(programUntil(over, ADMINS, BILLING));
  const night = await run("expire.sh", "github", {}, { GITHUB_STEP_SUMMARY: summary });
  succeeded(night);
  expect(tenant.groupsOf(AGENT)).toEqual([]);
  for (const text of [night.stdout, readFileSync(summary, "utf8")]) {
    expect(text).toContain("➖ 2 revocations");
    expect(text).toContain(`has ended (until \`${over}\`)`);
    expect(text).toContain("**`support-agent`**");
    expect(text).toContain("**`billing-team`**");
  }

  // A change that grants access was merged, but never applied.
  tenant.seed({ roles: [{ id: AGENT, name: "support-agent" }] });
  tenant.sent();
  stack.write(programUntil(undefined, ADMINS));
  const refused = await run("expire.sh", "github", {});
  expect(refused.code).toBe(3);
  expect(refused.stdout).toContain("➕ 1 grant");
  expect(sent()).toEqual([]);
});
