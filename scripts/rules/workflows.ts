import { deepEqual } from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { manifest, read, root, rule } from "./rule";
import { problemsOf, type Workflow } from "./workflow-problems";

/* SECURITY.md, "A hostile pull request". */

const FOLDER = ".github/workflows";
const workflow = (name: string) => parse(read(`${FOLDER}/${name}.yml`)) as Workflow;
const commands = (of: Workflow, job: string) => of.jobs[job]?.steps.flatMap(({ run }) => run ?? []) ?? [];

for (const name of readdirSync(join(root, FOLDER)))
  rule(`${FOLDER}/${name}`, () => deepEqual(problemsOf(read(`${FOLDER}/${name}`)), []));

rule("publish.yml runs for version tags only, after all checks", () => {
  const publish = workflow("publish");
  deepEqual(publish.on, { push: { tags: ["v*"] } });
  deepEqual(publish.jobs["publish"]?.needs, "check");
  deepEqual(commands(publish, "check"), ['node .ci/check-release.mjs "$GITHUB_REF_NAME"', ".ci/run"]);
});

rule("publish.yml publishes with provenance, by a credential of the run and no other", () => {
  const publish = workflow("publish");
  deepEqual(publish.jobs["publish"]?.permissions, { contents: "read", "id-token": "write" });
  deepEqual(publish.jobs["check"]?.permissions, undefined);
  const command = "npm publish --ignore-scripts --provenance --access public";
  deepEqual(
    commands(publish, "publish").filter((run) => run.includes("publish")),
    [`${command} --workspace pulumi-identity-simulator`, command],
  );
});

rule("pages.yml publishes the site of main, once it was opened in a browser", () => {
  const { on, jobs } = workflow("pages");
  deepEqual(on["push"], { branches: ["main"] });
  deepEqual(jobs["build"]?.permissions, undefined);
  deepEqual(jobs["build"]?.steps.filter(({ run }) => run === "node tests/docs/site.mjs").length, 1);
  const { needs, permissions } = jobs["deploy"] ?? {};
  deepEqual({ needs, permissions }, { needs: "build", permissions: { pages: "write", "id-token": "write" } });
});

rule("a manifest names the repository, which npm compares with the provenance", () => {
  const repository = {
    type: "git",
    url: "git+https://github.com/pulumi-identity/pulumi-identity.git",
  };
  deepEqual(manifest("package.json").repository, repository);
  deepEqual(manifest("simulator/package.json").repository, { ...repository, directory: "simulator" });
});

rule("Dependabot proposes new versions of packages and of actions", () => {
  const { updates } = parse(read(".github/dependabot.yml")) as {
    updates: { "package-ecosystem": string; groups?: object }[];
  };
  deepEqual(
    updates.map((update) => [update["package-ecosystem"], update.groups !== undefined]),
    [
      ["npm", true],
      ["github-actions", true],
    ],
  );
});
