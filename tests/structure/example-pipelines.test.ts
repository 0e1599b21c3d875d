import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { problemsOf } from "./workflow-rules";

/* examples/pipelines: people copy them, so a mistake here is a mistake everywhere. */

const folder = resolve(__dirname, "../../examples/pipelines");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Job {
  if?: string;
  environment?: string | { name: string };
  permissions?: Record<string, string>;
  concurrency?: unknown;
  env?: Record<string, string>;
  interruptible?: boolean;
  resource_group?: string;
  script?: string[];
  artifacts?: object;
  steps?: { run?: string; uses?: string; if?: string; with?: object; env?: Record<string, string> }[];
}
interface Workflow {
  concurrency: { group: string; "cancel-in-progress": boolean };
  jobs: Record<string, Job>;
}
const workflow = (name: string) => parse(read(`github/${name}.yml`)) as Workflow;
const job = (name: string, key = name) => workflow(name).jobs[key] ?? {};
const gitlab = parse(read("gitlab/.gitlab-ci.yml")) as Record<string, Job>;

test.each([
  // It comments, and previews with the passphrase, so it must never run for a fork.
  ["review", ["review may write, and runs for pull requests.", "It uses a secret."]],
  ["apply", ["It uses a secret."]],
  ["drift", ["It uses a secret."]],
  ["expire", ["It uses a secret."]],
])("%s.yml follows the rules of our own workflows, but for %j", (name, exceptions) => {
  expect(problemsOf(read(`github/${name}.yml`))).toEqual(exceptions);
});

test("there is no other workflow", () => {
  expect(readdirSync(join(folder, "github")).sort()).toEqual([
    "apply.yml",
    "drift.yml",
    "expire.yml",
    "review.yml",
  ]);
});

test("a job has the rights that it needs, and no others", () => {
  expect(job("review").permissions).toEqual({ contents: "read", "pull-requests": "write" });
  expect(job("apply").permissions).toEqual({ contents: "read", "pull-requests": "read" });
  expect(job("drift").permissions).toEqual({ contents: "read", issues: "write" });
  expect(job("expire").permissions).toEqual({ contents: "read" });
  expect(job("review", "fork").permissions).toEqual({});
});

test("the client that may write is in the protected environment only", () => {
  expect(job("apply").environment).toBe("access-prod");
  expect(read("github/apply.yml")).not.toContain("READER");
  for (const name of ["review", "drift", "expire"])
    expect(read(`github/${name}.yml`)).not.toContain("WRITER");
  for (const name of ["review", "drift", "apply"])
    expect(read(`github/${name}.yml`)).not.toContain("REMOVER");
  expect(job("expire").environment).toBe("access-prod-ended");
  expect(gitlab["expire"]?.environment).toEqual({ name: "access-prod-ended" });
  for (const name of ["apply", "expire"]) expect(job(name).env?.["IDENTITY_REQUIRE_REVIEW"]).toBe("true");
  expect(gitlab["apply"]?.environment).toEqual({ name: "access-prod" });
  for (const name of ["review", "drift"])
    expect(gitlab[name]?.environment).toEqual({ name: "access-prod-read", action: "access" });
});

test("nothing of a fork runs", () => {
  expect(job("review").if).toBe("github.event.pull_request.head.repo.full_name == github.repository");
  expect(job("review", "fork").if).toBe(
    "github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name != github.repository",
  );
  expect(JSON.stringify(job("review", "fork"))).not.toMatch(/secrets|checkout/);
  expect(JSON.stringify(gitlab["review"])).toContain("$CI_MERGE_REQUEST_SOURCE_PROJECT_ID == $CI_PROJECT_ID");
});

test("an apply is never cancelled, neither while it runs nor by a drift that waits", () => {
  expect(workflow("apply").concurrency).toEqual({ group: "access-prod", "cancel-in-progress": false });
  expect(workflow("drift").concurrency).toEqual({ group: "access-prod-drift", "cancel-in-progress": false });
  expect(workflow("expire").concurrency).toEqual({ group: "access-prod-ended", "cancel-in-progress": false });
  expect(gitlab["expire"]).toMatchObject({ resource_group: "access-prod", interruptible: false });
  expect(gitlab["apply"]).toMatchObject({ resource_group: "access-prod", interruptible: false });
});

test("on GitLab the CLI that gets the credentials is one release, checked before any of it runs", () => {
  const { default: shared, variables } = gitlab as unknown as {
    default: { before_script: string[] };
    variables: Record<string, string>;
  };
  const script = shared.before_script;
  const at = (part: string) => script.findIndex((line) => line.includes(part));
  expect(read("gitlab/.gitlab-ci.yml")).not.toMatch(/\|\s*(ba|z|da)?sh\b/);
  expect(variables["PULUMI_VERSION"]).toMatch(/^\d+\.\d+\.\d+$/);
  expect(at("$PULUMI_SHA256")).toBeGreaterThan(at("curl "));
  expect(at("$PULUMI_SHA256")).toBeLessThan(at("tar -x"));
  expect(script[at("$PULUMI_SHA256")]).toMatch(/\| sha256sum --check --strict$/);

  // Without the right checksum, the job stops.
  for (const [sum, status] of [
    ["", 1],
    ["0".repeat(64), 1],
    [createHash("sha256").update("the release").digest("hex"), 0],
  ] as const) {
    const work = mkdtempSync(join(tmpdir(), "identity-checksum-"));
    writeFileSync(join(work, "pulumi.tar.gz"), "the release");
    const run = spawnSync("sh", ["-c", script[at("$PULUMI_SHA256")] as string], {
      cwd: work,
      env: { ...process.env, PULUMI_SHA256: sum },
    });
    expect([sum, run.status]).toEqual([sum, status]);
    rmSync(work, { recursive: true });
  }
});

