// Runs everything that CI checks: lint, types, the documentation's site, rules of the repository, then the
// tests. A failed step doesn't stop the next one, so one run shows every problem. The last line adds up the
// tests: `N passed, N failed`.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { dirname, join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
/** More room for new objects takes a seventh off the compiler's processor time, and much of the linter's. */
const ROOM = "--max-semi-space-size=64";
const tool = (/** @type {string} */ path) => [process.execPath, ROOM, join(root, "node_modules", path)];
// The npm that runs this script; the one on the PATH may be another.
const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];

/** @type {[string, string[]][]} */
const steps = [
  // The longest one first.
  ["Types and lint", [process.execPath, ROOM, join(root, "scripts", "lint.mjs")]],
  ["Site", [process.execPath, join(root, "tests", "docs", "site.mjs")]],
  ["Page", [process.execPath, "--import", "tsx", join(root, "tests", "page", "browser.mjs")]],
  ["Rules", [process.execPath, "--import", "tsx", join(root, "scripts", "rules", "index.ts")]],
  ["Tables", [process.execPath, "--import", "tsx", join(root, "scripts", "tables.ts"), "--check"]],
  ["Picture", [process.execPath, join(root, "scripts", "picture.mjs"), "--check"]],
  ["Format", [...tool("prettier/bin/prettier.cjs"), "--check", "."]],
  // The rules are in .dependency-cruiser.cjs.
  [
    "Structure",
    [
      ...tool("dependency-cruiser/bin/dependency-cruise.mjs"),
      "--output-type",
      "err-long",
      "provider",
      "cli",
      "tests",
    ],
  ],
];

/** @type {string[]} */
const failed = [];
const waiting = [...steps];
// Each of these works on one core, and the linter needs gigabytes: so two at once, also where there are more.
await Promise.all(
  Array.from({ length: Math.min(2, availableParallelism()) }, async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const [name, command] = step;
      const since = performance.now();
      let output = "";
      const code = await run(command, (text) => (output += text));
      console.log(`\n== ${name} (${secondsSince(since)} s)\n${output.trim()}`);
      if (code !== 0) failed.push(name);
    }
  }),
);

const total = { passed: 0, failed: 0 };
for (const [name, script] of [
  ["Tests", "test"],
  ["Long tests", "test:long"],
]) {
  console.log(`\n== ${name}`);
  const since = performance.now();
  let rest = "";
  const code = await run(
    [...npm, "run", script],
    (text) => {
      process.stdout.write(text);
      rest = (rest + text).slice(-1000);
    },
    // The long tests follow, and have the searches whole.
    { stderr: "inherit", env: { SEARCH: "later" } },
  );
  const lastLine = rest.trimEnd().split("\n").at(-1) ?? "";
  // Each test run ends with its counts. Without them, it ran nothing that counts.
  const counted = /^(\d+) passed, (\d+) failed$/.exec(lastLine);
  total.passed += Number(counted?.[1] ?? 0);
  total.failed += Number(counted?.[2] ?? 1);
  if (code !== 0 || counted === null) failed.push(name);
  console.log(`${name}: ${secondsSince(since)} s`);
}
console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.join(", ")}.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** @param {number} start */
function secondsSince(start) {
  return Math.round((performance.now() - start) / 1000);
}

/**
 * @param {string[]} command
 * @param {(text: string) => void} onOutput
 * @param {{ stderr?: "pipe" | "inherit", env?: Record<string, string> }} [options]
 * @returns {Promise<number>} The exit code.
 */
function run([file = "", ...args], onOutput, { stderr = "pipe", env } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(file, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", stderr],
    });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", onOutput);
    child.once("error", fail).once("close", (code) => done(code ?? 1));
  });
}
