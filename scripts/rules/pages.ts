import { deepEqual, ok } from "node:assert/strict";
import { basename, dirname, join, normalize } from "node:path";
import { SETTING_NAMES, SETTINGS, type Setting } from "../../provider/pulumi/settings-table";
import { filesIn, isThere, manifest, read, rule } from "./rule";

/* Rules for all documents, and the promises of single pages. */

/** Pages of Pulumi's registry, which has its own rules: tests/docs/registry.test.ts. */
const IN_REGISTRY = ["docs/_index.md", "docs/installation-configuration.md"];
const pages = filesIn(["docs"], ".md").filter((path) => !IN_REGISTRY.includes(path));
const documents = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"],
  ...filesIn(["examples"], "/README.md").filter((path) => path.split("/").length <= 3),
  ...["simulator/README.md", "testkit/README.md", "tests/upstream/README.md"],
  // PyPI shows it.
  "scripts/sdks/python/README.md",
  ...pages,
  ...IN_REGISTRY,
];

/** A document as readers see it: without comments and blocks of code. */
function visible(path: string): string {
  return read(path)
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/^ *```[\s\S]*?^ *```$/gm, "");
}

/** Returns GitHub's anchors for the headings. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of visible(path).matchAll(/^#{1,6} (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-");
    let anchor = slug;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns links to files of the repository, including full addresses, which a published README needs. */
