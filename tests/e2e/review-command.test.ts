import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { groups, made, previewText, step } from "../cli/review/made";
import { startSimulator } from "../../simulator";
import { review } from "./review/review";

/* How the command behaves, on previews that are too many to be made by the real CLI. */

jest.setTimeout(60_000);

const bin = resolve(__dirname, "../../dist/cli/index.js");
const steps = [step({ name: "a", after: groups("grp_a") })];
const grant = previewText(steps);
const { fingerprint } = made(steps);
const other = "0".repeat(32);

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
  ["a failed preview, another fingerprint and an approval", 4, "", ["--expect", other, "--fail-on", "any"]],
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
    "/none/names.json could not be read (ENOENT).",
  ],
  ["an unknown option", 2, grant, ["--colour"], "unknown option '--colour'"],
  ["an unknown category", 2, grant, ["--fail-on", "grants"], '"grants" is none of grant, revoke,'],
  ["too short a length", 2, grant, ["--max-length", "10"], "Give a whole number from 1000."],
])("%s: exit %d, and nothing but a sentence is printed", async (_, code, text, args, message) => {
  const result = await review([text], ...args);
  expect(result).toMatchObject({ code, stdout: "" });
  expect(result.stderr).toContain(message);
  expect(result.stderr).not.toMatch(/\n {4}at /);
});

const stackStep = (op: string) => ({
  op,
  urn: "urn:pulumi:prod::access::pulumi:pulumi:Stack::access-prod",
  [op === "create" ? "newState" : "oldState"]: { type: "pulumi:pulumi:Stack" },
});
const removal = step({ name: "b", kind: "DeviceCredentialRemoval", after: { deviceCredentialId: "dcr_1" } });

/* What the real CLI gives: tests/e2e/review.test.ts. */
test.each<[what: string, ops: string[], isRefresh: boolean]>([
  ["the first preview", ["create"], false],
  ["a preview", ["same"], false],
  ["a preview that refreshes first", ["refresh", "same"], false],
  ["a preview of a destroy", ["delete"], false],
  ["a refresh that runs the program", ["same"], false],
  ["a refresh", ["refresh"], true],
])("%s is refused with, or without, --drift", async (_, ops, isRefresh) => {
  const text = previewText([...ops.map(stackStep), removal]);
  const [as, not] = isRefresh ? [["--drift"], []] : [[], ["--drift"]];
  expect(await review([text], ...as)).toMatchObject({ code: 0, stderr: "" });
  const refused = await review([grant, text], ...not);
  expect(refused).toMatchObject({ code: 2, stdout: "", json: undefined });
  expect(refused.stderr).toMatch(
    isRefresh
      ? /preview-1\.json is a refresh\. Add --drift, or give the output of pulumi preview --json/
      : /preview-1\.json is a preview, and --drift reads a refresh\. Leave out --drift, or give the output of pulumi refresh/,
  );
});

test("a refresh that failed is no preview that failed", async () => {
  expect((await review([""], "--drift")).stdout).toContain("**❌ The refresh failed**\n");
  expect((await review([""])).stdout).toContain("**❌ The preview failed**\n");
});

