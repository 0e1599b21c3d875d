import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { problemsOf, type Workflow } from "./workflow-rules";

/* SECURITY.md, "A hostile pull request". */

const root = resolve(__dirname, "../..");
const folder = join(root, ".github/workflows");

const workflows = readdirSync(folder).map((name): [name: string, text: string] => [
  name,
  readFileSync(join(folder, name), "utf8"),
]);

test.each(workflows)("%s follows the rules", (_name, text) => expect(problemsOf(text)).toEqual([]));

const [, ci = ""] = workflows.find(([name]) => name === "ci.yml") ?? [];

test.each<[what: string, from: string | RegExp, to: string, problem: RegExp]>([
  ["a tag instead of a digest", /actions\/checkout@\w+ # v6.0.2/, "actions/checkout@v6", /^No digest/],
  ["a digest alone", / # v6.0.2/, "", /no version beside it/],
  ["pull_request_target", "pull_request:", "pull_request_target:", /strangers/],
  ["no permissions", "permissions:\n  contents: read\n", "", /read-only/],
  ["write permissions", "contents: read", "contents: write", /read-only/],
  [
    "a job that may write",
    "    timeout-minutes",
    "    permissions: write-all\n    timeout-minutes",
    /may write/,
  ],
  [
    "a title in a command",
    "run: .ci/run",
    "run: echo ${{ github.event.pull_request.title }}",
    /into a command/,
  ],
  ["a secret", "persist-credentials: false", "token: ${{ secrets.TOKEN }}", /secret/],
])("%s is found", (_what, from, to, problem) => {
  const changed = ci.replace(from, to);
  expect(changed).not.toBe(ci);
  expect(problemsOf(changed)).toContainEqual(expect.stringMatching(problem));
});

describe("publish.yml", () => {
  const { on, jobs } = parse(readFileSync(join(folder, "publish.yml"), "utf8")) as Workflow;

  test("runs for version tags only, after all checks", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(jobs["publish"]).toMatchObject({ needs: "check" });
    expect(jobs["check"]?.steps.map(({ run }) => run).filter((run) => run !== undefined)).toEqual([
      'node .ci/check-release.mjs "$GITHUB_REF_NAME"',
      ".ci/run",
    ]);
  });

  test("publishes with provenance, by a credential of the run and no other", () => {
    expect(jobs["publish"]?.permissions).toEqual({ contents: "read", "id-token": "write" });
    expect(jobs["check"]?.permissions).toBeUndefined();
    const publish = "npm publish --ignore-scripts --provenance --access public";
    expect(jobs["publish"]?.steps.map(({ run }) => run).filter((run) => run?.includes("publish"))).toEqual([
      `${publish} --workspace pulumi-identity-simulator`,
      publish,
    ]);
  });
});

test("pages.yml publishes the site of main, once it was opened in a browser", () => {
  const { on, jobs } = parse(readFileSync(join(folder, "pages.yml"), "utf8")) as Workflow;
  expect(on["push"]).toEqual({ branches: ["main"] });
  expect(jobs["build"]?.permissions).toBeUndefined();
  expect(jobs["build"]?.steps.map(({ run }) => run)).toContain("node tests/docs/site.mjs");
  expect(jobs["deploy"]).toMatchObject({
    needs: "build",
    permissions: { pages: "write", "id-token": "write" },
  });
});

test.each([
  ["package.json", {}],
  ["simulator/package.json", { directory: "simulator" }],
])("%s names the repository, which npm compares with the provenance", (file, directory) => {
  const { repository } = JSON.parse(readFileSync(join(root, file), "utf8")) as { repository: unknown };
  expect(repository).toEqual({
    type: "git",
    url: "git+https://github.com/pulumi-identity/pulumi-identity.git",
    ...directory,
  });
});

test("Dependabot proposes new versions of packages and of actions", () => {
  const { updates } = parse(readFileSync(join(root, ".github/dependabot.yml"), "utf8")) as {
    updates: { "package-ecosystem": string; groups?: object }[];
  };
  expect(updates.map((update) => [update["package-ecosystem"], update.groups !== undefined])).toEqual([
    ["npm", true],
    ["github-actions", true],
  ]);
});

describe("a release is checked", () => {
  let sources: string;
  beforeEach(() => {
    sources = mkdtempSync(join(tmpdir(), "pulumi-identity-release-"));
    mkdirSync(join(sources, "tests/upgrade/1.2.3"), { recursive: true });
    mkdirSync(join(sources, "simulator"));
    mkdirSync(join(sources, ".ci"));
    cpSync(join(root, ".ci/check-release.mjs"), join(sources, ".ci/check-release.mjs"));
    for (const folder of [".", "simulator"])
      writeFileSync(join(sources, folder, "package.json"), JSON.stringify({ version: "1.2.3" }));
    writeFileSync(join(sources, "CHANGELOG.md"), "# Changelog\n\n## [1.2.3]\n");
  });
  afterEach(() => rmSync(sources, { recursive: true }));

  function check(tag: string): { status: number | null; stderr: string } {
    const { status, stderr } = spawnSync(process.execPath, [join(sources, ".ci/check-release.mjs"), tag], {
      encoding: "utf8",
    });
    return { status, stderr };
  }

  test("and passes with its tag, changelog and fixtures", () => {
    expect(check("v1.2.3")).toEqual({ status: 0, stderr: "" });
  });

  test.each(["1.2.3", "v1.2.4", "v1.2.3-rc", ""])("against the tag %j", (tag) => {
    expect(check(tag)).toEqual({
      status: 1,
      stderr: `The tag ${JSON.stringify(tag)} is not v1.2.3, the version in package.json.\n`,
    });
  });

  test("against the version of the simulator", () => {
    writeFileSync(join(sources, "simulator/package.json"), JSON.stringify({ version: "1.2.2" }));
    expect(check("v1.2.3")).toEqual({
      status: 1,
      stderr: "simulator/package.json has the version 1.2.2, and package.json 1.2.3.\n",
    });
  });

  test("against the changelog", () => {
    writeFileSync(join(sources, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n");
    expect(check("v1.2.3")).toEqual({ status: 1, stderr: 'CHANGELOG.md has no section "## [1.2.3]".\n' });
  });

  test("against the fixtures of upgrades", () => {
    rmSync(join(sources, "tests/upgrade"), { recursive: true });
    expect(check("v1.2.3").stderr).toContain("node --import tsx tests/upgrade/write.ts 1.2.3");
  });
});