function linksOf(path: string): { target: string; anchor: string | undefined }[] {
  const text = visible(path).replace(
    /https:\/\/github\.com\/pulumi-identity\/pulumi-identity\/(?:blob|tree)\/main\//g,
    "/",
  );
  return [...text.matchAll(/(?:\]\(|^\[[^\]]+\]: )(?!https?:)([^)#\s]*)(?:#([^)\s]+))?/gm)].map(
    ([, file = "", anchor]) => ({
      target:
        file === "" ? path : normalize(file.startsWith("/") ? file.slice(1) : join(dirname(path), file)),
      anchor,
    }),
  );
}

rule("links lead to files, and to headings that are there", () => {
  const broken = documents.flatMap((document) =>
    linksOf(document)
      .filter(
        ({ target, anchor }) =>
          !isThere(target) ||
          (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor)),
      )
      .map(({ target, anchor }) => `${document}: ${target}${anchor === undefined ? "" : `#${anchor}`}`),
  );
  deepEqual(broken, []);
  // Proves that both kinds of links, and GitHub's anchors, are understood.
  const targets = linksOf("simulator/README.md").map(({ target }) => target);
  ok(["CHANGELOG.md", "examples/end-to-end-test"].every((target) => targets.includes(target)));
  ok(anchorsOf("docs/pulumi.md").has("pulumis-features-what-works-and-what-doesnt"));
});

rule("the index leads to every page", () => {
  const listed = new Set(linksOf("docs/README.md").map(({ target }) => target));
  deepEqual(
    pages.filter((page) => page !== "docs/README.md" && !listed.has(page)),
    [],
  );
});

for (const path of documents)
  rule(`${path} speaks of no document that its readers do not have`, () =>
    deepEqual(/source document|\bsections? \d/i.exec(visible(path)), null),
  );

for (const page of pages)
  rule(`${page} has one title, something below it, and at most 900 words, tables apart`, () => {
    const text = visible(page);
    deepEqual(text.match(/^# .+$/gm)?.length, 1);
    ok(/^# .+\n\n[^#\n]/.test(text), "Nothing stands below the title.");
    const words = text
      .replace(/^(?:\|.*|\[[^\]]+\]: .*)$/gm, "")
      .trim()
      .split(/\s+/);
    ok(words.length <= 900, `It has ${words.length} words.`);
  });

for (const [path, most] of [
  ["CONTRIBUTING.md", 220],
  ["README.md", 135],
] as const)
  rule(`${path} fits on a few screens`, () => ok(read(path).split("\n").length <= most));

rule("the arguments of Provider are the settings, with their defaults", () => {
  const [, members = ""] =
    /export interface ProviderArgs \{([\s\S]*?)\n\}/.exec(read("provider/pulumi/program/provider.ts")) ?? [];
  const documented = [...members.matchAll(/\/\*\*([\s\S]*?)\*\/\s+(\w+)\??:/g)].map(
    ([, text = "", name = ""]) => [name, /@default (\S+)\n/.exec(text)?.[1]],
  );
  const expected = SETTING_NAMES.map((name) => {
    const { default: fallback }: Setting<unknown> = SETTINGS[name];
    const isPlain = ["number", "string", "boolean"].includes(typeof fallback);
    return [name, isPlain ? JSON.stringify(fallback) : undefined];
  });
  deepEqual(documented, expected);
});

rule("docs/support.md has every entry and every program of the package", () => {
  const { exports, bin } = manifest("package.json");
  const page = read("docs/support.md");
  const entries = Object.keys(exports).filter((name) => name !== "./package.json");
  deepEqual(
    [...entries.map((name) => name.replace(/^\.\/?/, "")), ...Object.keys(bin)].filter(
      (name) => !page.includes(`${name}\``),
    ),
    [],
  );
});

/** The packages of which the build writes parts into dist/. */
const { dependencies = {} } = manifest("package.json");
const [, ofPlugin = ""] =
  /export const PACKAGES = \[([^\]]+)\]/.exec(read("scripts/plugin/bundle.mjs")) ?? [];
const bundled = [
  ...read("scripts/compile.mjs").matchAll(/noticeOf\("([^"]+)"\)/g),
  ...ofPlugin.matchAll(/"([^"]+)"/g),
]
  .map(([, name = ""]) => name)
  .filter((name) => !(name in dependencies));

rule("every runtime dependency has a reason", () => {
  const section = /\n#{2,3} Runtime dependencies\n([\s\S]+)/.exec(read("docs/scale.md"))?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `([\w@/-]+)` +\| \w/gm)].map(([, name]) => name);
  deepEqual(listed.sort(), [...Object.keys(dependencies), ...bundled].sort());
});

rule("package.json says which packages the build bundles", () => {
  const said = manifest("package.json")["//devDependencies"] ?? "";
  ok(bundled.length > 5);
  deepEqual(
    bundled.filter((name) => !said.includes(name)),
    [],
  );
});

rule("page and documentation of the arguments say which secrets state holds in clear", () => {
  const section = /\n#{2,3} What is in clear\n([\s\S]+?)\n#{2,3} /.exec(read("docs/pulumi.md"))?.[1] ?? "";
  const clear = ["exports.id", "roleId", "deviceCredentialId", "adopt", "adopted", "unconfirmed"];
  deepEqual(
    clear.filter((name) => !section.includes(`\`${name}\``)),
    [],
  );
  for (const [folder, argument] of [
    ["role-group-assignment", "roleId"],
    ["device-credential-removal", "deviceCredentialId"],
    ["connection-profile", "adopt?"],
  ] as const) {
    const [before = ""] = read(`provider/resources/${folder}/index.ts`).split(`\n  ${argument}: `);
    const comment = before.slice(before.lastIndexOf("/**")).replace(/\s*\n\s*\*\s*/g, " ");
    ok(comment.includes("id, so state holds it in clear text even if you give it as a secret."), argument);
  }
});

/** `npm run picture` makes the tables; the page has to ask for them. */
function hasSections(page: string, tables: readonly string[], anchors: readonly string[]): void {
  const text = read(page);
  const there = anchorsOf(page);
  const missing = [
    ...tables.map((name) => `<!-- table: ${name}Args -->`).filter((mark) => !text.includes(mark)),
    ...anchors.filter((anchor) => !there.has(anchor)),
  ];
  deepEqual(missing, []);
}

for (const [page, ...resources] of [
  ["connection-profile", "ConnectionProfile"],
  ["role-group-assignment", "RoleGroupAssignment", "OrganizationRoleGroupAssignment"],
  ["device-credential-removal", "DeviceCredentialRemoval"],
  ["user-sign-out", "UserSignOut"],
] as const)
  rule(`the page ${page} has every input, what destroy does, and its scopes`, () =>
    hasSections(`docs/resources/${page}.md`, resources, ["outputs", "what-destroy-does", "scopes"]),
  );

rule("docs/data-sources.md has every data source, with its arguments", () => {
  const names = filesIn(["provider/data-sources"], ".ts")
    .map((path) => /\/(get-[\w-]+)\.ts$/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  ok(names.length > 7);
  hasSections(
    "docs/data-sources.md",
    names.map(nameOf),
    names.map((name) => nameOf(name).toLowerCase()),
  );
});

/** `get-user` → `GetUser` */
function nameOf(file: string): string {
  return file.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

rule("docs/reliability.md names tests that are there", () => {
  const rows = [...read("docs/reliability.md").matchAll(/\[([^\]]+)\]\(\.\.\/(tests\/[^)]+)\)/g)];
  ok(rows.length > 0);
  const missing = rows.filter(([, title = "", file = ""]) => !read(file).includes(title));
  deepEqual(
    missing.map(([text]) => text),
    [],
  );
});

rule("the glossary has 15 words at most, each the name of a type or of the file that it links to", () => {
  const [, section = ""] = /\n## Words\n([\s\S]+?)(?:\n## |$)/.exec(read("docs/how-it-works.md")) ?? [];
  const entries = [...section.matchAll(/^\| (.+?) +\|/gm)].slice(2).map(([, entry = ""]) => entry);
  ok(entries.length > 0 && entries.length <= 15, `It has ${entries.length} words.`);
  const wrong = entries.filter((entry) => {
    const [, word = "", path = ""] = /^\[(\w+)\]\(\.\.\/((?:provider|cli)\/[\w/.-]+)\)$/.exec(entry) ?? [];
    if (!isThere(path) || word === "") return true;
    const isOfFile = basename(path, ".ts") === word.toLowerCase();
    return !isOfFile && !new RegExp(`^export (?:interface|class|type) ${word}\\b`, "m").test(read(path));
  });
  deepEqual(wrong, []);
});
