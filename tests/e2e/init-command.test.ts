import { execFile } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { initCommand } from "../../cli/init/command";
import { runCommand } from "../../testkit/cli/in-process";
import { useFolder } from "../../testkit/folder";

/* `init pipelines`: the files it writes, and those it leaves alone. */

const examples = resolve(__dirname, "../../examples/pipelines");

const repository = useFolder();
const program = join(repository, "infra", "access");
beforeEach(() => {
  mkdirSync(join(repository, ".git"));
  mkdirSync(program, { recursive: true });
  writeFileSync(join(program, "Pulumi.yaml"), "name: access\nruntime: nodejs\n");
});

const init = (args: readonly string[], cwd = program) =>
  runCommand(initCommand(), ["pipelines", ...args], { env: { PATH: process.env["PATH"] }, cwd });

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
      "pipelines/install-pulumi.sh",
      "pipelines/up.sh",
    ].sort(),
  );
  expect(stderr).toMatch(
    /^Next, set the variables and secrets: https:\S+\/docs\/pipelines\.md#set-up-github-actions\n$/,
  );
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
  expect(file.default.before_script.slice(0, 2)).toEqual(['cd "$PROGRAM"', "./pipelines/install-pulumi.sh"]);
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

test("a stack that a backend of one's own refuses gets no pipelines", async () => {
  const refused = await init(["--host", "github", "--backend", "own", "--stack", "acme/access/prod"]);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain(
    "has no organization acme, so Pulumi would refuse acme/access/prod. Write --stack prod.",
  );
  expect(existsSync(join(repository, ".github"))).toBe(false);
});

test("the same stack by a longer name replaces its pipelines, and adds none", async () => {
  await init(["--host", "github", "--stack", "prod"]);
  const longer = ["--host", "github", "--stack", "acme/access/prod"];
  expect((await init(longer)).stderr).toContain("there already");
  expect(await init([...longer, "--force"])).toMatchObject({ code: 0 });
  expect(readdirSync(join(repository, ".github/workflows"))).toHaveLength(4);
  expect(read(".github/workflows/apply.yml")).toContain("acme/access/prod");
});

