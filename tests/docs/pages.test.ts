import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, resolve } from "node:path";
import { environmentName, type Setting, SETTING_NAMES, SETTINGS } from "../../provider/pulumi/settings-table";

/* Rules for all documents, and the promises of single pages. */

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = (readdirSync(join(root, "docs"), { recursive: true }) as string[])
  .filter((name) => name.endsWith(".md"))
  .map((name) => `docs/${name}`)
  .sort();
const readmesIn = (folder: string) =>
  readdirSync(join(root, folder))
    .map((name) => `${folder}/${name}/README.md`)
    .filter((path) => existsSync(join(root, path)));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...readmesIn("examples"),
  "findings/README.md",
  "simulator/README.md",
  "testkit/README.md",
  ...pages,
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

test("links lead to files, and to headings that are there", () => {
  const broken = documents.flatMap((document) =>
    linksOf(document).flatMap(({ target, anchor }) => {
      if (!existsSync(join(root, target))) return [`${document}: ${target}`];
      const isThere = anchor === undefined || !target.endsWith(".md") || anchorsOf(target).has(anchor);
      return isThere ? [] : [`${document}: ${target}#${anchor}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("a link by the repository's address is one to a file", () => {
  const targets = linksOf("simulator/README.md").map(({ target }) => target);
  expect(targets).toEqual(expect.arrayContaining(["CHANGELOG.md", "examples/end-to-end-test"]));
});

test("an anchor is made as GitHub makes it", () => {
  expect([...anchorsOf("docs/pulumi.md")]).toEqual(
    expect.arrayContaining(["pulumis-features-what-works-and-what-doesnt", "ctrl-c", "what-replaces"]),
  );
});

test.each(documents)("%s speaks of no document that its readers do not have", (path) => {
  expect(visible(path)).not.toMatch(/source document|\bsections? \d/i);
});

test("the index leads to every page", () => {
  const listed = new Set(linksOf("docs/README.md").map(({ target }) => target));
  const missing = pages.filter((page) => page !== "docs/README.md" && !listed.has(page));
  expect(missing).toEqual([]);
});

test.each(pages)("%s has one title, and says something below it", (page) => {
  const text = visible(page);
  expect(text.match(/^# .+$/gm)).toHaveLength(1);
  expect(text).toMatch(/^# .+\n\n[^#\n]/);
});

test.each(pages)("%s has at most 900 words, tables apart", (page) => {
  const prose = visible(page).replace(/^(?:\|.*|\[[^\]]+\]: .*)$/gm, "");
  expect(prose.trim().split(/\s+/).length).toBeLessThanOrEqual(900);
});

test("CONTRIBUTING.md fits on a few screens", () => {
  expect(read("CONTRIBUTING.md").split("\n").length).toBeLessThanOrEqual(250);
});

test("the settings are all on one page, five of them as basic ones, as their table has them", () => {
  const [basic = "", advanced = ""] =
    read("docs/configuration.md").split("\n### Basic\n")[1]?.split("\n### Advanced\n") ?? [];
  const rowsOf = (section: string) =>
    section
      .split("\n")
      .filter((line) => /^\| `\w+` +\| `IDENTITY_/.test(line))
      .map((line) =>
        line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
  expect(rowsOf(basic)).toHaveLength(5);
  const expected = SETTING_NAMES.map((name) => {
    const { meaning, values, default: fallback }: Setting<unknown> = SETTINGS[name];
    return [`\`${name}\``, `\`${environmentName(name)}\``, meaning, values?.shown ?? "", shown(fallback)];
  });
  expect([...rowsOf(basic), ...rowsOf(advanced)].sort()).toEqual(expected.sort());
});

function shown(fallback: unknown): string {
  if (typeof fallback === "number") return String(fallback);
  if (typeof fallback === "string" || typeof fallback === "boolean") return `\`${fallback}\``;
  return (fallback as { says: string } | undefined)?.says ?? "";
}

test("the arguments of Provider are the settings, with their defaults", () => {
  const [, members = ""] =
    /export interface ProviderArgs \{([\s\S]*?)\n\}/.exec(read("provider/pulumi/program/provider.ts")) ?? [];
  const documented = [...members.matchAll(/\/\*\*([\s\S]*?)\*\/\s+(\w+)\??:/g)].map(
    ([, text = "", name = ""]) => [name, /@default (\S+)\n/.exec(text)?.[1]],
  );
  expect(documented).toEqual(
    SETTING_NAMES.map((name) => {
      const { default: fallback }: Setting<unknown> = SETTINGS[name];
      const isPlain = ["number", "string", "boolean"].includes(typeof fallback);
      return [name, isPlain ? JSON.stringify(fallback) : undefined];
    }),
  );
});

test("the page of all names has every entry and every program of the package", () => {
  const { exports, bin } = JSON.parse(read("package.json")) as Record<"exports" | "bin", object>;
  const page = read("docs/api.md");
  const entries = Object.keys(exports).filter((name) => name !== "./package.json");
  const missing = [...entries.map((name) => name.replace(/^\.\/?/, "")), ...Object.keys(bin)].filter(
    (name) => !page.includes(`${name}\``),
  );
  expect(missing).toEqual([]);
});

test("every runtime dependency has a reason", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const section = /\n## Runtime dependencies\n([\s\S]+)/.exec(read("docs/requests.md"))?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `([\w@/-]+)` +\| \w/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
});

test("page and documentation of the arguments say which secrets state holds in clear", () => {
  const section = /\n## What is in clear\n([\s\S]+?)\n## /.exec(read("docs/state-and-secrets.md"))?.[1] ?? "";
  const clear = ["exports.id", "roleId", "deviceCredentialId", "adopt", "adopted", "unconfirmed"];
  for (const name of clear) expect(section).toContain(`\`${name}\``);
  for (const [folder, argument] of [
    ["role-group-assignment", "roleId"],
    ["device-credential-removal", "deviceCredentialId"],
    ["connection-profile", "adopt?"],
  ] as const) {
    const [before = ""] = read(`provider/resources/${folder}/index.ts`).split(`\n  ${argument}: `);
    const comment = before.slice(before.lastIndexOf("/**")).replace(/\s*\n\s*\*\s*/g, " ");
    expect(comment).toContain("id, so state holds it in clear text even if you give it as a secret.");
  }
});

/** Returns the names declared by an interface, in order. */
function fieldsOf(source: string, name: string): string[] {
  const [, body = ""] =
    new RegExp(`\\nexport interface ${name}[^{]*\\{\\n([\\s\\S]+?)\\n\\}`).exec(source) ?? [];
  return [...body.matchAll(/^ {2}(\w+)\??: /gm)].map(([, field = ""]) => field);
}

test.each([
  ["ConnectionProfile", "resources/connection-profile", "docs/resources/connection-profile.md"],
  ["RoleGroupAssignment", "resources/role-group-assignment", "docs/resources/role-group-assignment.md"],
  [
    "OrganizationRoleGroupAssignment",
    "resources/organization-role-group-assignment",
    "docs/resources/organization-role-group-assignment.md",
  ],
  [
    "DeviceCredentialRemoval",
    "resources/device-credential-removal",
    "docs/resources/device-credential-removal.md",
  ],
])("the page of %s has every input, what destroy does, and its scopes", (kind, folder, page) => {
  const inputs = fieldsOf(read(`provider/${folder}/index.ts`), `${kind}Args`);
  expect(inputs.length).toBeGreaterThan(0);
  const section = /\n## Inputs\n([\s\S]+?)\n## /.exec(read(page))?.[1] ?? "";
  for (const input of inputs) expect(section).toContain(`\n| \`${input}\` |`);
  expect([...anchorsOf(page)]).toEqual(expect.arrayContaining(["outputs", "what-destroy-does", "scopes"]));
});

test.each([
  "getUser",
  "getUserPermissions",
  "getConnectionProfiles",
  "getOrganization",
  "getRole",
  "getGroup",
  "getRoleGroups",
  "getDeviceCredentials",
])("the page of %s has every argument, the result and the scopes", (name) => {
  const file = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const page = `docs/data-sources/${file}.md`;
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Args`;
  const names = fieldsOf(read(`provider/data-sources/${file}.ts`), type);
  expect(names.length).toBeGreaterThan(0);
  const section = /\n## Arguments\n([\s\S]+?)\n## /.exec(read(page))?.[1] ?? "";
  for (const argument of names) expect(section).toMatch(new RegExp(`\`${argument}\\b`));
  expect([...anchorsOf(page)]).toEqual(expect.arrayContaining(["result", "scopes"]));
});
