// Makes archives of the plugin, which `pulumi plugin install` takes: one executable that needs no Node.js,
// for this platform or for those named, with the notices of what is in it, and SHA256SUMS.
// npm run plugin [-- --target OS-ARCH …]
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { create } from "tar";
import { noticeOf } from "../notices.mjs";
import { run } from "../process.mjs";
import { bundlePlugin, PACKAGES } from "./bundle.mjs";
import { nodesFor, ownTarget, TARGETS } from "./nodes.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
const { version, dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const seconds = 300;
const log = (/** @type {string} */ sentence) => console.error(sentence);

/** @typedef {import("./nodes.mjs").Target} Target */

try {
  const { targets, folder } = optionsOf(process.argv.slice(2));
  mkdirSync(folder, { recursive: true });
  for (const target of targets) console.log(await makeArchive(target, folder));
  writeSums(folder);
} catch (error) {
  log(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * @param {string[]} args
 * @returns {{ targets: Target[], folder: string }}
 */
function optionsOf(args) {
  const { values } = parseArgs({
    args,
    options: {
      target: { type: "string", multiple: true, default: [ownTarget()] },
      output: { type: "string", default: join(root, "archives") },
    },
  });
  const isTarget = (/** @type {string} */ one) => TARGETS.some((target) => target === one);
  const unknown = values.target.find((one) => !isTarget(one));
  if (unknown !== undefined)
    throw new Error(`There is no plugin for ${unknown}. Name one of these: ${TARGETS.join(", ")}.`);
  return { targets: /** @type {Target[]} */ (values.target), folder: resolve(values.output) };
}

/** @param {Target} target */
function archiveOf(target) {
  return `pulumi-resource-identity-v${version}-${target}.tar.gz`;
}

/**
 * @param {Target} target
 * @param {string} folder
 */
async function makeArchive(target, folder) {
  const archive = join(folder, archiveOf(target));
  const stage = mkdtempSync(join(tmpdir(), "pulumi-identity-plugin-"));
  try {
    const { version: ofNode, license, ...nodes } = await nodesFor(target, log);
    log(`Making the executable for ${target} …`);
    const name = `pulumi-resource-identity${target.startsWith("windows-") ? ".exe" : ""}`;
    await makeExecutable({ target, ...nodes, output: join(stage, name) });
    const bundled = readFileSync(join(root, "dist", "provider", "plugin-notices.txt"), "utf8");
    const others = Object.keys(dependencies)
      .filter((one) => PACKAGES.includes(one))
      .map(noticeOf);
    const notices = `This executable has Node.js ${ofNode} in it, and parts of the packages below.\n\n`;
    writeFileSync(
      join(stage, "NOTICES.txt"),
      `${notices}${license.trim()}\n\n${[bundled, ...others].join("\n\n")}\n`,
    );
    copyFileSync(join(root, "LICENSE"), join(stage, "LICENSE"));
    // The same bytes for the same files.
    const exact = { portable: true, mtime: new Date(0), gzip: { level: 9 } };
    const unfinished = `${archive}.new`;
    await create({ file: unfinished, cwd: stage, ...exact }, [name, "LICENSE", "NOTICES.txt"]);
    renameSync(unfinished, archive);
    return archive;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/**
 * @param {{ target: Target, base: string, maker: string, output: string }} files
 */
async function makeExecutable({ target, base, maker, output }) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-identity-sea-"));
  const isOwn = target === ownTarget();
  try {
    const entry = join(root, "dist", "provider", "plugin.js");
    // Its path is in the executable, and a folder's name would differ from build to build.
    const main = "plugin.js";
    await bundlePlugin({ root, entry, outfile: join(work, main), isWhole: true });
    const options = {
      main,
      output,
      executable: base,
      disableExperimentalSEAWarning: true,
      // Only the platform itself can make it.
      useCodeCache: isOwn,
      // NODE_OPTIONS are for the program, whose modules the plugin doesn't have.
      execArgvExtension: "none",
    };
    writeFileSync(join(work, "sea.json"), JSON.stringify(options));
    const made = await run(maker, ["--build-sea", "sea.json"], {
      seconds,
      cwd: work,
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    if (made.problem !== "")
      throw new Error(`Node.js could not make the plugin for ${target}: it ${made.problem}.`);
    if (target.startsWith("darwin-")) await sign(output);
    chmodSync(output, 0o755);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * macOS on ARM runs nothing without a signature, and what was put in has ended Node.js' own.
 *
 * @param {string} file
 */
async function sign(file) {
  if (process.platform !== "darwin")
    return log("It isn't signed, and macOS on ARM won't run it: sign it there (codesign --sign - FILE).");
  const { problem } = await run("codesign", ["--sign", "-", "--force", file], { seconds });
  if (problem !== "") throw new Error(`codesign could not sign the plugin: it ${problem}.`);
}

/** @param {string} folder */
function writeSums(folder) {
  const names = TARGETS.map(archiveOf).filter((name) => existsSync(join(folder, name)));
  const lines = names.sort().map((name) => `${sumOf(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

/** @param {string} file */
function sumOf(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
