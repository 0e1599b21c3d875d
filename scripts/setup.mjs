// Makes a fresh clone ready to run: packages, build and, with --pulumi, the Pulumi CLI; with --languages,
// the CLI and its hosts of Go, Java and Python. Does only what is missing. node scripts/setup.mjs
// [--pulumi | --languages] [--quiet]
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { filesIn } from "./files.mjs";
import { linkCommands } from "./link-commands.mjs";
import { ensurePulumi } from "./pulumi-cli/index.mjs";
import { npm, run, whyNpmFailed, withLock } from "./process.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const lockFile = join(root, "package-lock.json");
const installedFile = join(root, "node_modules", ".package-lock.json");
/** The sources and outputs of the builds: the package, and the simulator's package. */
const sources = ["provider", "cli", "simulator", "page"].map((folder) => join(root, folder));
const dists = [join(root, "dist"), join(root, "simulator", "dist")];
const compiler = join(root, "scripts", "compile.mjs");
const stampFile = join(root, "node_modules", ".cache", "pulumi-identity", "build.json");
const seconds = { install: 900, build: 300 };

const { values: options } = parseArgs({
  options: {
    pulumi: { type: "boolean", default: false },
    languages: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
  },
});

/** On stderr, because stdout is for whatever runs next: the simulator prints JSON. */
const log = (/** @type {string} */ sentence) => console.error(sentence);

try {
  if (missingPackage() !== undefined || !isBuilt()) {
    await withLock(root, log, async () => {
      await installPackages();
      await build();
    });
  }
  const ready = ["Packages and build"];
  if (options.pulumi || options.languages) {
    const pulumi = await ensurePulumi({ log, languages: options.languages });
    ready.push(`Pulumi ${pulumi.version} (${pulumi.bin})`);
  }
  if (!options.quiet) log(`${ready.join(" and ")} ready.`);
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function installPackages() {
  const missing = missingPackage();
  if (missing === undefined) return;
  log(`Installing packages from package-lock.json (${missing}) …`);
  const { problem, stderr } = await npm(["ci", "--no-audit", "--no-fund", "--fetch-timeout=60000"], {
    seconds: seconds.install,
    cwd: root,
    doing: "installing packages",
    log,
  });
  if (problem === "") return;
  throw new Error(
    `npm ci could not install the packages of package-lock.json: ${whyNpmFailed({ problem, stderr })}`,
  );
}

/**
 * Compares what npm says it installed with what the lock file wants; npm writes the former last of all.
 *
 * @returns {string | undefined} What differs, undefined when all is there.
 */
function missingPackage() {
  if (!existsSync(installedFile)) return "node_modules is missing or unfinished";
  const wanted = readPackages(lockFile);
  const installed = readPackages(installedFile);
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === "") continue;
    const other = installed[path];
    const forAnotherPlatform = entry.optional || entry.devOptional;
    if (
      other === undefined ? !forAnotherPlatform : !sameContent(entry, other) || !existsSync(join(root, path))
    ) {
      return `${path.replace(/^.*node_modules\//, "")} is missing or another version`;
    }
  }
  const extra = Object.keys(installed).find((path) => !(path in wanted));
  return extra === undefined ? undefined : `${extra.replace(/^.*node_modules\//, "")} is no longer wanted`;
}

/**
 * @typedef {{ version?: string, integrity?: string, resolved?: string, optional?: boolean, devOptional?:
 *   boolean, link?: boolean }} LockedPackage
 */

/**
 * @param {string} file
 * @returns {Record<string, LockedPackage>}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, "utf8")).packages;
}

/**
 * @param {LockedPackage} one
 * @param {LockedPackage} other
 */
function sameContent(one, other) {
  if (one.link || other.link) return one.link === other.link && one.resolved === other.resolved;
  return one.version === other.version && one.integrity === other.integrity;
}

async function build() {
  if (isBuilt()) return;
  log("Building dist/ from provider/, cli/ and simulator/ …");
  const inputs = inputHash();
  rmSync(stampFile, { force: true });
  const { problem, stdout } = await run(process.execPath, [compiler], {
    seconds: seconds.build,
    cwd: root,
    doing: "building",
    log,
  });
  if (problem !== "") {
    if (stdout.trim() !== "") log(stdout.trim());
    const cause = stdout.trim() === "" ? problem : "see the compiler's errors above";
    throw new Error(
      `dist/ could not be built from provider/, cli/ and simulator/: ${cause}. Correct them and run the command again.`,
    );
  }
  await linkCommands(log);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stampOf(inputs));
}

/** @param {string} inputs */
function stampOf(inputs) {
  return JSON.stringify({ inputs, outputs: outputHash() });
}

function isBuilt() {
  if (!existsSync(stampFile)) return false;
  return readFileSync(stampFile, "utf8") === stampOf(inputHash());
}

/** By content, because a checkout changes the times of unchanged files. */
function inputHash() {
  const hash = createHash("sha256");
  for (const file of [
    ...sources.flatMap(filesIn).filter(isCompiled),
    join(root, "package.json"),
    join(root, "simulator", "tsconfig.build.json"),
    join(root, "tsconfig.json"),
    join(root, "tsconfig.build.json"),
    compiler,
    join(root, "scripts", "files.mjs"),
    join(root, "scripts", "schema.mjs"),
    join(root, "scripts", "json-schemas.mjs"),
    join(root, "scripts", "notices.mjs"),
    join(root, "scripts", "plugin", "bundle.mjs"),
    // Compilers, and what is bundled.
    lockFile,
  ]) {
    hash
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update("\0");
  }
  return hash.digest("hex");
}

/** By time and size, so that a build by hand or another tool counts as a change. */
function outputHash() {
  const hash = createHash("sha256");
  const schemas = readdirSync(root).filter((name) => name.endsWith("schema.json"));
  for (const file of [...dists.flatMap(filesIn), ...schemas.map((name) => join(root, name))]) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)}\0${size}\0${mtimeMs}\0`);
  }
  return hash.digest("hex");
}

/** @param {string} file */
function isCompiled(file) {
  const isBuilt = dists.some((dist) => file.startsWith(dist + sep));
  return !isBuilt && /(?<!\.test)\.(?:tsx?|css)$/.test(file);
}
