// Makes the Pulumi CLI ready to run. Pulumi's npm package downloads it; machines that reach package
// registries but not its download site build it with Go. As a command, `node scripts/pulumi-cli/index.mjs
// [--languages]` prints the result as JSON.
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { userInfo } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { run, withLock } from "../process.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const root = resolve(folder, "../..");
const windows = process.platform === "win32";

/** The version that Go builds and the npm package `pulumi` downloads, whatever the package's own version. */
export const pulumiVersion = cliVersion(readFileSync(join(folder, "engine", "go.mod"), "utf8"));
/** Older ones can't fetch the newer Go that go.mod needs. */
const minimumGo = "1.21.0";
const seconds = { goVersion: 30, download: 300, goModules: 900, goBuild: 3600 };

/**
 * The Go programs of a Pulumi installation. After 3.66, the hosts of Go, Node.js and Python became modules
 * of their own without a version that `go` can fetch; they only launch the program.
 *
 * @type {{
 *   name: string;
 *   title: string;
 *   module: string;
 *   package: string;
 *   script?: string;
 *   isFurther?: true;
 *   isUnbundled?: true;
 * }[]}
 */
const goPrograms = [
  {
    name: "pulumi",
    title: `the Pulumi CLI ${pulumiVersion}`,
    module: join(folder, "engine"),
    package: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  },
  {
    name: "pulumi-language-nodejs",
    title: "Pulumi's Node.js language host",
    module: join(folder, "language-host"),
    package: "github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs",
  },
  {
    name: "pulumi-language-yaml",
    title: "Pulumi's YAML language host",
    module: join(folder, "yaml-host"),
    package: "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml",
  },
  {
    name: "pulumi-language-python",
    title: "Pulumi's Python language host",
    module: join(folder, "language-host"),
    package: "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python",
    script: "../pulumi-language-python-exec",
    isFurther: true,
  },
  {
    name: "pulumi-language-go",
    title: "Pulumi's Go language host",
    module: join(folder, "language-host"),
    package: "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go",
    isFurther: true,
  },
  {
    name: "pulumi-language-java",
    title: "Pulumi's Java language host",
    module: join(folder, "java-host"),
    package: "github.com/pulumi/pulumi-java/pkg/cmd/pulumi-language-java",
    isFurther: true,
    // Pulumi's own CLI fetches it when a program first needs it, into a home that tests don't share.
    isUnbundled: true,
  },
];
/** The linker sets the version, as in the official build; otherwise the CLI reports none. */
const goLinkerFlags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${pulumiVersion}`;
const scripts = join(folder, "bin");

/** @typedef {import("../process.mjs").Log} Log */
/** @typedef {import("./index.d.mts").PulumiCli} PulumiCli */
/** @typedef {Record<string, string | undefined>} Environment */

/** @type {typeof import("./index.d.mts").ensurePulumi} */
export async function ensurePulumi({
  log,
  env = process.env,
  downloader = join(root, "node_modules", "pulumi", "run.js"),
  languages = false,
}) {
  const target = join(pulumiHome(env), "versions", pulumiVersion);
  const programs = goPrograms.filter(({ isFurther = false }) => languages || !isFurther);
  // A build may have been made when fewer were wanted.
  const missing = () => programs.filter(({ name }) => findIn(join(target, "bin"), name) === undefined);
  const found = () => {
    const bin = findIn(join(target, "bin"), "pulumi");
    if (bin === undefined || missing().length > 0) return undefined;
    const PATH = [dirname(bin), env.PATH].join(delimiter);
    // npm puts the package's `pulumi` in front of the PATH's, and that would run its own version.
    return { version: pulumiVersion, bin, env: { PATH, PULUMI_VERSION: pulumiVersion } };
  };
  const kept = found();
  if (kept !== undefined) return kept;

  return withLock(target, log, async () => {
    const meanwhile = found();
    if (meanwhile !== undefined) return meanwhile;
    removeLeftovers(target);

    const isBundleThere = missing().every(({ isUnbundled = false }) => isUnbundled);
    const download = isBundleThere
      ? undefined
      : await intoPlace(target, (home) => withDownload(downloader, home, env, log));
    if (download !== undefined) log(`${capitalised(download)}; trying to build it with Go.`);
    const [first] = missing();
    if (first !== undefined) {
      const build = await intoPlace(target, (home) => withGo(programs, home, join(target, "bin"), env, log));
      if (build !== undefined) throw new Error(unavailable(first.title, download, build));
    }
    const result = found();
    if (result === undefined)
      throw new Error(`Pulumi ${pulumiVersion} was installed, but ${target} lacks what it needs.`);
    log(`Pulumi ${pulumiVersion} is kept in ${target}.`);
    return result;
  });
}

/** @param {string} goMod */
function cliVersion(goMod) {
  const version = /^require github\.com\/pulumi\/pulumi\/pkg\/v3 v(\S+)/m.exec(goMod)?.[1];
  if (version === undefined)
    throw new Error("scripts/pulumi-cli/engine/go.mod names no version of the Pulumi CLI.");
  return version;
}

/**
 * @param {string} title
 * @param {string | undefined} download Why the download failed; undefined if there is none.
 * @param {string} build Why the build failed.
 */
function unavailable(title, download, build) {
  const go = `Go ${minimumGo} or newer (https://go.dev/dl/)`;
  return download === undefined
    ? `Could not get ${title}: ${build}. It takes ${go} and its module proxy: with both, run the command again.`
    : `Could not get ${title}: ${download}, and ${build}. Let this machine reach https://get.pulumi.com, or ` +
        `install ${go}, then run the command again.`;
}

