import { deepEqual, ok } from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { parse } from "yaml";
import { SUPPORTED } from "../../cli/doctor/program";
import { SETTING_NAMES } from "../../provider/pulumi/settings-table";
import { filesIn, isThere, manifest, read, root, rule } from "./rule";

/* docs/support.md promises what package.json says and what CI runs, and the template takes this release. */

interface Job {
  "runs-on": string;
  strategy: { matrix: Record<string, (string | number)[]> };
  steps: { run?: string }[];
}
const { jobs } = parse(read(".github/workflows/ci.yml")) as {
  jobs: Record<"check" | "portable" | "sdk", Job>;
};
const commands = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);
const own = manifest("package.json");

/** The cells of the table on the page, by the first one of a row. */
const rows = new Map(
  [...read("docs/support.md").matchAll(/^\| ([\w .]+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, what = "", supported = "", run = ""]) => [what, { supported, run }],
  ),
);
const cell = (what: string) => rows.get(what) ?? { supported: "", run: "" };

rule("docs/support.md has the versions of package.json, go.mod, the doctor and CI", () => {
  const sdk = "@pulumi/pulumi";
  const peer = own.peerDependencies[sdk] ?? "";
  const [, cli] = /^require \S+\/pkg\/v3 v(\S+)/m.exec(read("scripts/pulumi-cli/engine/go.mod")) ?? [];
  for (const [what, text] of [
    ["Node.js", own.engines.node],
    ["Pulumi SDK", peer],
    ["Pulumi CLI", SUPPORTED.pulumi],
  ] as const)
    ok(cell(what).supported.includes(`\`${text}\``), `${what}: ${text} isn't on the page.`);
  ok(cell("Pulumi SDK").run.includes(`\`${own.devDependencies?.[sdk]}\``));
  deepEqual(
    [cell("Node.js").run, cell("Pulumi CLI").run],
    [jobs.check.strategy.matrix["node"]?.join(", "), `\`${cli}\``],
  );
  deepEqual(jobs.sdk.strategy.matrix["sdk"], [peer.slice(1), "latest"]);
});

rule("docs/support.md has the systems that CI runs on, and no others", () => {
  const named = [...rows.values()].flatMap(({ run }) => /`(\w+-latest)`/.exec(run)?.[1] ?? []);
  deepEqual(named, [jobs.check["runs-on"], ...(jobs.portable.strategy.matrix["system"] ?? [])]);
  deepEqual([commands(jobs.check), commands(jobs.portable)], [[".ci/run"], ["npm run test:portable"]]);
  ok(own.scripts?.["test:portable"]?.endsWith("--selectProjects unit host"));
});

/** Returns the path patterns that Jest leaves out of the unit tests on a system. */
function leftOutOn(platform: string): RegExp[] {
  const script = `
    Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} });
    const [unit] = require("./tests/jest.config.cjs").projects;
    console.log(JSON.stringify(unit.testPathIgnorePatterns));`;
  const env = { ...process.env, SEARCH: "", TEMP: tmpdir() };
  const patterns = execFileSync(process.execPath, ["-e", script], { cwd: root, env, encoding: "utf8" });
  return (JSON.parse(patterns) as string[]).map((text) => new RegExp(text.replace("<rootDir>/", "^")));
}

rule("Windows leaves out the unit tests that need a POSIX shell, modes of files or signals", () => {
  for (const platform of ["linux", "darwin"]) deepEqual(leftOutOn(platform).length, 1);
  const tests = filesIn(["testkit", "tests"], ".test.ts");
  const leftOut = leftOutOn("win32");
  const moved = leftOut.filter((pattern) => !tests.some((name) => pattern.test(name)));
  const posix = /#!\/bin\/sh|\["sh"|\["cat"|"mkfifo"|chmodSync|"SIGTERM"/;
  const needing = tests
    .filter((name) => !/^tests\/(e2e|faults|host)\//.test(name) && posix.test(read(name)))
    .filter((name) => !leftOut.some((pattern) => pattern.test(name)));
  deepEqual({ moved, needing }, { moved: [], needing: [] });
});

rule("the longest tests that start first are there", () => {
  const names = [...read("tests/longest-first.cjs").matchAll(/^ {2}"(.+)",$/gm)].map(
    ([, name]) => `${name}.ts`,
  );
  deepEqual(
    names.filter((name) => !isThere(name)),
    [],
  );
});

rule("checkouts have the line ends that tests compare with", () =>
  ok(read(".gitattributes").includes("* text=auto eol=lf\n")),
);

rule("the template takes this release, with the Pulumi SDK that it supports", () =>
  deepEqual(manifest("template/package.json").dependencies, {
    ...own.peerDependencies,
    // Once it is published: `^${version}`. Until then, `pulumi new` installs what lies in the new folder.
    "pulumi-identity": `file:pulumi-identity-${own.version}.tgz`,
  }),
);

rule("the template asks for settings that there are, and takes the secret as one", () => {
  const { template } = parse(read("template/Pulumi.yaml")) as {
    template: { config: Record<string, { secret?: boolean }> };
  };
  const asked = ["domain", "clientId", "clientSecret"] as const;
  deepEqual(
    Object.keys(template.config),
    asked.map((name) => `identity:${name}`),
  );
  ok(asked.every((name) => SETTING_NAMES.includes(name)));
  deepEqual(template.config["identity:clientSecret"]?.secret, true);
});
