import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { problemsOf, type Workflow } from "../structure/workflow-rules";
import { pulumiCli } from "./stack";

/* examples/end-to-end-test, as its workflow runs it. */

const folder = resolve(__dirname, "../../examples/end-to-end-test");
const workflow = readFileSync(join(folder, ".github/workflows/test.yml"), "utf8");

test("the workflow runs the tests, without a secret and as others have to be", () => {
  expect(problemsOf(workflow)).toEqual([]);
  const { jobs } = parse(workflow) as Workflow;
  expect(jobs["test"]?.steps.flatMap(({ run }) => run ?? [])).toEqual(["npm ci", "npm test"]);
});

test("the tests pass with no setting but pulumi on the PATH, and leave nothing behind", async () => {
  const home = mkdtempSync(join(tmpdir(), "pulumi-identity-example-"));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|IDENTITY|JEST|npm)_/i.test(name) && name !== "NODE_ENV",
  );
  const cli = await pulumiCli();
  // npm puts the repository's own `pulumi` in front of the PATH's; it looks for its version in PULUMI_HOME.
  mkdirSync(join(home, "pulumi"));
  symlinkSync(resolve(cli.bin, "../../.."), join(home, "pulumi", "versions"));
  const env = {
    ...Object.fromEntries(inherited),
    ...cli.env,
    HOME: home,
    PULUMI_HOME: join(home, "pulumi"),
    PULUMI_SKIP_UPDATE_CHECK: "true",
  };
  try {
    const { stderr } = await promisify(execFile)("npm", ["test"], { cwd: folder, env, timeout: 170_000 });
    expect(stderr).toMatch(/^Tests: +3 passed, 3 total$/m);
    expect(existsSync(join(folder, "Pulumi.test.yaml"))).toBe(false);
  } finally {
    rmSync(join(folder, "bin"), { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  }
});
