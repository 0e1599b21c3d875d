// Finds, downloads or builds the Pulumi CLI. Building with Go exists for machines that reach package registries, but not
// the place that the official installer downloads from. As a command, `node scripts/pulumi-cli/index.mjs` prints the result as JSON.
import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir, userInfo } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lastWords, run, withLock } from "../process.mjs";

/** The version that is downloaded or built. */
export const pulumiVersion = "3.257.0";
/** The oldest version taken from the PATH. */
export const minimumVersion = "3.200.0";
/** Older ones can't fetch the newer Go that go.mod asks for. */
const minimumGo = "1.21.0";

const folder = dirname(fileURLToPath(import.meta.url));
const windows = process.platform === "win32";
const seconds = { version: 30, installer: 300, goModules: 900, goBuild: 3600 };

/**
 * The two Go programs of a Pulumi installation that runs Node.js programs. The language host was published as
 * a module of its own after 3.68, without a version that `go` can fetch; it only launches the program.
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
];
/** The version is set by the linker, as in the official build; without it the CLI reports none. */
const goLinkerFlags = `-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${pulumiVersion}`;
const scripts = join(folder, "bin");

/** @typedef {import("../process.mjs").Log} Log */
/** @typedef {import("./index.d.mts").PulumiCli} PulumiCli */
/** @typedef {Record<string, string | undefined>} Environment */

/** @type {typeof import("./index.d.mts").ensurePulumi} */
export async function ensurePulumi({
  log,
  env = process.env,
  installer = join(folder, "official-installer.mjs"),
}) {
  /**
   * What was tried and why it did not serve, as parts of one sentence.
   *
   * @type {string[]}
   */
  const tried = [];

  const onPath = await fromPath(env);
  if (typeof onPath !== "string") return onPath;
  tried.push(onPath);

  const cache = cacheFolder(env);
  const downloaded = join(cache, `pulumi-${pulumiVersion}-${process.platform}-${process.arch}`);
  const built = `${downloaded}-go-${goPin()}`;
  const cached = () => fromCache(downloaded, "installer", env) ?? fromCache(built, "go", env);
  const found = cached();
  if (found !== undefined) return found;

  log(`No Pulumi CLI yet: ${onPath}.`);
  return withLock(downloaded, log, async () => {
    const meanwhile = cached();
    if (meanwhile !== undefined) return meanwhile;
    removeLeftovers(cache, basename(downloaded));

    const install = await withInstaller(installer, downloaded, env, log);
    if (install !== undefined) {
      tried.push(install);
      log(`${capitalised(install)}; trying to build it with Go.`);
      const build = await withGo(built, env, log);
      if (build !== undefined) throw new Error(unavailable([...tried, build]));
    }
    const result = cached();
    if (result === undefined) throw new Error(unavailable([...tried, `${cache} lacks what was installed`]));
    log(`Pulumi ${result.version} is kept in ${dirname(dirname(result.bin))}.`);
    return result;
  });
}

/** @param {string[]} tried */
function unavailable(tried) {
  const all = [tried.slice(0, -1).join(", "), tried.at(-1)].filter(Boolean).join(" and ");
  return (
    `There is no Pulumi CLI to run: ${all}. Install Pulumi ${minimumVersion} or newer ` +
    `(https://www.pulumi.com/docs/install/) or Go ${minimumGo} or newer (https://go.dev/dl/), then run the command again.`
  );
}

/**
 * @param {Environment} env
 * @returns {Promise<PulumiCli | string>} The CLI, or why the one on the PATH does not serve.
 */
async function fromPath(env) {
  const bin = findOnPath("pulumi", env);
  if (bin === undefined) return "pulumi is not on the PATH";
  const { stdout, problem } = await run(bin, ["version"], {
    seconds: seconds.version,
    env: { ...env, PULUMI_SKIP_UPDATE_CHECK: "true" },
  });
  if (problem !== "") return `${bin} version ${problem}`;
  const version = /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  if (version === undefined) return `${bin} version answered "${lastWords(stdout)}"`;
  if (isOlder(version, minimumVersion)) return `${bin} is ${version}, older than ${minimumVersion}`;
  const host = "pulumi-language-nodejs";
  if (findIn(dirname(realpathSync(bin)), host) === undefined && findOnPath(host, env) === undefined) {
    return `${bin} (${version}) has no ${host} beside it or on the PATH`;
  }
  return { version, bin, source: "path", env: { PATH: env.PATH ?? "" } };
}

/**
 * @param {string} root
 * @param {"installer" | "go"} source
 * @param {Environment} env
 * @returns {PulumiCli | undefined}
 */
