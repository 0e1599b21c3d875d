// Checks a release before anything of it is published. Needs no packages.
// node .ci/check-release.mjs v1.2.3: the sources are those of that release.
// node .ci/check-release.mjs v1.2.3 FOLDER [OS-ARCH]: so are the archives of the plugin in the folder, all
// of them and nothing else, or the one of a platform.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const SUMS = "SHA256SUMS";
const PROGRAM = "pulumi-resource-identity";
/** Where pages name the version in commands and declarations. */
const NAMED =
  /(?:resource identity v?|\bidentity@v?|sdk\/go@v|pulumi-identity(?:-simulator)?-|name: identity\nversion: )(\d+\.\d+\.\d+(?:-[\w.]+)?)/g;
/** What pages say until there is a release. */
const UNPUBLISHED =
  /(?:n[o']t|nothing is) (?:on npm|published) yet|(?:until|once) (?:it's|it is|we) publish\w*/i;
const PLATFORMS = ["linux", "darwin", "windows"].flatMap((os) => [`${os}-amd64`, `${os}-arm64`]);

const [tag = "", folder, platform] = process.argv.slice(2);
const problems =
  folder === undefined
    ? problemsOfSources(tag)
    : problemsOfArchives(resolve(folder), tag.slice(1), platform === undefined ? PLATFORMS : [platform]);
if (platform === undefined && folder !== undefined) problems.push(...strangersIn(resolve(folder)));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** @param {string} tag */
function problemsOfSources(tag) {
  const { version } = JSON.parse(text("package.json"));
  const problems = [];
  if (tag !== `v${version}`)
    problems.push(`The tag ${JSON.stringify(tag)} is not v${version}, the version in package.json.`);
  if (version.includes("-"))
    problems.push(`${version} is a prerelease, which npm and GitHub would call the latest release.`);
  for (const file of [
    "simulator/package.json",
    "schema.json",
    "sdk/python/pyproject.toml",
    "sdk/python/pulumi_identity/pulumi-plugin.json",
    "sdk/go/identity/pulumi-plugin.json",
  ]) {
    const found = file.endsWith(".toml")
      ? /^\s*version = "(.*)"$/m.exec(text(file))?.[1]
      : JSON.parse(text(file) || "{}").version;
    if (found !== version)
      problems.push(
        `${file} has ${found ? `the version ${found}` : "no version"}, and package.json ${version}.`,
      );
  }
  const { dependencies } = JSON.parse(text("template/package.json") || "{}");
  const taken = dependencies?.["pulumi-identity"];
  if (taken !== `^${version}` && taken !== `file:pulumi-identity-${version}.tgz`)
    problems.push(`template/package.json takes ${taken ?? "no version"} of pulumi-identity, not ${version}.`);
  const [, , section] = text("CHANGELOG.md").split(new RegExp(`^(## \\[${escaped(version)}\\].*)$`, "m"));
  if (section === undefined) problems.push(`CHANGELOG.md has no section "## [${version}]".`);
  else if (UNPUBLISHED.test(section.split("\n## ")[0] ?? ""))
    problems.push(`CHANGELOG.md says that ${version} is not published yet.`);
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).sort();
  for (const page of [
    "README.md",
    "examples/pipelines/README.md",
    "simulator/README.md",
    ...docs.map((name) => `docs/${name}`),
  ]) {
    if (!page.endsWith(".md")) continue;
    const [unpublished] = UNPUBLISHED.exec(text(page)) ?? [];
    if (unpublished !== undefined) problems.push(`${page} says "${unpublished}".`);
    for (const [said, named] of text(page).matchAll(NAMED))
      if (named !== version) problems.push(`${page} says "${said.replace("\n", " ")}", not ${version}.`);
  }
  return problems;
}

/** @param {string} file */
function text(file) {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[.+]/g, "\\$&");
}

/**
 * @param {string} folder
 * @param {string} version
 * @param {string[]} platforms
 */
function problemsOfArchives(folder, version, platforms) {
  const sums = sumsIn(folder);
  return platforms.flatMap((platform) => {
    const name = archiveOf(version, platform);
    const path = join(folder, name);
    if (!existsSync(path)) return [`${name} is missing.`];
    const packed = readFileSync(path);
    const problems = [];
    const sum = createHash("sha256").update(packed).digest("hex");
    if (sums.get(name) !== sum)
      problems.push(sums.has(name) ? `has another checksum than ${SUMS} says.` : `is not in ${SUMS}.`);
    try {
      problems.push(...problemsOfContents(entriesOf(gunzipSync(packed)), version, platform));
    } catch (error) {
      problems.push(`is not a whole archive: ${/** @type {Error} */ (error).message}.`);
    }
    return problems.map((problem) => `${name} ${problem}`);
  });
}

