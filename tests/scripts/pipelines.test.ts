import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { useFolder } from "../../testkit/folder";

/* The commands of examples/pipelines and of the action. scripts/rules/pipelines.ts has the rules for both. */

const root = resolve(__dirname, "../..");
const work = useFolder();
const folder = join(root, "examples/pipelines");
const parsed = (path: string) => parse(readFileSync(join(root, path), "utf8")) as unknown;

/** Writes a command of this name, in `sh`, which hides the real one. */
function command(name: string, script: string): void {
  writeFileSync(join(work, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

function runScript(name: string, env: Record<string, string>) {
  return spawnSync("sh", [join(folder, "shell", name)], {
    cwd: work,
    encoding: "utf8",
    env: { PATH: `${work}:${process.env["PATH"]}`, HOME: work, CODE_HOST: "github", ...env },
  });
}

test("a job stops without the right checksum of the CLI, before any of it is there", () => {
  const made = spawnSync(
    "sh",
    ["-c", "mkdir pulumi && echo 'the release' > pulumi/pulumi && tar -czf r.tar.gz pulumi"],
    { cwd: work },
  );
  expect(made.status).toBe(0);
  command("curl", `cp ${work}/r.tar.gz "$2"; echo "$3" > ${work}/asked`);
  const sha256 = createHash("sha256")
    .update(readFileSync(join(work, "r.tar.gz")))
    .digest("hex");
  const installed = join(work, ".pulumi/bin/pulumi");
  const GITHUB_PATH = join(work, "path");
  for (const [sum, status] of [
    ["", 1],
    ["0".repeat(64), 1],
    [sha256, 0],
  ] as const) {
    const run = runScript("install-pulumi.sh", { PULUMI_SHA256: sum, GITHUB_PATH });
    expect([sum, run.status, existsSync(installed)]).toEqual([sum, status, status === 0]);
    if (sum === "")
      expect(run.stderr).toMatch(/^Put the checksum of pulumi-v\S+ into pipelines\/install-pulumi\.sh/);
  }
  expect(readFileSync(join(work, "asked"), "utf8")).toMatch(
    /^https:\/\/get\.pulumi\.com\/releases\/sdk\/pulumi-v[\d.]+-linux-x64\.tar\.gz\n$/,
  );
  expect(readFileSync(GITHUB_PATH, "utf8")).toBe(`${join(work, ".pulumi/bin")}\n`);
});

test.each([
  ["applied", 0, 0, 0, 0],
  ["failed", 0, 255, 0, 255],
  ["refused", 5, 0, 0, 5],
  ["applied", 0, 0, 6, 0],
])("a run that is %s (review %d, pulumi %d) says so, whatever that ends with (%d)", (outcome, ...codes) => {
  const [review, up, saying, code] = codes;
  command(
    "npx",
    `shift 2; echo "$@"
    case "$*" in *--outcome*) exit ${saying} ;; esac
    for word in "$@"; do case "$last" in --json) echo '{}' > "$word" ;; esac; last=$word; done
    exit ${review}`,
  );
  command("pulumi", `echo "pulumi $1"; exit ${up}`);
  const { status, stdout, stderr } = runScript("apply.sh", {});
  expect(status).toBe(code);
  const lines = stdout.trim().split("\n");
  expect(lines[0]).toMatch(/^review --github --expect-reviewed --json \S+ -- --save-plan \S+$/);
  expect(lines.slice(1, -1)).toEqual(outcome === "refused" ? [] : ["pulumi up"]);
  expect(lines.at(-1)).toBe(`review --github --outcome ${outcome}`);
  expect(stderr.includes("may not say how this ended")).toBe(saying !== 0);
});

test("a job that is cancelled passes one signal on to Pulumi, and waits for it", async () => {
  command(
    "npx",
    'for word in "$@"; do case "$last" in --json) echo "{}" > "$word" ;; esac; last=$word; done; echo "$@"',
  );
  // Like Pulumi: the first signal lets it finish, and a second one would end it.
  command(
    "pulumi",
    "trap 'signals=x$signals' TERM INT; echo started; sleep 1 & wait; sleep 1 & wait; echo finished after $signals; exit 255",
  );
  const { PATH } = process.env;
  const job = spawn("bash", ["-ec", `exec ${join(folder, "shell/apply.sh")}`], {
    cwd: work,
    env: { PATH: `${work}:${PATH}`, HOME: work, CODE_HOST: "github" },
  });
  let stdout = "";
  job.stdout.on("data", (text: Buffer) => {
    if (!stdout.includes("started") && text.includes("started")) {
      job.kill("SIGINT");
      setTimeout(() => job.kill("SIGTERM"), 300);
    }
    stdout += text.toString();
  });
  const [code] = (await once(job, "close")) as [number];
  expect([code, stdout.trim().split("\n").slice(1)]).toEqual([
    255,
    ["started", "finished after x", expect.stringContaining("--outcome failed")],
  ]);
});

test.each([
  [{}, 0, ["review"]],
  [{ STACKS_OF_TENANT: "" }, 0, ["review"]],
  [
    { STACKS_OF_TENANT: "prod dev" },
    3,
    ["review", "access --no-direct --fail-on unmanaged --stack prod --stack dev"],
  ],
])("the job for drift with %j ends with %d if a grant was made by hand", (env, code, commands) => {
  command("npx", 'shift 2; echo "$@"; case "$1" in access) exit 3 ;; esac');
  const { status, stdout } = runScript("drift.sh", env);
  expect(status).toBe(code);
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.replace(/^(review) .*/, "$1")),
  ).toEqual(commands);
});

const REVIEW = "review --github --annotate";
const JUDGED = `${REVIEW} --rules rules.yaml --fail-on rules`;
const RULES = { RULES: "rules.yaml" };
const page = (visibility: string) => ({ PAGE: "review.html", CI_PROJECT_VISIBILITY: visibility });

test.each<[what: string, env: object, cases: number, review: number, code: number, run: string]>([
  ["a page", { PAGE: "review.html" }, 0, 0, 0, `${REVIEW} --page review.html`],
  ["a page of a private project", page("private"), 0, 0, 0, `${REVIEW} --page review.html`],
  ["a page of a public project", page("public"), 0, 0, 0, REVIEW],
  ["no page", { ...page("private"), PAGE: "" }, 0, 0, 0, REVIEW],
  // The review runs whatever the cases of the rules say.
  ["rules", RULES, 0, 0, 0, `rules rules.yaml\n${JUDGED}`],
  ["rules of which a case fails", RULES, 3, 0, 3, `rules rules.yaml\n${JUDGED}`],
  ["rules, waiting for an approval", RULES, 0, 3, 3, `rules rules.yaml\n${JUDGED}`],
  ["rules, a failed case and a failed preview", RULES, 3, 4, 4, `rules rules.yaml\n${JUDGED}`],
  // Those of the branch still judge.
  ["rules that are removed", { RULES: "gone.yaml" }, 0, 0, 0, `${REVIEW} --rules gone.yaml --fail-on rules`],
])("a review with %s", (_, env, cases, review, code, run) => {
  writeFileSync(join(work, "rules.yaml"), "");
  command("npx", `shift 2; echo "$@"; case "$1" in rules) exit ${cases} ;; esac; exit ${review}`);
  const { status, stdout } = runScript("review.sh", env as Record<string, string>);
  expect([status, stdout]).toEqual([code, `${run}\n`]);
});

const { runs } = parsed("action.yml") as { runs: { steps: { run?: string }[] } };

test.each([
  ["review", "--fail-on removal,delete", 0, "review --github --annotate --fail-on removal,delete\n"],
  ["drift", "", 0, "review --drift --github --issue Access needs attention --ends-within 14d\n"],
  ["../evil", "", 1, "::error::run must be review, apply, drift or expire\n"],
])("the action runs %j with %j", (job, words, status, printed) => {
  command("npx", 'shift 2; echo "$@"');
  const result = spawnSync("bash", ["-c", runs.steps.at(-1)?.run ?? ""], {
    cwd: work,
    encoding: "utf8",
    env: {
      PATH: `${work}:${process.env["PATH"]}`,
      GITHUB_ACTION_PATH: root,
      RUN: job,
      ARGUMENTS: words,
      CODE_HOST: "github",
    },
  });
  expect([result.status, result.stdout]).toEqual([status, printed]);
});
