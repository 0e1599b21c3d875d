import { execFile, execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pageJson } from "../../testkit/cli/pages";
import { failedText, groups, made, previewText, step } from "../../testkit/cli/previews";
import { Tenant } from "../../testkit/tenant";
import { startSimulator } from "../../simulator";
import {
  ADMINS,
  AGENT,
  ALL_SCOPES,
  BILLING,
  CONTRACTORS,
  LAPTOP,
  SUPPORT,
} from "../../simulator/default-seed";
import { runBin, runListing } from "../../testkit/cli/bin";
import { runCommand } from "../../testkit/cli/in-process";
import { review, reviewIn } from "../../testkit/cli/review";
import { useFolder } from "../../testkit/folder";
import { reviewCommand } from "../../cli/review/command";
import { reviewSchema } from "../../provider/review/model";
import { type CommandResult, environmentOf, Stack } from "../../testkit/stack";

/* The command on files, which are too many for the real CLI, and as it makes previews. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const folder = useFolder();
const steps = [step({ name: "a", after: groups("grp_a") })];
const grant = previewText(steps);
const { fingerprint } = made(steps);
const other = "0".repeat(32);
const TWIN = "cop_5wTqXn8YkLbVd2sPmZaGhJ";

test.each<[string, number, string, string[]]>([
  ["no option", 0, grant, []],
  ["a category that is not there", 0, grant, ["--fail-on", "revoke,removal"]],
  ["a category that is there", 3, grant, ["--fail-on", "revoke,grant"]],
  ["two lists", 3, grant, ["--fail-on", "grant", "--fail-on", "revoke"]],
  ["any category", 3, grant, ["--fail-on", "any"]],
  ["any category, and no change", 0, previewText([]), ["--fail-on", "any"]],
  ["the fingerprint that was reviewed", 0, grant, ["--expect", fingerprint]],
  ["another fingerprint", 5, grant, ["--expect", other]],
  ["another fingerprint and an approval", 5, grant, ["--expect", other, "--fail-on", "any"]],
  [
    "a failed preview, another fingerprint and an approval",
    4,
    failedText(steps),
    ["--expect", other, "--fail-on", "any"],
  ],
])("%s: exit %d, and the review is printed", async (_, code, text, args) => {
  const result = await review([text], ...args);
  expect(result).toMatchObject({
    code,
    stderr: code === 5 ? (expect.stringContaining(fingerprint) as string) : "",
  });
  expect(result.stdout).toMatch(/^<!-- pulumi-identity review \S+ [0-9a-f]{32} -->\n(###|\*\*)/);
});

test.each<[string, number, string, string[], string]>([
  ["no preview", 1, "{}", [], "is JSON, but no preview."],
  [
    "no preview wins over everything",
    1,
    "{}",
    ["--expect", other, "--fail-on", "any"],
    "is JSON, but no preview.",
  ],
  [
    "a file that is not there",
    1,
    grant,
    ["--names", "/none/names.json"],
    "/none/names.json could not be read (no such file).",
  ],
])("%s: exit %d, and nothing but a sentence is printed", async (_, code, text, args, message) => {
  const result = await review([text], ...args);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(message);
  expect(result.stderr).not.toMatch(/\n {4}at /);
});

test.each<[string, string, string[]]>([
  ["a preview", "{}", []],
  ["an option", grant, ["--names", "/none/names.json"]],
])("the JSON of an earlier run is gone where %s can't be used", async (_, text, args) => {
  const [preview, json] = [join(folder, "preview.json"), join(folder, "reviewed.json")];
  for (const file of [preview, json]) writeFileSync(file, text);
  const { code } = await runCommand(reviewCommand(), ["--no-read", preview, "--json", json, ...args]);
  expect({ code, isThere: existsSync(json) }).toEqual({ code: 1, isThere: false });
});

test("a file that the review reads is refused as its output, and stays", async () => {
  const preview = join(folder, "preview.json");
  writeFileSync(preview, grant);
  for (const option of ["--json", "--output", "--page"])
    expect(await runCommand(reviewCommand(), ["--no-read", preview, option, preview])).toMatchObject({
      code: 2,
      stderr: `${preview} is to be read, and to be written over: name another file.\n`,
    });
  expect(readFileSync(preview, "utf8")).toBe(grant);
});

const stackStep = (op: string) => ({
  op,
  urn: "urn:pulumi:prod::access::pulumi:pulumi:Stack::access-prod",
  oldState: { type: "pulumi:pulumi:Stack" },
});
const removal = step({ name: "b", kind: "DeviceCredentialRemoval", after: { deviceCredentialId: "dcr_1" } });
const whole = previewText([stackStep("same"), removal]);
const refresh = previewText([stackStep("refresh")]);
const COMMAND = "`npx --no pulumi-identity review --stack NAME`";
const DRIFT_COMMAND = "`npx --no pulumi-identity review --stack NAME --drift`";

test.each<[what: string, code: number, text: string, args: string[], message: string]>([
  ["a refresh", 2, refresh, [], `is the preview of a refresh: add --drift. Run ${COMMAND}`],
  ["a preview", 2, whole, ["--drift"], `is a preview, and --drift reviews a refresh. Run ${DRIFT_COMMAND}`],
  ["nothing", 1, "\n", [], `is empty, as Pulumi's output is when a preview ends early. Run ${COMMAND}`],
  [
    "a preview without unchanged resources",
    1,
    whole.replace('"changeSummary":{}', '"changeSummary":{"same":2}'),
    [],
    `was made without --show-sames and hides steps. Run ${COMMAND}`,
  ],
])("%s is refused, and told what makes the right one: exit %d", async (_, code, text, args, message) => {
  const refused = await review([grant, text], ...args);
  expect(refused).toMatchObject({ code, stdout: "", json: undefined });
  expect(refused.stderr).toContain(`preview-1.json ${message}, which makes the right preview itself.\n`);
});

test("what hides steps since it failed is a preview that failed", async () => {
  const text = failedText([stackStep("same")]).replace('"changeSummary":{}', '"changeSummary":{"same":2}');
  expect(await review([text])).toMatchObject({ code: 4, stderr: "" });
});

test("a refresh that failed is no preview that failed", async () => {
  const text = failedText([]);
  expect((await review([text], "--drift")).stdout).toContain("**❌ The refresh failed**\n");
  expect((await review([text])).stdout).toContain("**❌ The preview failed**\n");
});

test.each([
  [["--stack", "prod"], "A file holds a preview that was made before"],
  [["--", "--refresh"], "A file holds a preview that was made before"],
  [["--destroy"], "--destroy makes the preview itself"],
])("%j makes a preview, and a file is one", async (args, message) => {
  const { code, stdout, stderr } = await review([grant], ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(message);
});

test("several stacks have a part each, one fingerprint, and a list as JSON", async () => {
  const test = grant.replaceAll("urn:pulumi:prod::", "urn:pulumi:test::");
  const { stdout, json } = await review([grant, test]);
  expect(stdout).toMatch(/^<!-- pulumi-identity review access%2Fprod,access%2Ftest [0-9a-f]{32} -->\n/);
  expect([...stdout.matchAll(/^### Access review of `(.+?)`/gm)].map(([, stack]) => stack)).toEqual([
    "access/prod",
    "access/test",
  ]);
  expect(json).toMatchObject([{ stack: "access/prod" }, { stack: "access/test" }]);
  expect(stdout).toContain((await review([test, grant])).stdout.split("\n")[0]);
});

test("names are shown beside ids, which stay", async () => {
  const file = join(folder, "names.json");
  writeFileSync(file, JSON.stringify({ rol_1: "support-agent", grp_a: "a|b`c" }));
  const { stdout } = await review([grant], "--names", file);
  expect(stdout).toContain("| **`support-agent`** `rol_1` | 🟢&nbsp;gains | **``a\\u007cb`c``** `grp_a` |");
  writeFileSync(file, `\ufeff${JSON.stringify({ rol_1: "support-agent", grp_a: "Büro" })}`, "utf16le");
  expect((await review([grant], "--names", file)).stdout).toContain("**`Büro`** `grp_a`");
  writeFileSync(file, JSON.stringify({ grp_a: "Büro" }), "latin1");
  expect(await review([grant], "--names", file)).toMatchObject({ code: 1, stdout: "" });
  writeFileSync(file, '["rol_1"]');
  const wrong = await review([grant], "--names", file);
  expect(wrong).toMatchObject({ code: 1, stdout: "" });
  expect(wrong.stderr).toContain("is not a JSON object of names by id");
  const output = join(folder, "review.md");
  expect((await review([grant], "--output", output)).stdout).toBe("");
  expect(readFileSync(output, "utf8")).toContain("➕ 1 grant");
});

test("of a file it says which settings count", async () => {
  const { stderr } = await reviewIn({}, [grant]);
  expect(stderr).toBe(
    "Names are not shown: for a file, only IDENTITY_… counts, and IDENTITY_CLIENT_ID isn't set.\n",
  );
});

test("it links lines on GitHub and on GitLab", async () => {
  const position = { stackTrace: [{ sourcePosition: "project:///src/access.ts#12,3" }] };
  const text = previewText([step({ name: "a", after: groups("grp_a"), state: position })]);
  const link = async (env: Record<string, string>) => {
    const { stdout } = await reviewIn(env, [text], "--no-read");
    return /\]\((http[^)]*)\)/.exec(stdout)?.[1];
  };
  const github = {
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "example/access",
    GITHUB_SHA: "4f2c1e9",
  };
  expect(await link(github)).toBe("https://github.com/example/access/blob/4f2c1e9/src/access.ts#L12");
  const gitlab = {
    CI_PROJECT_URL: "https://gitlab.example.com/example/access",
    CI_COMMIT_SHA: "of-a-merge-that-nobody-else-knows",
    CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "4f2c1e9",
  };
  expect(await link(gitlab)).toBe(
    "https://gitlab.example.com/example/access/-/blob/4f2c1e9/src/access.ts#L12",
  );
});

test("as a process it waits for an input that comes piece by piece, and ends by its exit code", async () => {
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((done) => {
    const child = execFile(
      process.execPath,
      [bin, "review", "-", "--fail-on", "grant"],
      { env: {} },
      (error, stdout) => done({ code: error?.code ?? 0, stdout }),
    );
    child.stdin?.write(grant.slice(0, 20));
    setTimeout(() => child.stdin?.end(grant.slice(20)), 1_000);
  });
  expect(code).toBe(3);
  expect(stdout).toContain("➕ 1 grant");
});

async function loadedBy(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  return (await runListing(env, ["review", "-", ...args], { input: grant })).packages;
}

test("it loads no package but commander, so that it starts at once", async () => {
  expect(await loadedBy([])).toEqual(["commander"]);
});

test("--rules: a broken rule asks for an approval, and what reads the file is loaded only then", async () => {
  const rules = join(folder, "rules.yaml");
  writeFileSync(rules, "allow:\n  rol_1: []\n");
  const result = await review([grant], "--rules", rules, "--fail-on", "rules");
  expect(result).toMatchObject({ code: 3, json: { rules: { breaches: [{ rule: "allow", isNew: true }] } } });
  writeFileSync(rules, "\ufeffallow:\n  rol_1: []\n", "utf16le");
  const again = await review([grant], "--rules", rules, "--fail-on", "rules");
  expect(again).toMatchObject({ code: 3, json: { rules: { breaches: [{ rule: "allow", isNew: true }] } } });
  expect(await loadedBy(["--no-read", "--rules", rules])).toEqual(["commander", "yaml"]);

  expect(await review([grant], "--fail-on", "rules")).toMatchObject({ code: 2, stdout: "" });
  writeFileSync(rules, "allow:\n  a: b\n");
  const wrong = await review([grant], "--rules", rules);
  expect(wrong).toMatchObject({ code: 1, stdout: "" });
  expect(wrong.stderr).toContain(`rules.yaml:2: the groups of "a" must be a list`);
});

test("findings: as SARIF, and on the line in a job of GitHub", async () => {
  const phone = previewText([
    step({ kind: "DeviceCredentialRemoval", name: "phone", after: { deviceCredentialId: "dcr_1" } }),
  ]);
  const { stdout, code } = await review([phone], "--format", "sarif");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    version: "2.1.0",
    runs: [{ results: [{ ruleId: "removal" }] }],
  });
  const inJob = await reviewIn({ GITHUB_ACTIONS: "true" }, [phone], "--no-read", "--annotate");
  expect(inJob.stderr).toBe(
    "::error file=Pulumi.yaml,line=1,title=Something is removed for good::phone removes the device credential dcr_1 for good\n",
  );
  expect(inJob.stdout).not.toContain("::error");
  const elsewhere = await review([phone], "--annotate");
  expect(elsewhere.stderr).toBe("Nothing was annotated: --annotate works in jobs of GitHub and GitLab.\n");
});

test("a page: as the format, or beside the comment, which links the run that keeps it", async () => {
  const dataOf = (page: string) => reviewSchema.array().parse(pageJson(page));
  const { stdout } = await review([grant], "--format", "html");
  expect(dataOf(stdout)).toMatchObject([{ fingerprint, access: [{ group: "grp_a", effect: "gains" }] }]);
  const test = grant.replaceAll("urn:pulumi:prod::", "urn:pulumi:test::");
  const both = await review([grant, test], "--format", "html");
  const shared = dataOf(both.stdout).map((stack) => stack.fingerprint);
  expect((await review([grant, test])).stdout).toContain(`fingerprint \`${shared[0]}\``);
  expect(new Set(shared).size).toBe(1);

  const [page, names] = ["page.html", "names.json"].map((name) => join(folder, name)) as [string, string];
  writeFileSync(names, JSON.stringify({ grp_a: "support-desk" }));
  const run = {
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "acme/access",
    GITHUB_RUN_ID: "42",
  };
  const inJob = await reviewIn(run, [grant], "--no-read", "--page", page, "--names", names);
  expect(inJob.stdout).toContain(
    "[as a page, in the artifacts](https://github.com/acme/access/actions/runs/42#artifacts)",
  );
  expect(dataOf(readFileSync(page, "utf8"))[0]?.names).toEqual({ grp_a: "support-desk" });
  const elsewhere = await review([grant], "--page", page);
  expect(elsewhere.stdout).not.toContain("as a page");
});

test("with a client it loads what it takes to ask, and never Pulumi's SDK", async () => {
  const simulator = await startSimulator();
  try {
    const env = {
      ...environmentOf(simulator),
      IDENTITY_FORMER_DOMAINS: "tenant.example.com",
    };
    expect(await loadedBy([], env)).toEqual(["commander", "undici"]);
    expect(simulator.requests().map(({ method }) => method)).toEqual([
      "POST",
      // The last for the role that isn't there.
      ...Array.from({ length: 6 }, () => "GET"),
    ]);
  } finally {
    await simulator.close();
  }
});

describe("colour", () => {
  beforeEach(() => writeFileSync(join(folder, "preview.json"), previewText([...steps, removal])));
  const environment = { ...process.env, TERM: "xterm-256color" };
  for (const name of ["NO_COLOR", "FORCE_COLOR", "CI"]) Reflect.deleteProperty(environment, name);
  /** On a terminal of its own. */
  const onTerminal = (args: string, env: object = {}) =>
    execFileSync("script", ["-qec", `${process.execPath} ${bin} ${args} || true`, "/dev/null"], {
      cwd: folder,
      env: { ...environment, ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    });

  test("is there on a terminal, and not with NO_COLOR, in a pipe or in a file", () => {
    expect(onTerminal("review preview.json")).toContain("\u001b[32m➕ gains");
    expect(onTerminal("review --help")).toContain("\u001b[1mUsage:");
    for (const plain of [
      onTerminal("review preview.json", { NO_COLOR: "1" }),
      execFileSync(process.execPath, [bin, "review", "preview.json", "--format", "text"], {
        cwd: folder,
        env: environment,
        encoding: "utf8",
      }),
    ]) {
      expect(plain).toContain("➕ gains");
      expect(plain).not.toContain("\u001b");
    }
    onTerminal("review preview.json --format text --output review.txt");
    expect(readFileSync(join(folder, "review.txt"), "utf8")).not.toContain("\u001b");
  });

  test("the doctor shows what it looks at, and clears it", () => {
    const shown = onTerminal("doctor", { IDENTITY_DOMAIN: "", NO_COLOR: "1" });
    expect(shown).toContain("\r\u001b[KReading the stack …");
    expect(shown).toContain("\r\u001b[KProgram\r\n");
  });
});