function fromCache(root, source, env) {
  const bin = findIn(join(root, "bin"), "pulumi");
  if (bin === undefined) return undefined;
  return { version: pulumiVersion, bin, source, env: { PATH: [dirname(bin), env.PATH].join(delimiter) } };
}

/**
 * @param {string} installer
 * @param {string} target
 * @param {Environment} env
 * @param {Log} log
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function withInstaller(installer, target, env, log) {
  log(`Downloading Pulumi ${pulumiVersion} with Pulumi's installer …`);
  return intoPlace(target, async (part) => {
    const { problem } = await run(process.execPath, [installer, pulumiVersion, part], {
      seconds: seconds.installer,
      env,
      doing: `downloading Pulumi ${pulumiVersion}`,
      log,
    });
    if (problem !== "") return `Pulumi's installer ${problem}`;
    return findIn(join(part, "bin"), "pulumi") ? undefined : "Pulumi's installer left no pulumi behind";
  });
}

/**
 * @param {string} target
 * @param {Environment} parent
 * @param {Log} log
 * @returns {Promise<string | undefined>} Why it failed.
 */
async function withGo(target, parent, log) {
  if (windows) return "building with Go is not supported on Windows";
  const go = findOnPath("go", parent);
  if (go === undefined) return "go is not on the PATH";
  /** @type {Environment} */
  const env = {
    ...parent,
    // go keeps its caches in the home folder and stops without one.
    HOME: homeFolder(parent),
    GOWORK: "off",
    // No C compiler needed, and the same result wherever it is built.
    CGO_ENABLED: "0",
    // An older Go fetches the one that go.mod asks for; "local" is what container images set, for their own sake.
    GOTOOLCHAIN: parent.GOTOOLCHAIN && parent.GOTOOLCHAIN !== "local" ? parent.GOTOOLCHAIN : "auto",
  };
  const answer = await run(go, ["env", "GOVERSION"], { seconds: seconds.version, env, cwd: folder });
  if (answer.problem !== "") return `${go} env GOVERSION ${answer.problem}`;
  const version = /\d+\.\d+(\.\d+)?/.exec(answer.stdout)?.[0];
  if (version !== undefined && isOlder(version, minimumGo))
    return `${go} is ${version}, older than ${minimumGo}`;

  return intoPlace(target, async (part) => {
    const bin = join(part, "bin");
    for (const program of goPrograms) {
      const fetching = `fetching the Go modules of ${program.title}`;
      log(`${capitalised(fetching)} …`);
      // Fetching apart from building: the network is bounded, and a slow machine still gets its build done.
      const list = await run(go, ["list", "-mod=readonly", "-deps", "-f", "{{.Name}}", program.package], {
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
    }
    // The engine warns about plugins that are on the PATH but not beside it.
    for (const script of readdirSync(scripts)) {
      copyFileSync(join(scripts, script), join(bin, script));
      chmodSync(join(bin, script), 0o755);
    }
    return undefined;
  });
}

/**
 * Lets `make` fill a folder that gets its name only when complete, so that a killed build leaves nothing half-done.
 *
 * @param {string} target
 * @param {(part: string) => Promise<string | undefined>} make Returns why it failed.
 */
async function intoPlace(target, make) {
  const part = `${target}.part-${process.pid}`;
  mkdirSync(join(part, "bin"), { recursive: true });
  try {
    const problem = await make(part);
    if (problem === undefined) renameSync(part, target);
    return problem;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/**
 * @param {string} cache
 * @param {string} prefix
 */
function removeLeftovers(cache, prefix) {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    if (name.startsWith(prefix) && name.includes(".part-")) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
}

/** A changed pin or script is a new folder in the cache. */
function goPin() {
  const hash = createHash("sha256").update(goLinkerFlags);
  for (const { module } of goPrograms) {
    for (const file of ["go.mod", "go.sum"]) hash.update(readFileSync(join(module, file)));
  }
  for (const script of readdirSync(scripts)) hash.update(readFileSync(join(scripts, script)));
  return hash.digest("hex").slice(0, 12);
}

/** @param {Environment} env */
function cacheFolder(env) {
  if (env.PULUMI_IDENTITY_CACHE) return resolve(env.PULUMI_IDENTITY_CACHE);
  return join(env.XDG_CACHE_HOME || join(homeFolder(env), ".cache"), "pulumi-identity");
}

/** @param {Environment} env */
function homeFolder(env) {
  return env.HOME || (windows && homedir()) || userInfo().homedir;
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
    console.log(JSON.stringify(await ensurePulumi({ log: (sentence) => console.error(sentence) })));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
