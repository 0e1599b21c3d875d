import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { useFolder } from "../../testkit/folder";

/* The commands of examples/pipelines and of the action. scripts/rules/pipelines.ts has the rules for both. */

const root = resolve(__dirname, "../..");
const work = useFolder();
const folder = join(root, "examples/pipelines");
const parsed = (path: string) => parse(readFileSync(join(root, path), "utf8")) as unknown;

test("on GitLab a job stops without the right checksum of the CLI", () => {
  const { default: shared } = parsed("examples/pipelines/gitlab/.gitlab-ci.yml") as {
    default: { before_script: string[] };
  };
  const check = shared.before_script.find((line) => line.includes("$PULUMI_SHA256")) ?? "";
  for (const [sum, status] of [
    ["", 1],
    ["0".repeat(64), 1],
    [createHash("sha256").update("the release").digest("hex"), 0],
  ] as const) {
    writeFileSync(join(work, "pulumi.tar.gz"), "the release");
    const run = spawnSync("sh", ["-c", check], {
      cwd: work,
      env: { ...process.env, PULUMI_SHA256: sum },
    });
    expect([sum, run.status]).toEqual([sum, status]);
  }
});

test.each([
  ["review.html", undefined, "review --github --annotate --page review.html"],
  ["review.html", "private", "review --github --annotate --page review.html"],
  ["review.html", "public", "review --github --annotate"],
  ["", "private", "review --github --annotate"],
])("with the page %j in a project that is %s, the script runs: %s", (page, visibility, command) => {
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
});

const { runs } = parsed("action.yml") as { runs: { steps: { run?: string }[] } };

test.each([
  ["review", "--fail-on removal,delete", 0, "review --github --annotate --fail-on removal,delete\n"],
  ["drift", "", 0, "review --drift --github --issue Access has drifted\n"],
  ["../evil", "", 1, "::error::run must be review, apply, drift or expire\n"],
])("the action runs %j with %j", (job, words, status, printed) => {
  writeFileSync(join(work, "npx"), '#!/bin/sh\nshift 2\necho "$@"\n', { mode: 0o755 });
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