test("they run the scripts that the tests run, and keep a review's page for a week, unless everybody could get it", () => {
  for (const name of ["review", "apply", "drift", "expire"]) {
    const runs = (job(name).steps ?? []).flatMap(({ run }) => run ?? []);
    expect(runs).toEqual(["npm ci --ignore-scripts", `./pipelines/${name}.sh`]);
    expect(gitlab[name]?.script).toEqual([`./pipelines/${name}.sh`]);
    const script = join(folder, "shell", `${name}.sh`);
    expect(existsSync(script) && (statSync(script).mode & 0o111) !== 0).toBe(true);
  }
  for (const name of [
    "github/review.yml",
    "github/apply.yml",
    "github/drift.yml",
    "github/expire.yml",
    "gitlab/.gitlab-ci.yml",
  ])
    expect(read(name)).not.toMatch(/--event-log|up --json/);
  const uploads = ["review", "apply", "drift", "expire"].flatMap((name) =>
    Object.values(workflow(name).jobs)
      .flatMap(({ steps }) => steps ?? [])
      .filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"))
      .map((step) => [name, step.if, step.with]),
  );
  expect(uploads).toEqual([
    [
      "review",
      "always() && github.event.repository.private",
      {
        name: "review",
        path: "${{ runner.temp }}/review.html",
        "retention-days": 7,
        "if-no-files-found": "ignore",
      },
    ],
  ]);
  const env = job("review").steps?.find(({ run }) => run === "./pipelines/review.sh")?.env;
  expect(env?.["PAGE"]).toBe(
    "${{ github.event.repository.private && format('{0}/review.html', runner.temp) || '' }}",
  );
  expect(
    Object.entries(gitlab).flatMap(([name, { artifacts }]) => (artifacts ? [[name, artifacts]] : [])),
  ).toEqual([
    // A review that fails for an approval has findings to show, too.
    [
      "review",
      {
        when: "always",
        paths: ["$PROGRAM/review.html"],
        expire_in: "7 days",
        access: "developer",
        reports: { codequality: "$PROGRAM/gl-code-quality-report.json" },
      },
    ],
  ]);
});

test.each([
  ["review.html", undefined, "review --github --annotate --page review.html"],
  ["review.html", "private", "review --github --annotate --page review.html"],
  ["review.html", "public", "review --github --annotate"],
  ["", "private", "review --github --annotate"],
])("with the page %j in a project that is %s, the script runs: %s", (page, visibility, command) => {
  const work = mkdtempSync(join(tmpdir(), "identity-page-"));
  try {
    writeFileSync(join(work, "npx"), '#!/bin/sh\nshift 2\necho "$@"\n', { mode: 0o755 });
    const { stdout } = spawnSync("sh", [join(folder, "shell/review.sh")], {
      cwd: work,
      encoding: "utf8",
      env: {
        PATH: `${work}:${process.env["PATH"]}`,
        CODE_HOST: "github",
        PAGE: page,
        ...(visibility !== undefined && { CI_PROJECT_VISIBILITY: visibility }),
      },
    });
    expect(stdout.trim()).toBe(command);
  } finally {
    rmSync(work, { recursive: true });
  }
});

describe("the action", () => {
  const text = readFileSync(resolve(folder, "../../action.yml"), "utf8");
  const { inputs, runs } = parse(text) as {
    inputs: Record<string, { default: string }>;
    runs: { using: string; steps: { run?: string; env?: Record<string, string> }[] };
  };

  test("uses what is pinned, and puts no input into a command", () => {
    const uses = [...text.matchAll(/^ +- uses: (.*)$/gm)].map(([, used]) => used);
    expect(uses).toEqual([expect.stringMatching(/^actions\/setup-node@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)]);
    expect(runs.using).toBe("composite");
    for (const { run = "" } of runs.steps) expect(run).not.toContain("${{");
    expect(Object.keys(inputs)).toEqual([
      "run",
      "working-directory",
      "arguments",
      "rules",
      "fingerprint",
      "token",
    ]);
  });

  test.each([
    ["review", "--fail-on removal,delete", 0, "review --github --annotate --fail-on removal,delete\n"],
    ["drift", "", 0, "review --drift --github --issue Access has drifted\n"],
    ["../evil", "", 1, "::error::run must be review, apply, drift or expire\n"],
  ])("runs %j with %j", (job, words, status, printed) => {
    const work = mkdtempSync(join(tmpdir(), "identity-action-"));
    writeFileSync(join(work, "npx"), '#!/bin/sh\nshift 2\necho "$@"\n', { mode: 0o755 });
    const result = spawnSync("bash", ["-c", runs.steps.at(-1)?.run ?? ""], {
      cwd: work,
      encoding: "utf8",
      env: {
        PATH: `${work}:${process.env["PATH"]}`,
        GITHUB_ACTION_PATH: resolve(folder, "../.."),
        RUN: job,
        ARGUMENTS: words,
        CODE_HOST: "github",
      },
    });
    rmSync(work, { recursive: true });
    expect([result.status, result.stdout]).toEqual([status, printed]);
  });
});
