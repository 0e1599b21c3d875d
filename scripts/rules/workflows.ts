import { deepEqual, ok } from "node:assert/strict";
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

const publish = workflow("publish");
const TAG = '"$GITHUB_REF_NAME"';

rule("publish.yml runs for version tags only, after all checks, and publishes the release last", () => {
  deepEqual(publish.on, { push: { tags: ["v*"] } });
  deepEqual(commands(publish, "check"), [`node .ci/check-release.mjs ${TAG}`, ".ci/run"]);
  deepEqual(
    Object.entries(publish.jobs).map(([name, { needs }]) => [name, needs]),
    [
      ["check", undefined],
      ["archive", "check"],
      ["python", "check"],
      ["draft", ["archive", "python"]],
      ["npm", "draft"],
      ["pypi", "npm"],
      ["release", "pypi"],
    ],
  );
});

rule(
  "publish.yml builds each archive on its platform, and drafts what has been checked and has run there",
  () => {
    const { matrix } = publish.jobs["archive"]?.strategy ?? {};
    deepEqual(
      matrix?.include.map(({ platform }) => platform),
      ["linux", "darwin", "windows"].flatMap((system) => [`${system}-amd64`, `${system}-arm64`]),
    );
    deepEqual(commands(publish, "archive"), [
      "npm ci --ignore-scripts --no-audit --no-fund",
      "npm run plugin",
      `node .ci/check-release.mjs ${TAG} archives "$PLATFORM"`,
      'node scripts/release/try-archive.mjs "archives/pulumi-resource-identity-$GITHUB_REF_NAME-$PLATFORM.tar.gz"',
    ]);
    deepEqual(commands(publish, "draft").slice(1), [
      `node .ci/check-release.mjs ${TAG} archives`,
      `node .ci/publish.mjs draft ${TAG} archives`,
    ]);
    const steps = publish.jobs["draft"]?.steps ?? [];
    const at = (text: string) => steps.findIndex(({ uses, run }) => (uses ?? run)?.includes(text));
    ok(at("check-release") < at("attest-build-provenance"));
    ok(at("attest-build-provenance") < at("publish.mjs draft"));
  },
);

rule(
  "publish.yml publishes by a credential of the run and no other, and gives each job its own rights",
  () => {
    deepEqual(
      Object.values(publish.jobs).map(({ permissions }) => permissions),
      [
        undefined,
        undefined,
        undefined,
        { contents: "write", "id-token": "write", attestations: "write" },
        { contents: "read", "id-token": "write" },
        { "id-token": "write" },
        { contents: "write" },
      ],
    );
    // The environments ask for approval, and the registries trust them by their names.
    deepEqual(
      Object.entries(publish.jobs).flatMap(([name, { environment }]) =>
        environment ? [[name, environment]] : [],
      ),
      [
        ["draft", "release"],
        ["npm", "npm"],
        ["pypi", "pypi"],
        ["release", "release"],
      ],
    );
    deepEqual(commands(publish, "npm"), [
      "npm ci --ignore-scripts --no-audit --no-fund",
      "npm run build",
      `node .ci/publish.mjs npm ${TAG}`,
    ]);
    deepEqual(commands(publish, "release"), [
      `node .ci/publish.mjs go ${TAG}`,
      `node .ci/publish.mjs release ${TAG}`,
    ]);
  },
);

rule("pages.yml publishes the site of main, once it was opened in a browser", () => {
  const { on, jobs } = workflow("pages");
  deepEqual(on["push"], { branches: ["main"] });
  deepEqual(jobs["build"]?.permissions, undefined);
  deepEqual(jobs["build"]?.steps.filter(({ run }) => run === "node tests/docs/site.mjs").length, 1);
  const { needs, permissions } = jobs["deploy"] ?? {};
  deepEqual({ needs, permissions }, { needs: "build", permissions: { pages: "write", "id-token": "write" } });
});

rule("upstream.yml may write issues only in the job that runs none of the newest versions", () => {
  const { on, jobs } = workflow("upstream");
  deepEqual(Object.keys(on), ["schedule", "workflow_dispatch"]);
  deepEqual(
    Object.values(jobs).map(({ permissions }) => permissions),
    [undefined, { contents: "read", issues: "write" }],
  );
  const { steps = [] } = jobs["issue"] ?? {};
  deepEqual(
    steps.flatMap((step) => step.with?.["path"] ?? []),
    ["${{ runner.temp }}/report"],
  );
  deepEqual(commands(workflow("upstream"), "issue"), [
    'node tests/upstream/issue.mjs "$RUNNER_TEMP/report/upstream.md"',
  ]);
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
