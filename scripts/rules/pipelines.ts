import { deepEqual, doesNotMatch, match, ok } from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { read, root, rule } from "./rule";
import { problemsOf } from "./workflow-problems";

/* examples/pipelines: people copy them, so a mistake here is a mistake everywhere. */

const FOLDER = "examples/pipelines";
const NAMES = ["apply", "drift", "expire", "review"];
const text = (name: string) => read(`${FOLDER}/${name}`);

interface Job {
  if?: string;
  environment?: string | { name: string };
  permissions?: Record<string, string>;
  env?: Record<string, string>;
  interruptible?: boolean;
  resource_group?: string;
  script?: string[];
  artifacts?: object;
  steps?: { run?: string; uses?: string; if?: string; with?: object; env?: Record<string, string> }[];
}
interface Workflow {
  concurrency: object;
  jobs: Record<string, Job>;
}
const workflow = (name: string) => parse(text(`github/${name}.yml`)) as Workflow;
const job = (name: string, key = name) => workflow(name).jobs[key] ?? {};
const GITLAB = "gitlab/.gitlab-ci.yml";
const gitlab = parse(text(GITLAB)) as Record<string, Job>;

rule(
  "pipelines follow the rules of our own workflows, save that they use a secret, and a review comments",
  () => {
    deepEqual(
      readdirSync(join(root, FOLDER, "github")).sort(),
      NAMES.map((name) => `${name}.yml`),
    );
    for (const name of NAMES) {
      // It comments, and previews with the passphrase, so it must never run for a fork.
      const writes = name === "review" ? ["review may write, and runs for pull requests."] : [];
      deepEqual(problemsOf(text(`github/${name}.yml`)), [...writes, "It uses a secret."]);
    }
  },
);

rule("a job has the rights that it needs, and no others", () => {
  deepEqual(Object.fromEntries(NAMES.map((name) => [name, job(name).permissions])), {
    apply: { contents: "read", "pull-requests": "write" },
    drift: { contents: "read", issues: "write" },
    expire: { contents: "read" },
    review: { contents: "read", "pull-requests": "write" },
  });
  deepEqual(job("review", "fork").permissions, {});
});

rule("the client that may write is in the protected environment only", () => {
  deepEqual([job("apply").environment, job("expire").environment], ["access-prod", "access-prod-ended"]);
  doesNotMatch(text("github/apply.yml"), /READER/);
  for (const name of ["review", "drift", "expire"]) doesNotMatch(text(`github/${name}.yml`), /WRITER/);
  for (const name of ["review", "drift", "apply"]) doesNotMatch(text(`github/${name}.yml`), /REMOVER/);
  for (const name of ["apply", "expire"]) deepEqual(job(name).env?.["IDENTITY_REQUIRE_REVIEW"], "true");
  const reads = { name: "access-prod-read", action: "access" };
  deepEqual(Object.fromEntries(NAMES.map((name) => [name, gitlab[name]?.environment])), {
    apply: { name: "access-prod" },
    drift: reads,
    expire: { name: "access-prod-ended" },
    review: reads,
  });
});

rule("nothing of a fork runs", () => {
  const [head, ours] = ["github.event.pull_request.head.repo.full_name", "github.repository"];
  deepEqual(job("review").if, `${head} == ${ours}`);
  deepEqual(job("review", "fork").if, `github.event_name == 'pull_request' && ${head} != ${ours}`);
  doesNotMatch(JSON.stringify(job("review", "fork")), /secrets|checkout/);
  ok(JSON.stringify(gitlab["review"]).includes("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID"));
});

rule("an apply is never cancelled, neither while it runs nor by a drift that waits", () => {
  for (const [name, group] of [
    ["apply", "access-prod"],
    ["drift", "access-prod-drift"],
    ["expire", "access-prod-ended"],
  ] as const)
    deepEqual(workflow(name).concurrency, { group, "cancel-in-progress": false });
  for (const name of ["apply", "expire"]) {
    const { resource_group, interruptible } = gitlab[name] ?? {};
    deepEqual({ resource_group, interruptible }, { resource_group: "access-prod", interruptible: false });
  }
});

