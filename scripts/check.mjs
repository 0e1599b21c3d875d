// Runs everything that CI checks, in its order: format, lint, structure, types, the documentation's site,
// tests. A failed step doesn't stop the next one, so one run shows every problem. The last line adds up the
// tests: `N passed, N failed`.
import { spawn } from "node:child_process";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const tool = (/** @type {string} */ path) => [process.execPath, join(root, "node_modules", path)];
const types = (/** @type {string} */ folder) => [
  ...tool("typescript/bin/tsc"),
  "--noEmit",
  "--project",
  folder,
];

/** @type {[string, string[]][]} */
const steps = [
  ["Format", [...tool("prettier/bin/prettier.cjs"), "--check", "."]],
  ["Lint", [...tool("eslint/bin/eslint.js"), "--max-warnings=0", "."]],
  // The rules are in .dependency-cruiser.cjs.
  [
    "Structure",
    [...tool("dependency-cruiser/bin/dependency-cruise.mjs"), "--output-type", "err-long", "provider", "cli"],
  ],
  ...[".", "page", "template", "examples"].map(
    (folder) => /** @type {[string, string[]]} */ ([`Types of ${folder}`, types(folder)]),
  ),
  ["Site", [process.execPath, join(root, "tests", "docs", "site.mjs")]],
  ["Page", [process.execPath, "--import", "tsx", join(root, "tests", "page", "browser.mjs")]],
];

/** @type {string[]} */
const failed = [];
for (const [name, command] of steps) {
  console.log(`\n== ${name}`);
  if ((await run(command)) !== 0) failed.push(name);
}

// The npm that runs this script; the one on the PATH may be another.
const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ["npm"];
const total = { passed: 0, failed: 0 };
for (const [name, script] of [
  ["Tests", "test"],
  ["Long tests", "test:long"],
]) {
  console.log(`\n== ${name}`);
  let lastLine = "";
  const code = await run([...npm, "run", script], (line) => console.log((lastLine = line)));
  // Each test run ends with its counts. Without them, it ran nothing that counts.
  const counted = /^(\d+) passed, (\d+) failed$/.exec(lastLine);
  total.passed += Number(counted?.[1] ?? 0);
  total.failed += Number(counted?.[2] ?? 1);
  if (code !== 0 || counted === null) failed.push(name);
}
console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.join(", ")}.`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;

/**
 * @param {string[]} command
 * @param {(line: string) => void} [onLine] Gets stdout instead of the terminal.
 * @returns {Promise<number>} The exit code.
 */
function run([file = "", ...args], onLine) {
  return new Promise((done, fail) => {
    const child = spawn(file, args, { cwd: root, stdio: ["ignore", onLine ? "pipe" : "inherit", "inherit"] });
    let rest = "";
    child.stdout?.setEncoding("utf8").on("data", (text) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach((line) => onLine?.(line));
    });
    child.once("error", fail).once("close", (code) => done(code ?? 1));
  });
}
