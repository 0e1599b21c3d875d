import { deepEqual, ok } from "node:assert/strict";
import { read, rule } from "./rule";

/* CONTRIBUTING.md explains package.json, which has no comments. */

const page = read("CONTRIBUTING.md");
const { scripts, devDependencies, overrides } = JSON.parse(read("package.json")) as Record<
  "scripts" | "devDependencies" | "overrides",
  Record<string, string>
>;

/** Returns the names in the first cells of a section's table, sorted. */
function named(heading: string): string[] {
  const [, section = ""] = page.split(`\n## ${heading}\n`);
  const rows = section.split("\n## ", 1)[0]?.match(/^\| `.+$/gm) ?? [];
  return rows
    .flatMap((row) => [...(row.split(" | ", 1)[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name))
    .sort();
}

rule("CONTRIBUTING.md has each script of package.json, 20 at most", () => {
  deepEqual(named("Commands"), Object.keys(scripts).sort());
  ok(Object.keys(scripts).length <= 20, "Make it an option of another one, or a line of CONTRIBUTING.md.");
});

rule("CONTRIBUTING.md has the reason of each package that development takes, and of each override", () => {
  deepEqual(named("Dependencies"), Object.keys(devDependencies).sort());
  const [, text = ""] = /\n`overrides`([\s\S]+?)\n\n/.exec(page) ?? [];
  deepEqual(
    Object.keys(overrides).filter((name) => !text.includes(`\`${name}\``)),
    [],
  );
});