rule("the CLI that gets the credentials is one release, checked before any of it runs", () => {
  const script = text("shell/install-pulumi.sh");
  match(script, /^version=\$\{PULUMI_VERSION:-\d+\.\d+\.\d+\}$/m);
  const at = (part: RegExp) => script.search(part);
  ok(at(/^curl /m) < at(/sha256sum --check --strict$/m) && at(/sha256sum --check/) < at(/^tar -x/m));
  match(script, /^set -eu$/m);
  const shared = (gitlab as unknown as { default: { before_script: string[] } }).default.before_script;
  deepEqual(shared, [
    'cd "$PROGRAM"',
    "./pipelines/install-pulumi.sh",
    'export PATH="$HOME/.pulumi/bin:$PATH"',
    "npm ci --ignore-scripts",
  ]);
  for (const name of [GITLAB, ...NAMES.map((each) => `github/${each}.yml`)])
    doesNotMatch(text(name), /\|\s*(ba|z|da)?sh\b/);
});

rule("pipelines run the scripts that the tests run", () => {
  for (const name of NAMES) {
    const runs = (job(name).steps ?? []).flatMap(({ run }) => run ?? []);
    const before = ["./pipelines/install-pulumi.sh", "npm ci --ignore-scripts"];
    // What writes gets the signals of a job that is cancelled.
    const how = ["apply", "expire"].includes(name) ? "exec " : "";
    deepEqual(runs, [...before, `${how}./pipelines/${name}.sh`]);
    deepEqual(gitlab[name]?.script, [`./pipelines/${name}.sh`]);
    ok((statSync(join(root, FOLDER, "shell", `${name}.sh`)).mode & 0o111) !== 0, `${name}.sh can't be run.`);
  }
  for (const name of [GITLAB, ...NAMES.map((each) => `github/${each}.yml`)])
    doesNotMatch(text(name), /--event-log|up --json/);
});

rule("pipelines keep a review's page for a week, unless everybody could get it", () => {
  const uploads = NAMES.flatMap((name) =>
    Object.values(workflow(name).jobs)
      .flatMap(({ steps }) => steps ?? [])
      .filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"))
      .map((step) => [name, step.if, step.with]),
  );
  const page = { name: "review", path: "${{ runner.temp }}/review.html" };
  deepEqual(uploads, [
    [
      "review",
      "always() && github.event.repository.private",
      { ...page, "retention-days": 7, "if-no-files-found": "ignore" },
    ],
  ]);
  deepEqual(
    job("review").steps?.find(({ run }) => run === "./pipelines/review.sh")?.env?.["PAGE"],
    "${{ github.event.repository.private && format('{0}/review.html', runner.temp) || '' }}",
  );
  // A review that fails for an approval has findings to show, too.
  const artifacts = {
    when: "always",
    paths: ["$PROGRAM/review.html"],
    expire_in: "7 days",
    access: "developer",
    reports: { codequality: "$PROGRAM/gl-code-quality-report.json" },
  };
  const kept = Object.entries(gitlab).flatMap(([name, each]) =>
    each.artifacts ? [[name, each.artifacts]] : [],
  );
  deepEqual(kept, [["review", artifacts]]);
});

rule("the action uses what is pinned, and puts no input into a command", () => {
  const action = read("action.yml");
  const { inputs, runs } = parse(action) as {
    inputs: object;
    runs: { using: string; steps: { run?: string }[] };
  };
  const uses = [...action.matchAll(/^ +- uses: (.*)$/gm)].map(([, used = ""]) => used);
  deepEqual(uses.length, 1);
  match(uses[0] ?? "", /^actions\/setup-node@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  deepEqual(runs.using, "composite");
  for (const { run = "" } of runs.steps) ok(!run.includes("${{"), run);
  deepEqual(Object.keys(inputs), ["run", "working-directory", "arguments", "rules", "fingerprint", "token"]);
});
