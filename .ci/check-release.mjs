// node .ci/check-release.mjs v1.2.3: whether the sources are those of that release.
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const read = (/** @type {string} */ path) => readFileSync(join(root, path), "utf8");

const [tag = ""] = process.argv.slice(2);
const { version } = JSON.parse(read("package.json"));

const problems = [];
const simulator = JSON.parse(read("simulator/package.json"));
if (tag !== `v${version}`) {
  problems.push(`The tag ${JSON.stringify(tag)} is not v${version}, the version in package.json.`);
}
if (simulator.version !== version) {
  problems.push(`simulator/package.json has the version ${simulator.version}, and package.json ${version}.`);
}
if (!read("CHANGELOG.md").includes(`\n## [${version}]`)) {
  problems.push(`CHANGELOG.md has no section "## [${version}]".`);
}

for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
