// Draws the folders of provider/ and what they import into CONTRIBUTING.md, between the two markers there.
// node scripts/picture.mjs [--check]
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise } from "dependency-cruiser";
import { format, resolveConfig } from "prettier";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(root, "CONTRIBUTING.md");
const BLOCK = /(<!-- provider: made by `npm run picture` -->\n)[^]*?(\n<!-- \/provider -->)/;
/** From the top layer to the bottom. */
const LAYERS = ["index.ts", "runtime.ts", "cli", "resources", "data-sources", "pulumi", "service", "http"];

process.chdir(root);
const { options } = createRequire(import.meta.url)(join(root, ".dependency-cruiser.cjs"));
const { output } = await cruise(["provider", "cli"], { ...options, includeOnly: "^(provider|cli)/" });
const modules = /** @type {import("dependency-cruiser").ICruiseResult} */ (output).modules;

const before = readFileSync(file, "utf8");
if (!BLOCK.test(before)) throw new Error(`CONTRIBUTING.md lacks the markers that ${BLOCK} looks for.`);
const block = `\n${picture()}\n`;
const after = await format(
  before.replace(BLOCK, (_, start, end) => start + block + end),
  { ...(await resolveConfig(file)), filepath: file },
);
if (!process.argv.includes("--check")) {
  writeFileSync(file, after);
} else if (after !== before) {
  console.error("The picture of provider/ in CONTRIBUTING.md is not current: run `npm run picture`.");
  process.exitCode = 1;
}

/**
 * The folder of a file. A file directly in provider/ or resources/ stands for itself, because it is a whole
 * there.
 *
 * @param {string} path
 */
function placeOf(path) {
  const [first = "", ...more] = path.replace(/^provider\//, "").split("/");
  if (more.length === 0) return first;
  return first === "resources" ? `${first}/${more[0]}` : [first, ...more.slice(0, -1)].join("/");
}

/** @returns {string[]} */
function places() {
  const layer = (/** @type {string} */ place) => {
    const index = LAYERS.indexOf(place.split("/")[0] ?? "");
    return index < 0 ? LAYERS.length : index;
  };
  return [...new Set(modules.map(({ source }) => placeOf(source)))].sort(
    (one, other) => layer(one) - layer(other) || (one < other ? -1 : 1),
  );
}

function picture() {
  const all = places();
  const imports = new Map(all.map((place) => [place, new Set(/** @type {string[]} */ ([]))]));
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) imports.get(placeOf(source))?.add(placeOf(resolved));
  }
  for (const [place, targets] of imports) targets.delete(place);
  leaveOutWhatFollows(imports);
  const id = (/** @type {string} */ place) => place.replaceAll(/\W/g, "_");
  const arrows = (/** @type {string} */ place) => {
    const targets = [...(imports.get(place) ?? [])].map(id).sort();
    return targets.length === 0 ? [] : [`  ${id(place)} --> ${targets.join(" & ")}`];
  };
  return [
    "```mermaid",
    "flowchart TD",
    ...all.map((place) => `  ${id(place)}["${place}"]`),
    ...all.flatMap(arrows),
    "```",
  ].join("\n");
}

/**
 * Takes away each arrow whose ends other arrows join as well: with all of them, nothing could be seen.
 *
 * @param {Map<string, Set<string>>} imports
 */
function leaveOutWhatFollows(imports) {
  for (const targets of imports.values()) {
    for (const target of [...targets]) {
      targets.delete(target);
      const reached = new Set(targets);
      for (const place of reached) imports.get(place)?.forEach((next) => reached.add(next));
      if (!reached.has(target)) targets.add(target);
    }
  }
}