/**
 * @param {string} downloader
 * @param {string} home A `PULUMI_HOME`.
 * @param {Environment} env
 * @param {Log} log
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function withDownload(downloader, home, env, log) {
  const doing = `downloading Pulumi ${pulumiVersion}`;
  log(`${capitalised(doing)} …`);
  const { problem } = await run(process.execPath, [downloader, "version"], {
    seconds: seconds.download,
    env: { ...env, PULUMI_HOME: home, PULUMI_VERSION: pulumiVersion, PULUMI_SKIP_UPDATE_CHECK: "true" },
    doing,
    log,
  });
  return problem === "" ? undefined : `${doing} ${problem}`;
}

/**
 * @param {typeof goPrograms} programs
 * @param {string} home A `PULUMI_HOME`.
 * @param {string} kept Where an earlier build may have left programs, of which others are missing.
 * @param {Environment} parent
 * @param {Log} log
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function withGo(programs, home, kept, parent, log) {
  if (windows) return "building with Go is not supported on Windows";
  const go = findOnPath("go", parent);
  if (go === undefined) return "go is not on the PATH";
  /** @type {Environment} */
  const env = {
    ...parent,
    // go keeps its caches in the home folder, and stops without one.
    HOME: homeFolder(parent),
    GOWORK: "off",
    // Needs no C compiler, and gives the same result everywhere.
    CGO_ENABLED: "0",
    // An older Go fetches the one in go.mod. Container images set "local" for reasons of their own, so ignore
    // that.
    GOTOOLCHAIN: parent.GOTOOLCHAIN && parent.GOTOOLCHAIN !== "local" ? parent.GOTOOLCHAIN : "auto",
  };
  const answer = await run(go, ["env", "GOVERSION"], { seconds: seconds.goVersion, env, cwd: folder });
  if (answer.problem !== "") return `${go} env GOVERSION ${answer.problem}`;
  const version = /\d+\.\d+(\.\d+)?/.exec(answer.stdout)?.[0];
  if (version !== undefined && isOlder(version, minimumGo))
    return `${go} is ${version}, older than ${minimumGo}`;

  const bin = join(home, "versions", pulumiVersion, "bin");
  mkdirSync(bin, { recursive: true });
  if (findIn(kept, "pulumi") !== undefined) cpSync(kept, bin, { recursive: true });
  for (const program of programs) {
    if (findIn(bin, program.name) !== undefined) continue;
    const fetching = `fetching the Go modules of ${program.title}`;
    log(`${capitalised(fetching)} …`);
    // Fetch and build separately: the time for the network is limited, while a slow machine may finish its
    // build.
    const list = await run(go, ["list", "-mod=readonly", "-deps", "-f", "{{.Dir}}", program.package], {
      seconds: seconds.goModules,
      env,
      cwd: program.module,
      doing: fetching,
      log,
    });
    if (list.problem !== "") return `${fetching} ${list.problem}`;

    const building = `building ${program.title} with Go`;
    log(`${capitalised(building)}, which takes minutes the first time …`);
    const flags = ["-mod=readonly", "-trimpath", "-buildvcs=false", "-ldflags", goLinkerFlags];
    const build = await run(go, ["build", ...flags, "-o", join(bin, program.name), program.package], {
      seconds: seconds.goBuild,
      env: { ...env, GOPROXY: "off" },
      cwd: program.module,
      doing: building,
      log,
    });
    if (build.problem !== "") return `${building} ${build.problem}`;
    if (program.script !== undefined) {
      // Dependencies come first, the program itself last.
      const sources = list.stdout.trim().split("\n").at(-1) ?? "";
      placeScript(join(sources, program.script), bin);
    }
  }
  // The engine warns about plugins on the PATH that aren't next to it.
  for (const script of readdirSync(scripts)) placeScript(join(scripts, script), bin);
  return undefined;
}