describe("a further stack", () => {
  test("on GitHub: workflows, checks, groups, environments and variables of its own", async () => {
    await init(["--host", "github", "--backend", "own"]);
    writeFileSync(join(program, "pipelines/review.sh"), "mine\n");
    const before = readdirSync(join(repository, ".github/workflows")).map((name) =>
      read(`.github/workflows/${name}`),
    );
    const { code, stdout, stderr } = await init([
      "--host",
      "github",
      "--backend",
      "own",
      "--stack",
      "organization/access/staging",
    ]);
    expect(code).toBe(0);
    const names = ["apply", "drift", "expire", "review"];
    expect(stdout).toBe(names.map((name) => `../../.github/workflows/${name}-staging.yml\n`).join(""));
    expect(stderr).toContain("Kept, because all stacks use them: pipelines/");
    expect(stderr).toContain("end in _STAGING, such as IDENTITY_DOMAIN_STAGING.");
    expect(names.map((name) => read(`.github/workflows/${name}.yml`))).toEqual(before);
    expect(read("infra/access/pipelines/review.sh")).toBe("mine\n");
    const groups: unknown[] = [];
    for (const name of names) {
      const [first, second] = ["", "-staging"].map(
        (label) =>
          parse(read(`.github/workflows/${name}${label}.yml`)) as Workflow & {
            name: string;
            concurrency: object;
          },
      );
      expect(second?.name).toBe(`${first?.name} (staging)`);
      expect(Object.keys(second?.jobs ?? {})).toEqual(
        Object.keys(first?.jobs ?? {}).map((job) => `${job}-staging`),
      );
      expect(second?.jobs[`${name}-staging`]?.env).toMatchObject({
        IDENTITY_DOMAIN: "${{ vars.IDENTITY_DOMAIN_STAGING }}",
        PULUMI_BACKEND_URL: "${{ vars.PULUMI_BACKEND_URL }}",
        PULUMI_CONFIG_PASSPHRASE: "${{ secrets.PULUMI_CONFIG_PASSPHRASE_STAGING }}",
        PULUMI_STACK: "organization/access/staging",
      });
      groups.push(first?.concurrency, second?.concurrency);
    }
    expect(new Set(groups.map((group) => JSON.stringify(group))).size).toBe(8);
    const { jobs } = parse(read(".github/workflows/apply-staging.yml")) as Workflow;
    expect(jobs["apply-staging"]?.environment).toBe("access-staging");
    expect(jobs["apply-staging"]?.env?.["IDENTITY_CLIENT_ID"]).toBe("${{ vars.IDENTITY_WRITER_ID }}");
    expect(await init(["--host", "github", "--stack", "staging"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("apply-staging.yml") as string,
    });
  });

  test("of another program with the same name: the project's name tells them apart", async () => {
    await init(["--host", "github"]);
    const other = join(repository, "infra", "devices");
    mkdirSync(other);
    writeFileSync(join(other, "Pulumi.yaml"), "name: devices\nruntime: nodejs\n");
    expect((await init(["--host", "github"], other)).stdout).toContain("workflows/apply-devices-prod.yml\n");
    const { jobs } = parse(read(".github/workflows/apply-devices-prod.yml")) as Workflow;
    expect(jobs["apply-devices-prod"]).toMatchObject({
      environment: "access-devices-prod",
      defaults: { run: { "working-directory": "infra/devices" } },
    });
    expect(existsSync(join(other, "pipelines/apply.sh"))).toBe(true);
  });

  test("with a dot in its name: GitHub takes none in a job's id", async () => {
    await init(["--host", "github"]);
    await init(["--host", "github", "--stack", "eu.test"]);
    const file = read(".github/workflows/review-eu-test.yml");
    const { jobs } = parse(file) as Workflow;
    expect(Object.keys(jobs)).toEqual(["review-eu-test", "fork-eu-test"]);
    expect(jobs["review-eu-test"]?.env).toMatchObject({
      PULUMI_STACK: "eu.test",
      IDENTITY_DOMAIN: "${{ vars.IDENTITY_DOMAIN_EU_TEST }}",
    });
    expect(file).toContain("group: review-eu-test-${{ github.ref }}");
  });

  test.each(["eu.test", "EU-test", "eu_test"])(
    "whose variables would have the names of those of another: %s after eu-test",
    async (stack) => {
      await init(["--host", "github"]);
      await init(["--host", "github", "--stack", "eu-test"]);
      const { stderr } = await init(["--host", "github", "--stack", stack]);
      expect(stderr).toContain("end in _ACCESS_EU_TEST, such as");
    },
  );

  test("on GitLab: a file of jobs that the first one's file includes, beside what it included before", async () => {
    await init(["--host", "gitlab"]);
    const first = read(".gitlab-ci.yml");
    expect((await init(["--host", "gitlab", "--stack", "staging"])).stdout).toBe(
      "../../.gitlab-ci.yml\n../../.gitlab-ci-staging.yml\n",
    );
    expect(read(".gitlab-ci.yml")).toBe(`${first}\ninclude:\n  - local: .gitlab-ci-staging.yml\n`);
    expect(statSync(join(repository, ".gitlab-ci.yml")).mode & 0o111).toBe(0);
    type Jobs = Record<string, { variables: object; environment: { name: string }; script: string[] }>;
    const jobs = parse(read(".gitlab-ci-staging.yml")) as Jobs;
    expect(Object.keys(jobs)).toEqual(["review", "apply", "drift", "expire"].map((job) => `${job}-staging`));
    for (const job of Object.values(jobs))
      expect(job.variables).toMatchObject({ PROGRAM: "infra/access", PULUMI_STACK: "staging" });
    expect(jobs["apply-staging"]).toMatchObject({
      environment: { name: "access-staging" },
      resource_group: "access-staging",
      script: ["./pipelines/apply.sh"],
      variables: { IDENTITY_REQUIRE_REVIEW: "true" },
    });
    await init(["--host", "gitlab", "--stack", "no"]);
    expect(read(".gitlab-ci-no.yml")).toContain('PULUMI_STACK: "no"\n');
    const both = read(".gitlab-ci.yml");
    expect(both).toBe(
      `${first}\ninclude:\n  - local: .gitlab-ci-staging.yml\n  - local: .gitlab-ci-no.yml\n`,
    );
    await init(["--host", "gitlab", "--stack", "no", "--force"]);
    expect(read(".gitlab-ci.yml")).toBe(both);
    await init(["--host", "gitlab", "--stack", "prod", "--force"]);
    const { include } = parse(read(".gitlab-ci.yml")) as { include: object[] };
    expect(include.map((one) => JSON.stringify(one)).sort()).toEqual([
      '{"local":".gitlab-ci-no.yml"}',
      '{"local":".gitlab-ci-staging.yml"}',
    ]);
  });

  test.each([
    ["include: [ci/lint.yml,\n  ci/test.yml]\n", "to the list `include` of", ""],
    ["# Two empty lines follow.\n\n\n", "at the end of", "include:\n"],
  ])("on GitLab, beside %j, which an edit would reformat: what to paste", async (mine, where, head) => {
    await init(["--host", "gitlab"]);
    const first = `${read(".gitlab-ci.yml")}\n${mine}`;
    writeFileSync(join(repository, ".gitlab-ci.yml"), first);
    const { code, stdout, stderr } = await init(["--host", "gitlab", "--stack", "staging"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "../../.gitlab-ci-staging.yml\n" });
    const text = `${head}  - local: .gitlab-ci-staging.yml\n`;
    expect(stderr).toContain(
      `Add this ${where} ../../.gitlab-ci.yml by hand, because editing would change how the rest of the file looks:\n\n${text}\n`,
    );
    expect(read(".gitlab-ci.yml")).toBe(first);
  });
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

test("a stack of another project is refused", async () => {
  expect(await init(["--host", "github", "--stack", "acme/devices/prod"])).toEqual({
    code: 2,
    stdout: "",
    stderr:
      "Nothing was written: acme/devices/prod is a stack of the project devices, and Pulumi.yaml here is of access. " +
      "Run this in the folder of that project, or correct --stack.\n",
  });
  expect(existsSync(join(program, "pipelines"))).toBe(false);
});

test("it runs from source, too", async () => {
  const source = ["--import", require.resolve("tsx"), resolve(__dirname, "../../cli/index.ts")];
  const args = [...source, "init", "pipelines", "--host", "gitlab"];
  const { stderr } = await promisify(execFile)(process.execPath, args, { cwd: program });
  expect(stderr).toMatch(/^Next, /);
  expect(existsSync(join(program, "pipelines/review.sh"))).toBe(true);
});
