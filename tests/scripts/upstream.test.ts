import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

/* `npm run upstream` and its issue, with scripts of this test's own. */

const root = resolve(__dirname, "../..");
const clone = useFolder();
const folder = join(clone, "tests/upstream");
const script = (says: string, text: string) =>
  `#!/usr/bin/env bash\n# ${says}\n. "\${BASH_SOURCE[0]%/*}/set-up.sh"\n${text}\n`;
const SCRIPTS = {
  same: script("a.ts: works round it. If it's mended, that can go.", 'echo "$PULUMI_BACKEND_URL" >&2'),
  other: script(
    "b.ts: guards it. If it's mended, the guard can go.",
    "echo '```new```' | diff <(echo old) -",
  ),
  away: script("c.ts: waits. If it's mended, that can go.", "installed false"),
};

beforeEach(() => {
  mkdirSync(folder, { recursive: true });
  for (const path of ["scripts/process.mjs", "scripts/pulumi-cli"])
    cpSync(join(root, path), join(clone, path), { recursive: true });
  for (const name of ["index.mjs", "issue.mjs", "set-up.sh"])
    cpSync(join(root, "tests/upstream", name), join(folder, name));
  for (const [name, text] of Object.entries(SCRIPTS)) writeFileSync(join(folder, `${name}.sh`), text);
  const version = /^require \S+\/pkg\/v3 v(\S+)/m.exec(
    readFileSync(join(root, "scripts/pulumi-cli/engine/go.mod"), "utf8"),
  )?.[1];
  const bin = join(clone, "versions", version ?? "", "bin");
  mkdirSync(bin, { recursive: true });
  for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-language-yaml"])
    command(join(bin, name), "#!/bin/sh\n");
});

function command(file: string, text: string): void {
  writeFileSync(file, text);
  chmodSync(file, 0o755);
}

function run(file: string, args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, file), ...args], {
    cwd: clone,
    encoding: "utf8",
    env: { ...process.env, PULUMI_HOME: clone, ...env },
  });
  return { status, stdout: stdout.replace(/ \(\d+ s\)$/gm, ""), stderr };
}

test("a script whose tool is unchanged passes, in a folder of its own", () => {
  const { status, stdout } = run("index.mjs", ["same"]);
  expect([status, stdout]).toEqual([0, "same: unchanged\n1 unchanged, 0 changed, 0 not tried\n"]);
});

test("the others fail the run: one with what can go, one that couldn't be tried", () => {
  const { status, stdout } = run("index.mjs", ["--report", "report.md"]);
  expect(status).toBe(1);
  expect(stdout).toContain(
    "other: changed: b.ts: guards it. If it's mended, the guard can go.\n    1c1\n    < old\n",
  );
  expect(stdout).toContain("away: not tried\n    false failed:\n");
  expect(stdout).toMatch(/\n1 unchanged, 1 changed, 1 not tried\n$/);
  expect(readFileSync(join(clone, "report.md"), "utf8")).toBe(
    "**other has changed:** b.ts: guards it. If it's mended, the guard can go.\n\n" +
      "````\n1c1\n< old\n---\n> ```new```\n````\n",
  );
});

test("a tool that hangs has changed, since its script always had a result", () => {
  writeFileSync(join(folder, "hangs.sh"), script("d.ts: waits. If it's mended, that can go.", "sleep 60"));
  const index = join(folder, "index.mjs");
  writeFileSync(index, readFileSync(index, "utf8").replace("script: 900", "script: 1"));
  const { status, stdout } = run("index.mjs", ["--report", "report.md", "hangs"]);
  expect([status, stdout]).toEqual([
    1,
    "hangs: changed: d.ts: waits. If it's mended, that can go.\n    The script gave no result within 1 s.\n0 unchanged, 1 changed, 0 not tried\n",
  ]);
  expect(readFileSync(join(clone, "report.md"), "utf8")).toContain("gave no result within 1 s");
});

test("a name that isn't there is refused, and --list says what rests on each", () => {
  expect(run("index.mjs", ["same", "gone"])).toMatchObject({
    status: 1,
    stderr: "tests/upstream has no gone. Its scripts: npm run upstream -- --list\n",
  });
  expect(run("index.mjs", ["--list", "same"]).stdout).toBe(
    "same: a.ts: works round it. If it's mended, that can go.\n",
  );
});

describe("the issue", () => {
  const TITLE = "A tool no longer behaves as we expect";

  /** Returns the commands that `gh` got, each with its input; `issues`: what it lists. */
  function told(report: string, issues: object[]): string[] {
    writeFileSync(join(clone, "report.md"), report);
    const { status, stderr, log } = issue("report.md", issues);
    expect([status, stderr]).toEqual([0, ""]);
    return log;
  }

  function issue(file: string, issues: object[]) {
    mkdirSync(join(clone, "bin"), { recursive: true });
    command(
      join(clone, "bin/gh"),
      `#!${process.execPath}
const args = process.argv.slice(2).join(" ");
if (args.startsWith("issue list")) console.log(${JSON.stringify(JSON.stringify(issues))});
else require("node:fs").appendFileSync("log", args + "\\n" + require("node:fs").readFileSync(0, "utf8"));
`,
    );
    const PATH = [join(clone, "bin"), process.env["PATH"]].join(delimiter);
    const { status, stderr } = run("issue.mjs", [file], { PATH });
    const log = join(clone, "log");
    return { status, stderr, log: existsSync(log) ? readFileSync(log, "utf8").split("\n") : [] };
  }

  test("is opened with the report", () => {
    const [first, ...body] = told("**other has changed:** …\n", [{ number: 4, title: "Another" }]);
    expect(first).toBe(`issue create --title ${TITLE} --body-file -`);
    expect(body.at(-1)).toBe("**other has changed:** …");
  });

  test("gets the new report where it's open", () => {
    expect(told("**other has changed:** …\n", [{ number: 7, title: TITLE }])[0]).toBe(
      "issue edit 7 --body-file -",
    );
  });

  test("isn't touched if nothing has changed, or without a report", () => {
    expect(told("", [{ number: 7, title: TITLE }])).toEqual([]);
    expect(issue("none.md", [])).toEqual({ status: 0, stderr: "", log: [] });
  });

  test.each<[string, (file: string) => void]>([
    ["a folder", (file) => mkdirSync(file)],
    ["a link to another file", (file) => symlinkSync("package.json", file)],
    ["a link to nothing", (file) => symlinkSync("gone", file)],
  ])("isn't opened for a report that is %s", (_, make) => {
    make(join(clone, "odd.md"));
    const { status, stderr, log } = issue("odd.md", []);
    expect([status, log]).toEqual([1, []]);
    expect(stderr).toContain("odd.md isn't a plain file");
  });
});
