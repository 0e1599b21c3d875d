import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

/*
 * What Pulumi's registry asks of a community package before it takes a release, and of its pages. The rules
 * are those of github.com/pulumi/registry at 0b21a20cc4bc4f3d4ab66026b6ef502ade16a76a: verify_entry.py,
 * sdk_install_probe.py and doc_lint.py in scripts/ci/community-package/, metadata.go in
 * tools/resourcedocsgen/cmd/, and scripts/lint/. That the schema has the release's version comes from
 * 0d777378b6e927335404e968a7017e73a9f51667.
 */

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

const SLUG = "pulumi-identity/pulumi-identity";
const INDEX = "docs/_index.md";
const INSTALLATION = "docs/installation-configuration.md";
const SEMVER = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;
const CATEGORIES = ["cloud", "database", "infrastructure", "monitoring", "network", "utility", "vcs"];
const SAFE_NAME = /^[A-Za-z0-9._@/-]+$/;
const SAFE_URL = /^(?:https|github|gitlab):\/\/[A-Za-z0-9._~:/?#@!$&()*+,;=-]+$/;
/** What its pages can't show. */
const LINKS: readonly [pattern: RegExp, problem: string][] = [
  [/<img[^>]+src=["'](?:[./]|[^hH])/, "a relative image"],
  [/!\[[^\]]*\]\([./]/, "a relative image"],
  [/<a[^>]+href="[./]/, "a relative link"],
  [/\]\((?!https?:\/\/)[^)]*\.md[)#]/, "a link to a Markdown file"],
  // It warns only of those above, and all others are broken, too.
  [/\]\((?!https?:\/\/|#)/, "a relative link"],
];

/** A release as the registry reads it. */
interface Release {
  tag: string;
  files: Record<string, string | undefined>;
}

interface Schema {
  name?: string;
  version?: string;
  publisher?: string;
  keywords?: string[];
  pluginDownloadURL?: string;
  logoUrl?: string;
  language: Record<string, { packageName?: string; importBasePath?: string } | undefined>;
}

function problemsOf({ tag, files }: Release): string[] {
  const text = files["schema.json"];
  if (text === undefined) return ["no schema.json"];
  const pages = [INDEX, INSTALLATION].flatMap((page) => problemsOfPage(page, files[page], tag));
  return [...problemsOfSchema(JSON.parse(text) as Schema, tag), ...pages];
}

function problemsOfSchema(schema: Schema, tag: string): string[] {
  const {
    name = "",
    version = "",
    publisher = "",
    keywords = [],
    pluginDownloadURL = "",
    logoUrl = "",
  } = schema;
  const [category] = keywords.filter((word) => word.startsWith("category/"));
  const { nodejs, python, go } = schema.language;
  return [
    ...(name === SLUG.replace(/^.*\/pulumi-/, "") ? [] : ["another name than the repository's"]),
    ...(SAFE_NAME.test(name) ? [] : ["an unsafe name"]),
    ...(/^v/.test(tag) && SEMVER.test(tag.slice(1)) ? [] : ["no version in the tag"]),
    ...(version === tag.replace(/^v/, "") ? [] : ["another version than the tag's"]),
    ...(publisher.trim() === "" ? ["no publisher"] : []),
    ...(category === undefined || CATEGORIES.includes(category.replace("category/", ""))
      ? []
      : [`no such category: ${category}`]),
    ...(keywords.includes("kind/native") ? [] : ["not known as native"]),
    // Without one, the registry's server is asked, which has no plugin of ours.
    ...(SAFE_URL.test(pluginDownloadURL) ? [] : ["no address of the plugin"]),
    ...(logoUrl.startsWith(`https://raw.githubusercontent.com/${SLUG}/main/`) ? [] : ["no logo"]),
    // It tries to install each of these; a language without a package advertises one, too.
    ...(nodejs === undefined ? [] : ["a package for Node.js that is generated"]),
    ...(python?.packageName === "pulumi_identity" ? [] : ["another Python package"]),
    ...(go?.importBasePath?.startsWith(`github.com/${SLUG}/sdk/go/`) === true ? [] : ["another Go module"]),
  ];
}

function problemsOfPage(page: string, text: string | undefined, tag: string): string[] {
  if (text === undefined) return [`no ${page}`];
  const [, head, body = ""] = /^\s*---\n([^]*?\n)---\n([^]*)$/.exec(text) ?? [];
  if (head === undefined) return [`${page}: no front matter`];
  const versions = [...text.matchAll(/(?<=identity[ @]|\/sdk\/go@v)\d+\.\d+\.\d+\S*/g)].map(([one]) => one);
  return [
    ...problemsOfHead(head),
    ...linesWith(body, /\{\{[ \t]+[<%]/, "a broken shortcode"),
    ...(areClosed(body) ? [] : ["a shortcode that isn't closed"]),
    ...(haveAll(body) ? [] : ["a chooser without a program of a language"]),
    ...LINKS.flatMap(([pattern, problem]) => linesWith(body, pattern, problem)),
    ...versions.filter((version) => `v${version}` !== tag).map((version) => `an older version: ${version}`),
  ].map((problem) => `${page}: ${problem}`);
}

/** The registry takes what isn't YAML, and its site fails on it. */
function problemsOfHead(text: string): string[] {
  let head: Record<string, unknown>;
  try {
    head = parse(text) as Record<string, unknown>;
  } catch {
    return ["front matter that isn't YAML"];
  }
  return ["title", "meta_desc", "layout"].flatMap((name) => {
    const value = head[name];
    return typeof value === "string" && value.trim() !== "" ? [] : [`no ${name}`];
  });
}

function linesWith(text: string, pattern: RegExp, problem: string): string[] {
  return text.split("\n").flatMap((line) => (pattern.test(line) ? [`${problem}: ${line}`] : []));
}

/** True if Hugo finds the end of each chooser, and of each of its parts. */
function areClosed(text: string): boolean {
  const open: string[] = [];
  for (const [, end, name = ""] of text.matchAll(/\{\{[<%] (\/)?(\w+)[^}]*[>%]\}\}/g))
    if (end === undefined) open.push(name);
    else if (open.pop() !== name) return false;
  return open.length === 0;
}

function haveAll(text: string): boolean {
  const offered = [...text.matchAll(/\{\{< chooser language "([^"]+)" >\}\}/g)].map(([, all = ""]) => all);
  const there = [...text.matchAll(/\{\{% choosable language (\w+) %\}\}\n\n```(\w+)\n/g)];
  return (
    there.every(([, language, ofBlock]) => language === ofBlock) &&
    offered.join() === there.map(([, language]) => language).join()
  );
}

const { version } = JSON.parse(read("package.json")) as { version: string };
const release: Release = {
  tag: `v${version}`,
  files: Object.fromEntries(["schema.json", INDEX, INSTALLATION].map((path) => [path, read(path)])),
};

test("the registry takes this release", () => {
  expect(problemsOf(release)).toEqual([]);
});

test("the logo is in the repository, fits a square, and needs nothing from elsewhere", () => {
  const { logoUrl = "" } = JSON.parse(read("schema.json")) as Schema;
  const path = logoUrl.split("/main/")[1] ?? "";
  expect(existsSync(join(root, path))).toBe(true);
  const [, width, height] = /<svg [^>]*viewBox="0 0 (\d+) (\d+)"/.exec(read(path)) ?? [];
  expect([width, height]).toEqual([height, expect.stringMatching(/\d/)]);
  expect(read(path)).not.toMatch(/href|url\(|<script/);
});

const schema = (change: Partial<Schema>) => ({
  "schema.json": JSON.stringify({ ...(JSON.parse(read("schema.json")) as Schema), ...change }),
});
const replaced = (page: string, from: string | RegExp, to: string) => {
  const text = read(page);
  expect(text).toMatch(from);
  return { [page]: text.replace(from, to) };
};
const appended = (text: string) => ({ [INDEX]: `${read(INDEX)}\n${text}\n` });
const { language } = JSON.parse(read("schema.json")) as Schema;

test.each<[what: string, broken: () => Record<string, string | undefined>, problem: string]>([
  ["no schema", () => ({ "schema.json": undefined }), "no schema.json"],
  ["another name", () => schema({ name: "identities" }), "another name than the repository's"],
  ["a name with a space", () => schema({ name: "an identity" }), "an unsafe name"],
  ["another version", () => schema({ version: "9.9.9" }), "another version than the tag's"],
  ["no publisher", () => schema({ publisher: " " }), "no publisher"],
  [
    "its own category",
    () => schema({ keywords: ["category/identity"] }),
    "no such category: category/identity",
  ],
  ["no kind", () => schema({ keywords: [] }), "not known as native"],
  ["no address", () => schema({ pluginDownloadURL: "" }), "no address of the plugin"],
  [
    "an address by http",
    () => schema({ pluginDownloadURL: "http://example.com" }),
    "no address of the plugin",
  ],
  ["a relative logo", () => schema({ logoUrl: "docs/site/public/logo.svg" }), "no logo"],
  [
    "a package for Node.js",
    () => schema({ language: { ...language, nodejs: {} } }),
    "a package for Node.js that is generated",
  ],
  ["no Python", () => schema({ language: { ...language, python: {} } }), "another Python package"],
  [
    "another Go module",
    () => schema({ language: { ...language, go: { importBasePath: "example.com/identity" } } }),
    "another Go module",
  ],
  ["no index", () => ({ [INDEX]: undefined }), `no ${INDEX}`],
  ["no installation page", () => ({ [INSTALLATION]: undefined }), `no ${INSTALLATION}`],
  ["no front matter", () => replaced(INDEX, "---\n", "# Identity\n\n---\n"), `${INDEX}: no front matter`],
  [
    "a colon that isn't quoted",
    () => replaced(INDEX, "from Pulumi. Assign", "from Pulumi: assign"),
    `${INDEX}: front matter that isn't YAML`,
  ],
  ["no title", () => replaced(INSTALLATION, /title: .*\n/, ""), `${INSTALLATION}: no title`],
  [
    "an empty description",
    () => replaced(INDEX, /meta_desc: .*\n/, "meta_desc: ''\n"),
    `${INDEX}: no meta_desc`,
  ],
  ["no layout", () => replaced(INDEX, /layout: .*\n/, ""), `${INDEX}: no layout`],
  [
    "a space in a shortcode",
    () => replaced(INDEX, "{{< chooser", "{{ < chooser"),
    `${INDEX}: a broken shortcode: {{ < chooser language "typescript,python,go,java,yaml" >}}`,
  ],
  [
    "a part that isn't closed",
    () => replaced(INDEX, "{{% /choosable %}}", ""),
    `${INDEX}: a shortcode that isn't closed`,
  ],
  [
    "a language without a program",
    () => replaced(INDEX, "java,yaml", "java,csharp,yaml"),
    `${INDEX}: a chooser without a program of a language`,
  ],
  [
    "a relative image",
    () => appended("![A review](./review.png)"),
    `${INDEX}: a relative image: ![A review](./review.png)`,
  ],
  [
    "an image's tag",
    () => appended('<img src="/logo.svg">'),
    `${INDEX}: a relative image: <img src="/logo.svg">`,
  ],
  ["a relative link", () => appended('<a href="/start">'), `${INDEX}: a relative link: <a href="/start">`],
  [
    "a link to a file",
    () => appended("[Start](start.md)"),
    `${INDEX}: a link to a Markdown file: [Start](start.md)`,
  ],
  ["a link to a page", () => appended("[Start](../start)"), `${INDEX}: a relative link: [Start](../start)`],
  [
    "an older version",
    () => replaced(INSTALLATION, /identity@\S+/, "identity@0.0.1"),
    `${INSTALLATION}: an older version: 0.0.1`,
  ],
])("the registry refuses %s, or shows it broken", (_what, broken, problem) => {
  expect(problemsOf({ ...release, files: { ...release.files, ...broken() } })).toContain(problem);
});

test.each([
  ["0.1.0", "no version in the tag"],
  ["v0.1", "no version in the tag"],
  ["v9.9.9", "another version than the tag's"],
])("the registry refuses the tag %s", (tag, problem) => {
  expect(problemsOf({ ...release, tag })).toContain(problem);
});
