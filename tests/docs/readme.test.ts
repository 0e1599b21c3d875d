import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/* The README: what a newcomer reads in the first minute. All else is in docs/, which pages.test.ts holds. */

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

test("the quickstart in the README is the program that the tests run", () => {
  expect(readme).toContain(`\`\`\`ts\n${read("examples/quickstart/index.ts")}\`\`\`\n`);
});

test("the README fits on a few screens", () => {
  expect(readme.split("\n").length).toBeLessThanOrEqual(150);
});

test("the versions in the comparison are those that the page about it has looked at", () => {
  const [header = ""] = /^\| +\| This package.*$/m.exec(readme) ?? [];
  const versions = [...header.matchAll(/\d+\.\d+\.\d+/g)].map(([version]) => version);
  expect(versions).toHaveLength(4);
  const page = read("docs/comparison.md");
  for (const version of versions) expect(page).toContain(` ${version}`);
});

test("the official client that is measured is the one that is compared", () => {
  const { version } = JSON.parse(read("node_modules/auth0/package.json")) as { version: string };
  expect(readme).toContain(`SDK \`auth0\` ${version}`);
  expect(read("docs/contributing/benchmarks.md")).toContain(`npm package \`auth0\` ${version}`);
});
