import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { environmentName, SETTING_NAMES } from "../../provider/pulumi/settings";

const root = resolve(__dirname, "../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const readme = read("README.md");

test("the quickstart in the README is the program that the tests run", () => {
  expect(readme).toContain(`\`\`\`ts\n${read("examples/quickstart/index.ts")}\`\`\`\n`);
});

test("the README lists every setting with its environment variable, and no other", () => {
  const listed = [...readme.matchAll(/^\| `(\w+)` +\| `(IDENTITY_\w+)` +\|/gm)].map(([, key, variable]) => [
    key,
    variable,
  ]);
  expect(listed).toEqual(SETTING_NAMES.map((name) => [name, environmentName(name)]));
});

test("the README gives a reason for every runtime dependency", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const section = /## Runtime dependencies\n([\s\S]+?)\n## /.exec(readme)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| `([\w@/-]+)` +\| \w/gm)].map(([, name]) => name);
  expect(listed.sort()).toEqual(Object.keys(dependencies).sort());
});

test("README and documentation of the arguments say which secrets state holds in clear", () => {
  const section = /## State and secrets\n([\s\S]+?)\n## /.exec(readme)?.[1] ?? "";
  const clear = [
    "exports.id",
    "roleId",
    "deviceCredentialId",
    "adopt",
    "adopted",
    "managedFields",
    "handedOver",
  ];
  for (const name of clear) expect(section).toContain(`\`${name}\``);
  for (const [folder, argument] of [
    ["role-group-assignment", "roleId"],
    ["device-credential-removal", "deviceCredentialId"],
    ["connection-profile", "adopt?"],
  ] as const) {
    const [before = ""] = read(`provider/resources/${folder}/index.ts`).split(`\n  ${argument}: `);
    const comment = before.slice(before.lastIndexOf("/**")).replace(/\s*\n\s*\*\s*/g, " ");
    expect(comment).toContain("id, which state holds in clear, also where it is given as a secret.");
  }
});

test("links of the documents lead to files", () => {
  const pages = readdirSync(join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`);
  for (const document of ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ...pages]) {
    for (const [, target = ""] of read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      const exists = existsSync(join(root, dirname(document), target));
      expect({ document, target, exists }).toEqual({ document, target, exists: true });
    }
  }
});