/**
 * @param {string} version
 * @param {string} platform
 */
function archiveOf(version, platform) {
  return `${PROGRAM}-v${version}-${platform}.tar.gz`;
}

/**
 * @param {string} folder
 * @returns {Map<string, string>} Checksums by file.
 */
function sumsIn(folder) {
  const file = join(folder, SUMS);
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return new Map(lines.map((line) => /** @type {const} */ ([line.slice(66), line.slice(0, 64)])));
}

/** @param {string} folder */
function strangersIn(folder) {
  const wanted = [SUMS, ...PLATFORMS.map((platform) => archiveOf(tag.slice(1), platform))];
  const found = new Set([...readdirSync(folder), ...sumsIn(folder).keys()].filter((name) => name !== ""));
  return [...found].filter((name) => !wanted.includes(name)).map((name) => `${name} is no part of ${tag}.`);
}

/** @typedef {{ name: string, mode: number, isFile: boolean, content: Buffer }} Entry */

/**
 * Pulumi unpacks whatever is in an archive, and looks for the program when it first needs it.
 *
 * @param {Entry[]} entries
 * @param {string} version
 * @param {string} platform
 */
function problemsOfContents(entries, version, platform) {
  const program = platform.startsWith("windows") ? `${PROGRAM}.exe` : PROGRAM;
  const wanted = [program, "LICENSE", "NOTICES.txt"].sort().join(", ");
  const names = entries.map(({ name, isFile }) => (isFile ? name : `${name} (no file)`)).sort();
  if (names.join(", ") !== wanted) return [`contains ${names.join(", ")}, not ${wanted}.`];
  const { mode, content } = /** @type {Entry} */ (entries.find(({ name }) => name === program));
  const problems = [];
  if ((mode & 0o111) !== 0o111) problems.push(`contains a ${program} that is not executable.`);
  const made = platformOf(content);
  if (made !== platform)
    problems.push(`contains a program ${made ? `for ${made}` : "of no known platform"}.`);
  else if (platform === ownPlatform()) {
    const said = versionOf(program, content);
    if (said !== version) problems.push(`contains a program that gives its version as ${said}.`);
  }
  return problems;
}

/** @param {Buffer} archive A tar file of short names, as the plugin's are. */
function entriesOf(archive) {
  /** @type {Entry[]} */
  const entries = [];
  for (let at = 0; ;) {
    const header = archive.subarray(at, at + 512);
    if (header.length < 512) throw new Error("it breaks off");
    if (header[0] === 0) return entries;
    const field = (/** @type {number} */ from, /** @type {number} */ to) =>
      header.toString("latin1", from, to).replace(/\0.*$/s, "");
    const size = parseInt(field(124, 136), 8);
    const prefix = field(345, 500);
    entries.push({
      name: prefix === "" ? field(0, 100) : `${prefix}/${field(0, 100)}`,
      mode: parseInt(field(100, 108), 8),
      isFile: ["0", ""].includes(field(156, 157)),
      content: archive.subarray(at + 512, at + 512 + size),
    });
    at += 512 + 512 * Math.ceil(size / 512);
  }
}

/**
 * @param {Buffer} program
 * @returns {string | undefined} The platform in the header of an ELF, Mach-O or PE file.
 */
function platformOf(program) {
  const at = (/** @type {number} */ offset) => program.readUInt32LE(offset);
  if (program.length < 64) return undefined;
  if (at(0) === 0x464c457f) return { 0x3e: "linux-amd64", 0xb7: "linux-arm64" }[program.readUInt16LE(18)];
  if (at(0) === 0xfeedfacf) return { 0x1000007: "darwin-amd64", 0x100000c: "darwin-arm64" }[at(4)];
  const pe = at(60);
  if (program.readUInt16LE(0) !== 0x5a4d || pe + 6 > program.length || at(pe) !== 0x4550) return undefined;
  return { 0x8664: "windows-amd64", 0xaa64: "windows-arm64" }[program.readUInt16LE(pe + 4)];
}

function ownPlatform() {
  const { platform, arch } = process;
  return `${platform === "win32" ? "windows" : platform}-${arch === "x64" ? "amd64" : arch}`;
}

/**
 * @param {string} name
 * @param {Buffer} program
 */
function versionOf(name, program) {
  const folder = mkdtempSync(join(tmpdir(), "check-release-"));
  try {
    writeFileSync(join(folder, name), program, { mode: 0o755 });
    const { stdout, error } = spawnSync(join(folder, name), ["--version"], {
      encoding: "utf8",
      env: { ...process.env, PATH: "" },
      timeout: 60_000,
    });
    return error === undefined ? stdout.trim() || "nothing" : error.message;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