describe("without a file it makes the preview", () => {
  const tenant = new Tenant();
  let stack: Stack;
  const [program, broken] = [[ADMINS, BILLING], ["no-group"]].map(
    (groupIds) => `resources:
  agents: { type: "identity:RoleGroupAssignment", properties: ${JSON.stringify({ roleId: AGENT, groupIds })} }
  laptop: { type: "identity:DeviceCredentialRemoval", properties: { deviceCredentialId: ${LAPTOP} } }
`,
  ) as [string, string];

  beforeAll(async () => {
    await tenant.open();
    tenant.seed({ roles: [{ id: AGENT, name: "support-agent" }] });
    stack = await Stack.create({ program, language: "yaml" });
    await stack.configure(tenant);
  });
  beforeEach(() => {
    stack.write(program);
    tenant.sent();
  });
  afterAll(async () => {
    stack.remove();
    await tenant.close();
  });

  /** In the program's folder; `before` precedes the command, such as an environment. */
  const makes = (args: string, before = "") =>
    stack.shell(`${before} ${process.execPath} ${bin} review ${args}`);
  const jsonOf = ({ code, stdout, all }: CommandResult, expected = 0) => {
    if (code !== expected) throw new Error(all);
    return JSON.parse(stdout) as { fingerprint: string; errors: { message: string }[] };
  };

  test("of the stack that is named, with names from its tenant, by the client of its configuration", async () => {
    const made = await makes("--stack test --format json");
    expect(jsonOf(made)).toMatchObject({
      stack: "test/test",
      counts: { gains: 2, removals: 1, unknown: 0 },
      names: { [AGENT]: "support-agent", [ADMINS]: "directory-admins", [BILLING]: "billing-team" },
    });
    expect(made.stderr).toBe("");
    // The engine names the YAML host's own source.
    const { access, removals } = JSON.parse(made.stdout) as Record<
      string,
      { line: unknown; by: { line: unknown }[] }[]
    >;
    const text = readFileSync(join(stack.folder, "Pulumi.yaml"), "utf8").split("\n");
    const lineOf = (key: string) => ({
      file: "Pulumi.yaml",
      line: text.findIndex((one) => one.startsWith(`  ${key}:`)) + 1,
    });
    expect(access!.map(({ by }) => by[0]!.line)).toEqual([lineOf("agents"), lineOf("agents")]);
    expect(removals!.map(({ line }) => line)).toEqual([lineOf("laptop")]);
    expect(tenant.sent().filter((line) => !/^(GET|token)/.test(line))).toEqual([]);

    const file = await review([(await stack.preview({ json: true })).stdout]);
    expect(file.json).toMatchObject({ fingerprint: jsonOf(made).fingerprint });
  });

  test("without names where that is said; Pulumi gets what follows --, and events are no preview", async () => {
    const env = "PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true";
    const made = await makes("--no-read --format json -- --target '**::laptop'", env);
    expect(jsonOf(made)).toMatchObject({ counts: { gains: 0, removals: 1 }, names: {} });
    expect(tenant.sent()).toEqual([]);
  });

  test("a failure in check is a preview that failed", async () => {
    stack.write(broken);
    const { errors } = jsonOf(await makes("--format json --fail-on any"), 4);
    expect(errors).toMatchObject([{ name: "agents" }]);
  });

  test.each<[what: string, args: string, before: string, said: string, stack: string]>([
    ["a wrong passphrase", "", "PULUMI_CONFIG_PASSPHRASE=wrong", "incorrect passphrase", "test/test"],
    ["a stack that isn't there", "--stack organization/test/prod", "", "no stack named", "test/prod"],
    ["an option that Pulumi doesn't have", "-- --nope", "PULUMI_STACK=test", "unknown flag", "test/test"],
  ])(
    "%s: what Pulumi says is on stderr, and the review names the stack",
    async (_, args, before, said, name) => {
      const made = await makes(`--format json ${args}`, before);
      const { errors, ...json } = jsonOf(made, 4);
      expect(json).toMatchObject({ stack: name, failed: true });
      expect(errors).toMatchObject([
        { message: expect.stringMatching(/^pulumi preview exited with \d+ before/) as string },
      ]);
      expect(made.stderr).toContain(said);
    },
  );

  test("without Pulumi, that is what failed", async () => {
    const { code, stdout, stderr } = await runBin({ PATH: "/none" }, ["review", "--format", "text"]);
    expect({ code, stderr }).toEqual({ code: 4, stderr: "" });
    expect(stdout).toContain("There is no `pulumi` on the PATH. Install the Pulumi CLI");
  });

  test("what a killed run left pending is said, and its twin on the tenant", async () => {
    expect(await stack.up()).toMatchObject({ code: 0 });
    tenant.seed({
      roles: [{ id: AGENT, name: "support-agent", groups: [ADMINS, BILLING] }],
      connection_profiles: [{ id: TWIN, name: "partners" }],
    });
    stack.write(`${program}  partners:
    type: identity:ConnectionProfile
    properties:
      name: partners
`);
    const type = "identity:index:ConnectionProfile";
    const urn = `urn:pulumi:test::test::${type}::partners`;
    const pending = { type: "creating", resource: { urn, type, custom: true, inputs: { name: "partners" } } };
    const file = join(stack.home, "state/.pulumi/stacks/test/test.json");
    const state = JSON.parse(readFileSync(file, "utf8")) as { checkpoint: { latest: object } };
    Object.assign(state.checkpoint.latest, { pending_operations: [pending] });
    writeFileSync(file, JSON.stringify(state));

    const { stdout, stderr } = await makes("--stack test --format text");
    expect(stdout).toMatch(/^Access review of .*\n.*\n\nAn earlier run ended halfway:\n {2}- the connection/);
    expect(stdout).toContain(`a profile named partners already exists as ${TWIN}: adopt it, or choose`);
    expect(stderr).toBe("");
    Object.assign(state.checkpoint.latest, { pending_operations: [] });
    writeFileSync(file, JSON.stringify(state));
  });

  test("--destroy shows what a destroy takes, without what it is to leave", async () => {
    stack.write(`${program}  left:
    type: identity:RoleGroupAssignment
    properties: { roleId: ${AGENT}, groupIds: [${CONTRACTORS}] }
`);
    expect(await stack.up()).toMatchObject({ code: 0 });
    const { code, stdout } = await makes(
      "--stack test --destroy --format text --fail-on revoke -- --exclude **left",
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(/support-agent \S+ {2}➖ loses {2}billing-team /);
    expect(stdout).not.toMatch(/may lose|contractors/);
  });

  test("a drift is found by the credentials of today, which the state doesn't have", async () => {
    const rotated = { client_id: tenant.clientId, client_secret: "rotated-secret", scope: ALL_SCOPES };
    tenant.seed({ roles: [{ id: AGENT, name: "support-agent", groups: [ADMINS] }], clients: [rotated] });
    await stack.config("identity:clientSecret", rotated.client_secret, { secret: true });
    const { stdout } = await makes("--stack test --drift --format text");
    expect(stdout).toMatch(/support-agent \S+ {2}➖ has lost {2}billing-team /);
  });

  test("without a client ids have no names, and it says why", async () => {
    await stack.unsetConfig("identity:clientId");
    await stack.unsetConfig("identity:clientSecret");
    stack.write(program.replace(BILLING, SUPPORT));
    const made = await makes("--format json");
    expect(jsonOf(made)).toMatchObject({ counts: { gains: 1, loses: 2 }, names: {} });
    expect(made.stderr).toBe(
      "Names are not shown: no client is configured (identity:clientId or IDENTITY_CLIENT_ID).\n",
    );
  });

  test("a signal cancels Pulumi, and the command ends by it", async () => {
    const started = join(stack.folder, "started");
    stack.rewrite(
      "js",
      `require("node:fs").writeFileSync(${JSON.stringify(started)}, ""); setInterval(() => {}, 1e6);`,
    );
    const command = `${process.execPath} ${bin} review & until [ -e started ]; do sleep 0.1; done; kill -INT $!; wait $!`;
    const { code, stdout } = await stack.shell(`set -m; ${command}`);
    expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
    const left = () =>
      execFileSync("ps", ["-A", "-o", "args="], { encoding: "utf8" }).includes(`--pwd ${stack.folder}`);
    while (left()) await sleep(200);
  });
});
