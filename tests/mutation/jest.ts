import { spawn } from "node:child_process";
import { join } from "node:path";

/** The first test that failed. */
export interface Failure {
  /** Relative to the tests' folder. */
  file: string;
  /** Undefined if the file as a whole failed: it doesn't load, or it hangs. */
  test: string | undefined;
}

/** The messages of first-failure-reporter.cjs. */
type Message = { started: string } | { passed: string } | { failed: Failure };

/** A test that takes longer fails. */
const TEST_MS = 40_000;
/** A run hangs if no test ends for this long: even Jest's own limit can't end a test that never yields. */
const SILENCE_MS = 90_000;

/** Runs the test files one after the other, up to the first failing test. `undefined`: all pass. */
export async function firstFailure(
  root: string,
  tests: string[],
  only?: string,
): Promise<Failure | undefined> {
  const child = spawn(process.execPath, jestArguments(root, tests, only), {
    cwd: root,
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    // Only the fixed seeds, so that a verdict can be repeated.
    env: { ...process.env, NEW_PROPERTY_SEED: "1" },
  });
  return await new Promise((resolve, reject) => {
    let failure: Failure | undefined;
    let running = tests[0] ?? "";
    const hangs = setTimeout(() => {
      failure = { file: running, test: undefined };
      child.kill("SIGKILL");
    }, SILENCE_MS);
    child.once("error", reject);
    child.on("message", (message: Message) => {
      hangs.refresh();
      if ("started" in message) running = message.started;
      if ("failed" in message) failure = message.failed;
    });
    child.once("exit", (code) => {
      clearTimeout(hangs);
      if (failure !== undefined || code === 0) resolve(failure);
      else reject(new Error(`Jest ended with ${code} and named no test that failed.`));
    });
  });
}

function jestArguments(root: string, tests: string[], only: string | undefined): string[] {
  return [
    join(root, "node_modules/jest/bin/jest.js"),
    "--config=tests/jest.config.cjs",
    "--runInBand",
    `--testTimeout=${TEST_MS}`,
    `--testSequencer=${join(root, "tests/mutation/in-given-order.cjs")}`,
    `--reporters=${join(root, "tests/mutation/first-failure-reporter.cjs")}`,
    ...(only === undefined ? [] : [`--testNamePattern=^${only.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`]),
    "--runTestsByPath",
    ...tests.map((test) => join(root, "tests", test)),
  ];
}
