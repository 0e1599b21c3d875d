// Runs the scripts of this folder: how other tools behave where a decision or a page of ours rests on it.
// node tests/upstream/index.mjs [--newest] [--report FILE] [--at-once N] [--list] [NAME …]
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run } from "../../scripts/process.mjs";
import { ensurePulumi } from "../../scripts/pulumi-cli/index.mjs";

const USAGE = `Usage: npm run upstream -- [options] [NAME …]

Runs all scripts of tests/upstream, or those named. Fails if a tool no longer behaves as its script says.

Options:
  --newest       With the newest versions, in place of those that the scripts name. Builds Pulumi's CLI with Go.
  --report FILE  Writes what has changed there, as Markdown.
  --at-once N    Scripts that run at a time. Default: 2.
  --list         Only prints each script's name and what rests on it.
  --help         This text.
`;
const folder = dirname(fileURLToPath(import.meta.url));
const MODULES = join(folder, "../../scripts/pulumi-cli");
/** The exit code of a script that couldn't install what it tries. */
const UNTRIED = 75;
const SECONDS = { build: 3600, script: 900 };
const log = (/** @type {string} */ sentence) => console.error(sentence);

try {
  await main();
} catch (error) {
  log(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      newest: { type: "boolean", default: false },
      report: { type: "string" },
      "at-once": { type: "string", default: "2" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const names = namesOf(positionals);
  if (values.list) return names.forEach((name) => console.log(`${name}: ${restsOn(name)}`));
  const atOnce = Number(values["at-once"]);
  if (!/^[1-9]\d?$/.test(values["at-once"]))
    throw new Error(`--at-once must be 1 to 99, not "${values["at-once"]}".`);

  const built = values.newest ? mkdtempSync(join(tmpdir(), "upstream-")) : undefined;
  try {
    const bin = built === undefined ? dirname((await ensurePulumi({ log })).bin) : await newestCli(built);
    const env = {
      ...process.env,
      PATH: [bin, process.env.PATH].join(delimiter),
      UPSTREAM_NEWEST: values.newest ? "latest" : "",
    };
    const results = await tryAll(names, atOnce, env);
    const changed = results.filter(({ code }) => code !== 0 && code !== UNTRIED);
    const untried = results.filter(({ code }) => code === UNTRIED);
    if (values.report !== undefined) writeFileSync(values.report, reportOf(changed));
    console.log(
      `${results.length - changed.length - untried.length} unchanged, ${changed.length} changed, ${untried.length} not tried`,
    );
    process.exitCode = changed.length + untried.length > 0 ? 1 : 0;
  } finally {
    if (built !== undefined) rmSync(built, { recursive: true, force: true });
  }
}

/** @param {string[]} asked */
function namesOf(asked) {
  const all = readdirSync(folder)
    .filter((name) => name.endsWith(".sh") && name !== "set-up.sh")
    .map((name) => name.slice(0, -3))
    .sort();
  const unknown = asked.filter((name) => !all.includes(name));
  if (unknown.length === 0) return asked.length === 0 ? all : asked;
  throw new Error(`tests/upstream has no ${unknown.join(", ")}. Its scripts: npm run upstream -- --list`);
}

/** @param {string} name */
function restsOn(name) {
  return (readFileSync(join(folder, `${name}.sh`), "utf8").split("\n")[1] ?? "").slice(2);
}

/** @typedef {{ name: string, code: number, output: string }} Result */

/**
 * @param {string[]} names
 * @param {number} atOnce
 * @param {NodeJS.ProcessEnv} env
 */
async function tryAll(names, atOnce, env) {
  /** @type {Result[]} */
  const results = [];
  const waiting = [...names];
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const since = performance.now();
        const result = await tryOne(name, env);
        results.push(result);
        print(result, Math.round((performance.now() - since) / 1000));
      }
    }),
  );
  return results.sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
}

/**
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Result>}
 */
async function tryOne(name, env) {
  const file = join(folder, `${name}.sh`);
  const { code, stdout, stderr, problem } = await run("bash", [file], { seconds: SECONDS.script, env });
  const output = stdout + stderr;
  // A tool that hangs has no exit code.
  return code === null
    ? { name, code: 1, output: `${output}The script ${problem}.\n` }
    : { name, code, output };
}

/**
 * @param {Result} result
 * @param {number} seconds
 */
function print({ name, code, output }, seconds) {
  if (code === 0) return console.log(`${name}: unchanged (${seconds} s)`);
  const says = code === UNTRIED ? "not tried" : `changed: ${restsOn(name)}`;
  console.log(`${name}: ${says} (${seconds} s)\n${output.trimEnd().replace(/^/gm, "    ")}`);
}

/** @param {Result[]} changed */
function reportOf(changed) {
  return changed
    .map(({ name, output }) => {
      const end = output.trimEnd().split("\n").slice(-60).join("\n");
      // Longer than any fence that a tool prints.
      const fence = "`".repeat(1 + Math.max(3, ...[...end.matchAll(/`+/g)].map(([run]) => run.length)));
      return `**${name} has changed:** ${restsOn(name)}\n\n${fence}\n${end}\n${fence}\n`;
    })
    .join("\n");
}

/**
 * Builds the newest CLI and its YAML host. The host of Node.js is the last one that Go can fetch: it only
 * starts the program.
 *
 * @param {string} at A folder.
 */
async function newestCli(at) {
  const bin = join(at, "bin");
  mkdirSync(bin);
  for (const name of ["engine", "yaml-host", "language-host"])
    cpSync(join(MODULES, name), join(at, name), { recursive: true });
  cpSync(join(MODULES, "bin"), bin, { recursive: true });
  const pulumi = "github.com/pulumi/pulumi";
  await go(join(at, "engine"), "get", `${pulumi}/pkg/v3@latest`);
  await go(join(at, "yaml-host"), "get", "github.com/pulumi/pulumi-yaml@latest");
  const version = (
    await go(join(at, "engine"), "list", "-m", "-f", "{{.Version}}", `${pulumi}/pkg/v3`)
  ).trim();
  log(`Building Pulumi ${version} …`);
  const flags = `-s -w -X ${pulumi}/sdk/v3/go/common/version.Version=${version}`;
  for (const [module, program] of [
    ["engine", `${pulumi}/pkg/v3/cmd/pulumi`],
    ["yaml-host", "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"],
    ["language-host", `${pulumi}/sdk/v3/nodejs/cmd/pulumi-language-nodejs`],
  ])
    await go(join(at, module ?? ""), "build", "-ldflags", flags, "-o", bin, program ?? "");
  return bin;
}

/**
 * @param {string} cwd
 * @param {string[]} args
 */
async function go(cwd, ...args) {
  const env = { ...process.env, CGO_ENABLED: "0", GOWORK: "off", GOFLAGS: "-mod=mod" };
  const { problem, stdout, stderr } = await run("go", args, {
    seconds: SECONDS.build,
    cwd,
    env,
    doing: `running go ${args[0]}`,
    log,
  });
  if (problem === "") return stdout;
  throw new Error(`go ${args.join(" ")} ${problem}${stderr.trim() === "" ? "" : `:\n${stderr.trim()}`}`);
}