test("it reads standard input, and shows text or JSON", () => {
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [bin, "review", ...args], { input: grant, encoding: "utf8" });
  expect(run("--format", "text")).toMatch(
    /^Access review of access\/prod, tenant tenant\.example\.com\n➕ 1 grant\n/,
  );
  expect(JSON.parse(run("--format", "json"))).toMatchObject({
    version: 1,
    stack: "access/prod",
    fingerprint,
  });
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
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-names-"));
  try {
    const file = join(folder, "names.json");
    writeFileSync(file, JSON.stringify({ rol_1: "support-agent", grp_a: "a|b`c" }));
    const { stdout } = await review([grant], "--names", file);
    expect(stdout).toContain("| **`support-agent`** `rol_1` | ➕&nbsp;gains | **``a\\u007cb`c``** `grp_a` |");
    writeFileSync(file, '["rol_1"]');
    const wrong = await review([grant], "--names", file);
    expect(wrong).toMatchObject({ code: 1, stdout: "" });
    expect(wrong.stderr).toContain("is not a JSON object of names by id");
    const output = join(folder, "review.md");
    expect((await review([grant], "--output", output)).stdout).toBe("");
    expect(readFileSync(output, "utf8")).toContain("➕ 1 grant");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("it links lines on GitHub and on GitLab", async () => {
  const position = { stackTrace: [{ sourcePosition: "project:///src/access.ts#12,3" }] };
  const text = previewText([step({ name: "a", after: groups("grp_a"), state: position })]);
  const link = async (env: Record<string, string>) => {
    const stdout = await new Promise<string>((done, fail) => {
      const child = execFile(process.execPath, [bin, "review"], { env }, (error, out) =>
        error instanceof Error ? fail(error) : done(out),
      );
      child.stdin?.end(text);
    });
    return /\]\((http[^)]*)\)/.exec(stdout)?.[1];
  };
  const github = {
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_REPOSITORY: "example/access",
    GITHUB_SHA: "4f2c1e9",
  };
  expect(await link(github)).toBe("https://github.com/example/access/blob/4f2c1e9/src/access.ts#L12");
  const gitlab = { CI_PROJECT_URL: "https://gitlab.example.com/example/access", CI_COMMIT_SHA: "4f2c1e9" };
  expect(await link(gitlab)).toBe(
    "https://gitlab.example.com/example/access/-/blob/4f2c1e9/src/access.ts#L12",
  );
});

test("it waits for an input that comes piece by piece", async () => {
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((done) => {
    const child = execFile(process.execPath, [bin, "review"], { env: {} }, (error, stdout) =>
      done({ code: error?.code ?? 0, stdout }),
    );
    child.stdin?.write(grant.slice(0, 20));
    setTimeout(() => child.stdin?.end(grant.slice(20)), 1_000);
  });
  expect(code).toBe(0);
  expect(stdout).toContain("➕ 1 grant");
});

/** The packages that a run of the command has loaded. */
async function loadedBy(args: string[], env: Record<string, string> = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-loaded-"));
  try {
    const [listing, loaded, preview] = ["listing.cjs", "loaded.json", "preview.json"].map((file) =>
      join(folder, file),
    );
    const script = `process.on("exit", () =>
      require("node:fs").writeFileSync(${JSON.stringify(loaded)}, JSON.stringify(Object.keys(require.cache))));`;
    writeFileSync(listing ?? "", script);
    writeFileSync(preview ?? "", grant);
    const all = ["--require", listing ?? "", bin, "review", preview ?? "", ...args];
    await new Promise((done) => execFile(process.execPath, all, { env }, done));
    const files = JSON.parse(readFileSync(loaded ?? "", "utf8")) as string[];
    const packages = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
    return [...new Set(packages)].sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("it loads no package but commander, so that it starts at once", async () => {
  expect(await loadedBy([])).toEqual(["commander"]);
});

test("with --read it loads what it takes to ask, and never Pulumi's SDK", async () => {
  const simulator = await startSimulator();
  try {
    const env = {
      IDENTITY_DOMAIN: simulator.url,
      IDENTITY_FORMER_DOMAINS: "tenant.example.com",
      IDENTITY_CLIENT_ID: simulator.clientId,
      IDENTITY_CLIENT_SECRET: simulator.clientSecret,
    };
    expect(await loadedBy(["--read"], env)).toEqual(["commander", "undici"]);
    expect(simulator.requests().map(({ method }) => method)).toEqual(["POST", "GET", "GET"]);
  } finally {
    await simulator.close();
  }
});

test.each([
  ["--sample-user", ""],
  ["--sample-user", ".."],
])("%s '%s' is no id of a user: exit 2", async (...args) => {
  const result = await review([grant], ...args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toContain("It must be an id of 1 to 512 characters");
});

describe("colour", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pulumi-identity-colour-"));
    writeFileSync(join(folder, "preview.json"), previewText([...steps, removal]));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
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