/**
 * @param {string} file
 * @param {string} bin
 */
function placeScript(file, bin) {
  const place = join(bin, basename(file));
  copyFileSync(file, place);
  chmodSync(place, 0o755);
}

/**
 * Lets `make` fill a `PULUMI_HOME` of its own, from which a complete version moves to its place: a killed
 * download or build leaves nothing half-done.
 *
 * @param {string} target
 * @param {(home: string) => Promise<string | undefined>} make Returns why it failed.
 */
async function intoPlace(target, make) {
  const home = `${target}.part-${process.pid}`;
  mkdirSync(home, { recursive: true });
  try {
    const problem = await make(home);
    if (problem !== undefined) return problem;
    rmSync(target, { recursive: true, force: true });
    renameSync(join(home, "versions", pulumiVersion), target);
    return undefined;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** @param {string} target */
function removeLeftovers(target) {
  const versions = dirname(target);
  mkdirSync(versions, { recursive: true });
  for (const name of readdirSync(versions))
    if (name.startsWith(`${basename(target)}.part-`))
      rmSync(join(versions, name), { recursive: true, force: true });
}

/**
 * Returns the folder in which the CLI, the npm package and the Automation API keep versions.
 *
 * @param {Environment} env
 */
function pulumiHome(env) {
  return env.PULUMI_HOME ? resolve(env.PULUMI_HOME) : join(homeFolder(env), ".pulumi");
}

/** @param {Environment} env */
function homeFolder(env) {
  return env.HOME || userInfo().homedir;
}

/**
 * @param {string} name
 * @param {Environment} env
 */
function findOnPath(name, env) {
  for (const place of (env.PATH ?? "").split(delimiter)) {
    const file = place === "" ? undefined : findIn(place, name);
    if (file !== undefined) return file;
  }
  return undefined;
}

/**
 * @param {string} place
 * @param {string} name
 */
function findIn(place, name) {
  const file = join(place, windows ? `${name}.exe` : name);
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {string} version
 * @param {string} than
 */
function isOlder(version, than) {
  const wanted = than.split(".").map(Number);
  const given = version.split(".").map(Number);
  const differing = wanted.findIndex((part, index) => part !== (given[index] ?? 0));
  return differing !== -1 && (given[differing] ?? 0) < (wanted[differing] ?? 0);
}

/** @param {string} text */
function capitalised(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    const languages = process.argv.includes("--languages");
    console.log(
      JSON.stringify(await ensurePulumi({ languages, log: (sentence) => console.error(sentence) })),
    );
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
