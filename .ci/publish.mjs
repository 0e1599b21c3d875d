// The steps of publish.yml that write, in its order. Each skips what an earlier run has done.
// node .ci/publish.mjs draft TAG FOLDER: a draft of the release on GitHub, with the files of a folder.
// node .ci/publish.mjs npm TAG: both packages on npm.
// node .ci/publish.mjs go TAG: the tag by which Go finds the module in sdk/go.
// node .ci/publish.mjs release TAG: publishes the draft.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const [step = "", tag = "", given = ""] = process.argv.slice(2);
const folder = resolve(given);
const steps = { draft, npm, go, release };

try {
  if (!Object.hasOwn(steps, step) || tag === "" || (step === "draft" && given === ""))
    throw new Error("Usage: node .ci/publish.mjs draft|npm|go|release TAG [FOLDER]");
  steps[/** @type {keyof typeof steps} */ (step)]();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

function draft() {
  const files = readdirSync(folder).sort();
  const found = releaseOf();
  if (found?.draft === false) {
    const missing = files.filter((name) => !found.assets.some((asset) => asset.name === name));
    if (missing.length === 0) return console.log(`${tag} is published, and keeps its files.`);
    throw new Error(`${tag} is published without ${missing.join(", ")}. Release another version.`);
  }
  if (found === undefined)
    act(
      "gh",
      ["release", "create", tag, "--draft", "--verify-tag", "--title", tag, "--notes-file", "-"],
      notes(),
    );
  // Files of an earlier run may be half uploaded, or built again.
  const wanted = files.filter((name) => {
    const asset = found?.assets.find((asset) => asset.name === name);
    const sum = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    return asset?.state !== "uploaded" || asset.digest !== `sha256:${sum}`;
  });
  if (wanted.length === 0) return console.log(`The draft of ${tag} has all files.`);
  act("gh", ["release", "upload", tag, "--clobber", ...wanted.map((name) => join(folder, name))]);
}

function npm() {
  for (const [file, ...workspace] of [
    ["simulator/package.json", "--workspace", "pulumi-identity-simulator"],
    ["package.json"],
  ]) {
    const { name, version } = JSON.parse(readFileSync(join(root, file ?? ""), "utf8"));
    // A failed question is no answer: npm refuses a version that it has.
    const { stdout } = spawnSync("npm", ["view", `${name}@${version}`, "version"], { encoding: "utf8" });
    if (stdout.trim() === version) console.log(`npm has ${name} ${version}.`);
    else act("npm", ["publish", "--ignore-scripts", "--provenance", "--access", "public", ...workspace]);
  }
}

function go() {
  const name = `tags/sdk/go/${tag}`;
  const head = run("git", ["rev-parse", "HEAD"]).trim();
  const refs = /** @type {{ ref: string, object: { sha: string } }[]} */ (ask(`git/matching-refs/${name}`));
  const found = refs.find(({ ref }) => ref === `refs/${name}`);
  if (found === undefined)
    act("gh", [
      "api",
      "--method",
      "POST",
      "repos/{owner}/{repo}/git/refs",
      "-f",
      `ref=refs/${name}`,
      "-f",
      `sha=${head}`,
    ]);
  else if (found.object.sha === head) console.log(`sdk/go/${tag} is there.`);
  else
    throw new Error(
      `The tag sdk/go/${tag} is at ${found.object.sha}, not at ${head}. Go's proxy keeps what it has seen: release another version.`,
    );
}

function release() {
  const found = releaseOf();
  if (found === undefined) throw new Error(`${tag} has no draft.`);
  if (!found.draft) return console.log(`${tag} is published.`);
  act("gh", ["release", "edit", tag, "--draft=false", "--latest"]);
}

/**
 * @typedef {{
 *   tag_name: string;
 *   draft: boolean;
 *   assets: { name: string; state: string; digest?: string | null }[];
 * }} Release
 */

/** Drafts can't be asked for by their tag. */
function releaseOf() {
  const releases = /** @type {Release[]} */ (ask("releases?per_page=100"));
  return releases.find(({ tag_name }) => tag_name === tag);
}

/** Returns the version's section of the changelog. */
function notes() {
  const [, after = ""] = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(`\n## [${tag.slice(1)}]`);
  return after.split("\n## ")[0]?.replace(/^.*\n/, "").trim() ?? "";
}

/** @param {string} path Of GitHub's API, in this repository. */
function ask(path) {
  return JSON.parse(run("gh", ["api", `repos/{owner}/{repo}/${path}`]));
}

/**
 * Runs a command that changes something.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {string} [input]
 */
function act(command, args, input) {
  console.log(`${command} ${args.join(" ")}\n${run(command, args, input)}`.trim());
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} [input]
 */
function run(command, args, input = "") {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: root, encoding: "utf8", input });
  if (status === 0) return stdout;
  throw new Error(
    `${[command, ...args].join(" ")} failed: ${error?.message ?? (stderr.trim() || stdout.trim())}`,
  );
}
