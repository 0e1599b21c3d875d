import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";

/* `init pipelines` as a process: the files it writes, and those it leaves alone. */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const examples = resolve(__dirname, "../../examples/pipelines");

let repository: string;
let program: string;
beforeEach(() => {
  repository = mkdtempSync(join(tmpdir(), "pulumi-identity-init-"));
  program = join(repository, "infra", "access");
  mkdirSync(join(repository, ".git"));
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, "Pulumi.yaml"), "name: access\nruntime: nodejs\n");
});
afterEach(() => rmSync(repository, { recursive: true }));

function init(args: readonly string[], cwd = program, command: readonly string[] = [bin]) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((done) => {
    execFile(process.execPath, [...command, "init", "pipelines", ...args], { cwd }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

const read = (path: string) => readFileSync(join(repository, path), "utf8");

interface Workflow {
  jobs: Record<string, { env?: Record<string, string>; environment?: string; defaults?: object }>;
}

test("for GitHub and Pulumi Cloud, in a folder of the repository", async () => {
  const { code, stdout, stderr } = await init(["--host", "github", "--stack", "acme/access/live"]);
  expect(code).toBe(0);
  expect(stdout.split("\n").sort()).toEqual(
    [
      "",
      ...["apply", "drift", "expire", "review"].flatMap((name) => [
        `../../.github/workflows/${name}.yml`,
        `pipelines/${name}.sh`,
      ]),
    ].sort(),
  );
  expect(stderr).toMatch(/^Next, set the variables and secrets: https:\S+\/docs\/pipelines-github\.md\n$/);
  const { jobs } = parse(read(".github/workflows/apply.yml")) as Workflow;
  expect(jobs["apply"]).toMatchObject({
    environment: "access-live",
    defaults: { run: { "working-directory": "infra/access" } },
    env: { PULUMI_ACCESS_TOKEN: "${{ secrets.PULUMI_ACCESS_TOKEN }}", PULUMI_STACK: "acme/access/live" },
  });
  for (const name of readdirSync(join(repository, ".github/workflows")))
    expect(read(`.github/workflows/${name}`)).not.toMatch(
      /PULUMI_BACKEND_URL|PASSPHRASE:|access-prod|: prod/,
    );
  expect(statSync(join(program, "pipelines/apply.sh")).mode & 0o777).toBe(0o755);
});

test("with a backend of one's own, at the root of the repository, they are the files of examples/pipelines", async () => {
  writeFileSync(join(repository, "Pulumi.yaml"), "name: access\nruntime: nodejs\n");
  expect(await init(["--host", "github", "--backend", "own"], repository)).toMatchObject({ code: 0 });
  for (const name of readdirSync(join(examples, "github")))
    expect(parse(read(`.github/workflows/${name}`))).toEqual(
      parse(readFileSync(join(examples, "github", name), "utf8")),
    );
});

test("for GitLab", async () => {
  expect(await init(["--host", "gitlab", "--backend", "own"])).toMatchObject({ code: 0 });
  const file = parse(read(".gitlab-ci.yml")) as {
    default: { before_script: string[] };
    variables: Record<string, string>;
  };
  expect(file.variables).toMatchObject({ PROGRAM: "infra/access", PULUMI_STACK: "prod" });
  expect(file.default.before_script.slice(-2)).toEqual(['cd "$PROGRAM"', "npm ci --ignore-scripts"]);
  expect(existsSync(join(program, "pipelines/review.sh"))).toBe(true);
});

test("nothing is overwritten without --force, and nothing is written beside it", async () => {
  writeFileSync(join(repository, ".gitlab-ci.yml"), "mine: {}\n");
  const refused = await init(["--host", "gitlab"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toBe(
    "Nothing was written: ../../.gitlab-ci.yml is there already. Move what you need out of the way, or add --force to overwrite.\n",
  );
  expect(read(".gitlab-ci.yml")).toBe("mine: {}\n");
  expect(existsSync(join(program, "pipelines"))).toBe(false);
  expect(await init(["--host", "gitlab", "--force"])).toMatchObject({ code: 0 });
  expect(read(".gitlab-ci.yml")).toContain("PULUMI_ACCESS_TOKEN");
});

test("nothing is written where a folder can't be made", async () => {
  writeFileSync(join(repository, ".github"), "");
  expect(await init(["--host", "github"])).toEqual({
    code: 2,
    stdout: "",
    stderr: "Nothing was written: ../../.github is no folder. Move it out of the way.\n",
  });
  expect(existsSync(join(program, "pipelines"))).toBe(false);

  rmSync(join(repository, ".github"));
  symlinkSync(join(repository, "nowhere"), join(repository, ".github"));
  expect(await init(["--host", "github"])).toMatchObject({
    code: 2,
    stderr: "Nothing was written: ../../.github is no folder. Move it out of the way.\n",
  });
  expect(existsSync(join(program, "pipelines"))).toBe(false);
});

test("it runs from source, too", async () => {
  const source = ["--import", require.resolve("tsx"), resolve(__dirname, "../../cli/index.ts")];
  const { code, stderr } = await init(["--host", "gitlab"], program, source);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^Next, /)]);
  expect(existsSync(join(program, "pipelines/review.sh"))).toBe(true);
});

test.each([
  [[], "required option '--host <host>' not specified"],
  [["--host", "other"], "Allowed choices are github, gitlab."],
  [["--host", "github", "--stack", "a: b"], "Write it as NAME, ORGANIZATION/NAME"],
])("%j: exit 2", async (args, message) => {
  const { code, stderr } = await init(args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
