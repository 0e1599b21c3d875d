import { spawn } from "node:child_process";
import { join } from "node:path";

/** How tests judge a mutant. */
export type Verdict = Failure | "survived" | "timeout";

/** What first-failure-reporter.cjs sends; of each other test, "passed". */
export interface Failure {
  /** From the folder of the tests. */
  file: string;
  test: string;
  ms: number;
}

/** A test that takes longer fails. */
const TEST_MS = 40_000;
/** A run that ends no test for so long hangs: even Jest's own limit can't end a test that never yields. */
const SILENCE_MS = 60_000;

/** Runs the test files one after the other and ends at the first test that fails. */
export async function judge(root: string, tests: string[]): Promise<Verdict> {
  const child = spawn(
    process.execPath,
    [
      join(root, "node_modules/jest/bin/jest.js"),
      "--config=tests/jest.config.cjs",
      "--runInBand",
      `--testTimeout=${TEST_MS}`,
      `--testSequencer=${join(root, "tests/mutation/in-given-order.cjs")}`,
      `--reporters=${join(root, "tests/mutation/first-failure-reporter.cjs")}`,
      "--runTestsByPath",
      ...tests.map((test) => join(root, "tests", test)),
    ],
    // The fixed seeds only: a verdict can be repeated.
    {
      cwd: root,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: { ...process.env, NEW_PROPERTY_SEED: "1" },
    },
  );
  return await new Promise((resolve, reject) => {
    let failure: Failure | undefined;
    const hangs = setTimeout(() => {
      child.kill("SIGKILL");
      resolve("timeout");
    }, SILENCE_MS);
    child.once("error", reject);
    child.on("message", (message) => {
      hangs.refresh();
      if (message !== "passed") failure ??= message as Failure;
    });
    child.once("exit", (code) => {
      clearTimeout(hangs);
      if (failure !== undefined) resolve(failure);
      else if (code === 0) resolve("survived");
      else reject(new Error(`Jest ended with ${code} and named no test that failed.`));
    });
  });
}
