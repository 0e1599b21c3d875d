import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { SUPPORTED } from "../../cli/doctor/program";

/* docs/support.md must promise what package.json says and what CI runs. */

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

interface Manifest {
  engines: { node: string };
  scripts: Record<string, string>;
  peerDependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}
interface Job {
  "runs-on": string;
  strategy: { matrix: Record<string, (string | number)[]> };
  steps: { run?: string }[];
}
const manifest = JSON.parse(read("package.json")) as Manifest;
const { jobs } = parse(read(".github/workflows/ci.yml")) as {
  jobs: Record<"check" | "portable" | "sdk", Job>;
};
const commands = ({ steps }: Job) => steps.flatMap(({ run }) => run ?? []);

/** The cells of the table on the page, by the first one of a row. */
const rows = new Map(
  [...read("docs/support.md").matchAll(/^\| ([\w .]+?) +\| (.+?) +\| (.+?) +\|$/gm)].map(
    ([, what = "", supported = "", run = ""]) => [what, { supported, run }],
  ),
);

test("versions are those of package.json, go.mod, the doctor and CI", () => {
  const sdk = "@pulumi/pulumi";
  expect(rows.get("Node.js")?.supported).toContain(`\`${manifest.engines.node}\``);
  expect(rows.get("Node.js")?.run).toBe(jobs.check.strategy.matrix["node"]?.join(", "));
  expect(rows.get("Pulumi SDK")?.supported).toContain(`\`${manifest.peerDependencies[sdk]}\``);
  expect(rows.get("Pulumi SDK")?.run).toContain(`\`${manifest.devDependencies[sdk]}\``);
  expect(jobs.sdk.strategy.matrix["sdk"]).toEqual([manifest.peerDependencies[sdk]?.slice(1), "latest"]);
  expect(rows.get("Pulumi CLI")?.supported).toContain(`\`${SUPPORTED.pulumi}\``);
  const [, cli] = /^require \S+\/pkg\/v3 v(\S+)/m.exec(read("scripts/pulumi-cli/engine/go.mod")) ?? [];
  expect(rows.get("Pulumi CLI")?.run).toBe(`\`${cli}\``);
});

test("systems are those that CI runs on, and no others", () => {
  const named = [...rows.values()].flatMap(({ run }) => /`(\w+-latest)`/.exec(run)?.[1] ?? []);
  const ran = [jobs.check["runs-on"], ...(jobs.portable.strategy.matrix["system"] ?? [])];
  expect(named).toEqual(ran);
  expect(commands(jobs.check)).toEqual([".ci/run"]);
  expect(commands(jobs.portable)).toEqual(["npm run test:portable"]);
  expect(manifest.scripts["test:portable"]).toMatch(/--selectProjects unit host$/);
});

/** Returns the path patterns that Jest leaves out of the unit tests on a system. */
function leftOutOn(platform: string): RegExp[] {
  const script = `
    Object.defineProperty(process, "platform", { value: ${JSON.stringify(platform)} });
    const [unit] = require("./tests/jest.config.cjs").projects;
    console.log(JSON.stringify(unit.testPathIgnorePatterns));`;
  const env = { ...process.env, SEARCH: "" };
  const patterns = execFileSync(process.execPath, ["-e", script], { cwd: root, env, encoding: "utf8" });
  return (JSON.parse(patterns) as string[]).map((text) => new RegExp(text.replace("<rootDir>/", "^")));
}

function testFiles(): string[] {
  return ["testkit", "tests"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((name) => name.endsWith(".test.ts")),
  );
}

test("on Linux and macOS only the other tiers are left out, and on Windows nothing that has moved", () => {
  for (const platform of ["linux", "darwin"]) expect(leftOutOn(platform)).toHaveLength(1);
  const files = testFiles();
  for (const pattern of leftOutOn("win32"))
    expect([pattern, files.some((name) => pattern.test(name))]).toEqual([pattern, true]);
});

test("unit tests that need a POSIX shell, modes of files or signals are left out on Windows", () => {
  const posix = /#!\/bin\/sh|\["sh"|\["cat"|"mkfifo"|chmodSync|"SIGTERM"/;
  const needing = testFiles()
    .filter((name) => !/^tests\/(e2e|faults|host)\//.test(name))
    .filter((name) => posix.test(read(name)));
  expect(needing.length).toBeGreaterThan(3);
  const leftOut = leftOutOn("win32");
  expect(needing.filter((name) => !leftOut.some((pattern) => pattern.test(name)))).toEqual([]);
});

test("checkouts have the line ends that tests compare with", () => {
  expect(existsSync(join(root, ".gitattributes"))).toBe(true);
  expect(read(".gitattributes")).toContain("* text=auto eol=lf\n");
});
