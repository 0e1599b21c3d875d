import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/**
 * The pages in the order of the navigation, which a page needs no front matter for: its title is its first
 * heading.
 */
export const GROUPS = {
  "First steps": [...group("docs/", "start", "configuration", "adopt", "languages"), "examples/README.md"],
  Reviews: [
    ...group("docs/", "review", "pipelines"),
    "examples/pipelines/README.md",
    ...group("docs/", "held", "rules", "with-auth0"),
  ],
  "Who has which role": [
    ...group("docs/", "audits", "leaving", "temporary-access"),
    "examples/access-as-data/README.md",
  ],
  Reference: [
    ...group(
      "docs/resources/",
      "connection-profile",
      "role-group-assignment",
      "device-credential-removal",
      "user-sign-out",
    ),
    ...group("docs/", "data-sources", "pulumi", "scale", "support"),
  ],
  Troubleshooting: group("docs/", "troubleshooting", "recovery"),
  More: ["SECURITY.md", "CHANGELOG.md", ...group("docs/", "README")],
  Contributing: [
    "CONTRIBUTING.md",
    ...group("docs/", "contributing/new-resource", "how-it-works", "reliability"),
    ...group("docs/", "contributing/benchmarks", "releasing"),
  ],
};

export const LANDING = "README.md";
export const PAGES = [LANDING, ...Object.values(GROUPS).flat()];

/** @type {Record<string, string>} Of pages beside docs/, and of the index in it. */
const ADDRESSES = {
  [LANDING]: "index.md",
  "docs/README.md": "documentation.md",
  "examples/README.md": "examples.md",
  "examples/access-as-data/README.md": "access-as-data.md",
  "examples/pipelines/README.md": "set-up-a-pipeline.md",
};

/**
 * Where a page lies on the site: `docs/start.md` is `start.md` there.
 *
 * @param {string} path
 */
export function addressOf(path) {
  return (
    ADDRESSES[path] ??
    path
      .replace(/^docs\//, "")
      .replace(/README\.md$/, "index.md")
      .toLowerCase()
  );
}

/** @param {string} path */
export function titleOf(path) {
  const title = /^# (.+)$/m.exec(textOf(path))?.[1];
  if (title === undefined) throw new Error(`${path} needs a first heading, of which its title is made.`);
  return title.replaceAll("`", "");
}

/**
 * The first sentences of a page, for search engines: as many as fit, and at least one.
 *
 * @param {string} path
 */
export function descriptionOf(path) {
  const paragraph = /^# .+\n+(?:\[!\[.+\n+)?([^]+?)\n\n/m.exec(textOf(path))?.[1] ?? "";
  const text = paragraph
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replaceAll("\n", " ");
  const [first = "", ...more] = text.split(/(?<=[.?!]) /);
  return more.reduce((all, next) => (`${all} ${next}`.length > 160 ? all : `${all} ${next}`), first);
}

/** @param {string} path */
export function textOf(path) {
  return readFileSync(join(root, path), "utf8");
}

/**
 * @param {string} folder
 * @param {string[]} names
 */
function group(folder, ...names) {
  return names.map((name) => `${folder}${name}.md`);
}
