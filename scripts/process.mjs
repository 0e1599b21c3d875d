/* global AbortController */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** @typedef {(sentence: string) => void} Log */

/**
 * @typedef {object} Finished
 * @property {number | null} code Exit code; null when it was stopped or could not be started.
 * @property {string} stdout
 * @property {string} stderr
 * @property {string} problem Empty on success, otherwise what went wrong, as the end of a sentence.
 */

const progressSeconds = 15;

/**
 * Runs a command in its own process group, so that nothing it started outlives it or the time limit.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {object} options
 * @param {number} options.seconds Time limit.
 * @param {string} [options.cwd]
 * @param {Record<string, string | undefined>} [options.env]
 * @param {string} [options.doing] With `log`: what the progress sentences say, "building …".
 * @param {Log} [options.log]
 * @returns {Promise<Finished>}
 */
export async function run(command, args, { seconds, cwd, env = process.env, doing, log }) {
  const started = Date.now();
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const output = { stdout: "", stderr: "" };
  for (const stream of /** @type {const} */ (["stdout", "stderr"])) {
    child[stream].setEncoding("utf8").on("data", (text) => (output[stream] += text));
  }

  const end = () => endProcessGroup(child);
  process.once("exit", end);
  const interrupted = /** @param {NodeJS.Signals} signal */ (signal) => {
    end();
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  const done = new AbortController();
  let timedOut = false;
  void sleep(seconds * 1000, undefined, { signal: done.signal }).then(
    () => {
      timedOut = true;
      end();
    },
    () => {},
  );
  void (async () => {
    while (log && doing) {
      await sleep(progressSeconds * 1000, undefined, { signal: done.signal });
      log(`${doing}: ${Math.round((Date.now() - started) / 1000)} s …`);
    }
  })().catch(() => {});

  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.once("error", reject).once("close", (code, signal) => resolve([code, signal]));
    });
    let problem = "";
    if (timedOut) problem = `gave no result within ${seconds} s`;
    else if (signal) problem = `was ended by ${signal}`;
    else if (code !== 0) problem = `ended with code ${code}: ${lastWords(output.stderr || output.stdout)}`;
    return { code: timedOut ? null : code, ...output, problem };
  } catch (error) {
    return {
      code: null,
      ...output,
      problem: `could not be started: ${/** @type {Error} */ (error).message}`,
    };
  } finally {
    done.abort();
    end();
    process.off("exit", end).off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
}

/**
 * Runs the npm that started this script, which need not be the one on the PATH.
 *
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} options
 */
export function npm(args, options) {
  const own = process.env.npm_execpath;
  const isOwn = own !== undefined && /npm-cli\.c?js$/.test(own);
  return run(isOwn ? process.execPath : "npm", [...(isOwn ? [own] : []), ...args], options);
}

/**
 * The cause of npm's failure, and advice, in sentences.
 *
 * @param {Pick<Finished, "problem" | "stderr">} finished
 */
export function whyNpmFailed({ problem, stderr }) {
  const cause = /npm (?:error|ERR!) (?!code|errno|syscall)(.+)/.exec(stderr)?.[1] ?? problem;
  const offline = /ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|E40[0-9]|E5\d\d/.test(
    stderr,
  );
  const advice = offline
    ? "Check the network, a proxy, and the registry that `npm config get registry` names, then run the command again."
    : "Run npm's command yourself to see the whole output.";
  return `${lastWords(cause)}. ${advice}`;
}

/** @param {import("node:child_process").ChildProcess} child */
function endProcessGroup(child) {
  if (child.pid === undefined) return;
  try {
    if (process.platform === "win32") child.kill("SIGKILL");
    else process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

/**
 * The last line of a command's output that says something, short enough for a sentence.
 *
 * @param {string} output
 */
export function lastWords(output) {
  const line = output
    .split("\n")
    .map((text) => text.trim())
    .filter((text) => text !== "")
    .at(-1);
  if (line === undefined) return "no output";
  return line.length > 300 ? `${line.slice(0, 300)}…` : line.replace(/\.$/, "");
}

/**
 * Runs `work` while no other process of this machine holds the lock of the same name. Without a lock two
 * `npm ci` at once delete each other's files, and two builds of the CLI take twice as long.
 *
 * @template T
 * @param {string} name
 * @param {Log} log
 * @param {() => Promise<T> | T} work
 * @returns {Promise<T>}
 */
export async function withLock(name, log, work) {
  const id = createHash("sha256").update(name).digest("hex").slice(0, 16);
  // Not `pulumi-identity-…`: in that folder, the processes of an engine's run meet.
  const file = join(tmpdir(), `pulumi-identity-setup-${process.getuid?.() ?? "user"}`, `${id}.lock`);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  for (let waited = 0; !acquire(file); waited++) {
    if (waited === 0) log("Another process is at the same work, waiting for it …");
    await sleep(250);
  }
  const release = () => rmSync(file, { force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    release();
    process.off("exit", release);
  }
}

/** @param {string} file */
function acquire(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EEXIST") throw error;
  }
  try {
    const holder = Number(readFileSync(file, "utf8"));
    // If the file is empty, its holder is just about to write its id.
    const left = holder === 0 ? Date.now() - statSync(file).mtimeMs > 10_000 : !isRunning(holder);
    if (left) rmSync(file, { force: true });
  } catch {
    // Released in between.
  }
  return false;
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
