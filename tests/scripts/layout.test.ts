import { execFile } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { useFolder } from "../../testkit/folder";

const root = resolve(__dirname, "../..");
const tree = realpathSync(useFolder());
const configFile = join(root, ".dependency-cruiser.cjs");
const packages = ["@pulumi/pulumi", "undici", "zod"];

/** Imports that break no rule; paths are relative to provider/, except for those in cli/ and tests/. */
const allowed: [from: string, to: string][] = [
  ["runtime", "resources/alpha/kind"],
  ["cli/index", "service/users"],
  ["cli/review/index", "pulumi/settings"],
  ["cli/review/effects", "cli/review/kinds/alpha"],
  ["cli/review/kinds/alpha", "resources/alpha/plan"],
  ["cli/review/kinds/alpha", "access/edge"],
  ["cli/adopt/profile", "resources/alpha/schema"],
  ["cli/code-host/api", "http/transport"],
  ["resources/alpha/index", "pulumi/program/resource"],
  ["resources/alpha/index", "resources/alpha/schema"],
  ["resources/alpha/index", "@pulumi/pulumi"],
  ["resources/alpha/kind", "resources/alpha/schema"],
  ["resources/alpha/kind", "pulumi/host/lifecycle"],
  ["resources/alpha/kind", "service/users"],
  ["resources/organization-alpha/kind", "resources/alpha/kind"],
  ["resources/gamma", "pulumi/host/lifecycle"],
  ["resources/gamma", "pulumi/program/resource"],
  ["data-sources/get-user", "data-sources/shared"],
  ["data-sources/get-user", "pulumi/program/resource"],
  ["pulumi/host/lifecycle", "pulumi/unknown"],
  ["pulumi/program/resource", "pulumi/unknown"],
  ["pulumi/unknown", "@pulumi/pulumi"],
  ["pulumi/settings", "http/client"],
  ["pulumi/settings", "review/model"],
  ["review/model", "service/users"],
  ["review/model", "access/edge"],
  ["access/edge", "sentence"],
  ["review/model", "sentence"],
  ["cli/review/index", "access/edge"],
  ["service/users", "http/client"],
  ["http/client", "http/transport"],
  ["http/client", "http/rate-limit/governor"],
  ["http/client", "border"],
  ["service/users", "near-names"],
  ["http/transport", "undici"],
  ["http/rate-limit/governor", "http/rate-limit/bucket"],
  ["http/rate-limit/governor", "border"],
  ["tests/e2e/program", "index"],
  ["tests/review/model", "review/model"],
  ["tests/http/transport", "http/transport"],
  ["tests/http/transport", "border"],
];

/** Imports that break a rule. */
const forbidden: [rule: string, from: string, to: string][] = [
  ["no-circle", "service/back", "service/there"],
  ["known-layer", "util/text", "border"],
  ["known-layer", "text", "pulumi/unknown"],
  ["entries", "index", "runtime"],
  ["entries", "index", "cli/index"],
  ["cli", "cli/review/asks", "data-sources/shared"],
  ["cli", "cli/review/host", "pulumi/host/run"],
  ["review-knows-no-resource", "cli/review/fields", "resources/beta/schema"],
  ["reviewer-knows-the-plan", "cli/review/kinds/beta", "resources/beta/schema"],
  ["effects-cost-little", "resources/beta/plan", "pulumi/host/run"],
  ["effects-cost-little", "resources/delta/plan", "@pulumi/pulumi"],
  ["resources", "resources/alpha/asks", "data-sources/shared"],
  ["resource-stands-alone", "resources/alpha/borrows", "resources/beta/schema"],
  ["resource-stands-alone", "resources/alpha/takes", "resources/gamma"],
  ["resource-stands-alone", "resources/delta", "resources/beta/schema"],
  ["organization-beside-tenant", "resources/organization-alpha/borrows", "resources/beta/schema"],
  ["data-sources", "data-sources/get-host", "pulumi/host/run"],
  ["data-sources", "data-sources/get-resource", "resources/gamma"],
  ["pulumi-host", "pulumi/host/declares", "pulumi/program/resource"],
  ["pulumi-host", "pulumi/host/knows", "resources/beta/schema"],
  ["pulumi-program", "pulumi/program/runs", "pulumi/host/run"],
  ["pulumi-program", "pulumi/program/asks", "data-sources/shared"],
  ["pulumi-plugin", "pulumi/plugin/knows", "resources/beta/schema"],
  ["pulumi-plugin", "pulumi/plugin/declares", "pulumi/program/resource"],
  ["pulumi", "pulumi/glossary", "pulumi/host/run"],
  ["pulumi", "pulumi/classes", "pulumi/program/resource"],
  ["review", "review/runs", "pulumi/settings"],
  ["access", "access/asks", "service/users"],
  ["access", "access/shows", "review/model"],
  ["access", "access/hides", "border"],
  ["service", "service/configured", "pulumi/settings"],
  ["http", "http/named", "service/users"],
  ["rate-limit", "http/rate-limit/sends", "http/errors"],
  ["ground", "border", "text"],
  ["transport-in-http", "service/sends", "http/transport"],
  ["transport-in-http", "cli/code-host/sends", "http/transport"],
  ["zod-by-one-file", "service/checks", "zod"],
  ["undici-in-http", "service/fetches", "undici"],
  ["sdk-in-pulumi", "service/logs", "@pulumi/pulumi"],
  ["tests-by-entries", "tests/host/knows", "pulumi/host/run"],
  ["tests-by-entries", "tests/service/sends", "http/transport"],
  ["tests-of-a-layer", "tests/http/knows", "pulumi/host/run"],
];

/** Imports that are fine one by one, and the violations they add up to. */
const together: { imports: typeof allowed; violations: typeof forbidden } = {
  imports: [
    ["service/there", "service/back"],
    ["cli/adopt/index", "cli/review/options"],
    ["cli/review/index", "cli/adopt/options"],
    ["cli/review/index", "pulumi/unknown"],
    ["resources/beta/index", "resources/beta/starts"],
    ["resources/beta/starts", "pulumi/host/run"],
    ["resources/beta/kind", "resources/beta/declares"],
    ["resources/beta/declares", "pulumi/program/resource"],
  ],
  violations: [
    ["no-circle-of-folders", "cli/adopt", "cli/review"],
    ["no-circle-of-folders", "cli/review", "cli/adopt"],
    ["cli-without-sdk", "cli/index", "@pulumi/pulumi"],
    ["cli-without-sdk", "cli/review/index", "@pulumi/pulumi"],
    ["class-without-host", "resources/beta/index", "pulumi/host/run"],
    ["kind-without-program", "resources/beta/kind", "pulumi/program/resource"],
    ["no-dead-file", "http/dead", "http/dead"],
  ],
};

/** The ways to import a file. Types count. */
const forms = [
  (path: string) => `import type { T } from "${path}";`,
  (path: string) => `import { value } from "${path}";`,
  (path: string) => `export type * from "${path}";`,
  (path: string) => `export const later = () => import("${path}");`,
  (path: string) => `export type Other = import("${path}").T;`,
];

test("each rule of the layout finds what breaks it, and nothing else", async () => {
  writeTree();
  const expected = [...forbidden, ...together.violations];
  expect(await violations()).toEqual(expected.map((violation) => violation.join(" ")).sort());

  const { forbidden: rules } = createRequire(__filename)(configFile) as { forbidden: { name: string }[] };
  expect([...new Set(expected.map(([rule]) => rule))].sort()).toEqual(rules.map(({ name }) => name).sort());
});

function writeTree(): void {
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  const imports = [...allowed, ...forbidden.map(([, from, to]) => [from, to] as const), ...together.imports];
  const files = new Set(imports.flat().filter((file) => !packages.includes(file)));
  for (const file of ["http/dead", ...files]) {
    const lines = imports.flatMap(([from, to], index) => {
      const path = packages.includes(to) ? to : importedFrom(from, to);
      return from === file ? [forms[index % forms.length]?.(path)] : [];
    });
    // Keeps every file alive except the one that is meant to be dead.
    const mayImport = (other: string) =>
      file === "cli/index"
        ? other.startsWith("cli/") && other !== file
        : file === "index" && !/^((cli|tests)\/.*|index|runtime|http\/transport)$/.test(other);
    lines.push(...[...files].filter(mayImport).map((other) => `import "${importedFrom(file, other)}";`));
    write(`${pathOf(file)}.ts`, lines.join("\n"));
  }
  for (const name of packages) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: "index.js" }));
    write(`node_modules/${name}/index.js`, "");
  }
}

function pathOf(file: string): string {
  return /^(cli|tests)\//.test(file) ? file : `provider/${file}`;
}

function importedFrom(from: string, to: string): string {
  return `./${relative(dirname(pathOf(from)), pathOf(to))}`;
}

/** `rule from to`, sorted. */
async function violations(): Promise<string[]> {
  const cruiser = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
  const args = [cruiser, "--config", configFile, "--output-type", "json", "provider", "cli", "tests"];
  const stdout = await new Promise<string>((done, fail) => {
    execFile(process.execPath, args, { cwd: tree, maxBuffer: 2 ** 26 }, (error, text, stderr) => {
      // Its exit code is the number of violations.
      if (text === "") fail(new Error(stderr || error?.message));
      else done(text);
    });
  });
  const { summary } = JSON.parse(stdout) as {
    summary: { violations: { rule: { name: string }; from: string; to: string }[] };
  };
  const short = (path: string) =>
    path.replace(/^provider\/|\.ts$/g, "").replace(/^node_modules\/(.+)\/index\.js$/, "$1");
  return summary.violations.map(({ rule, from, to }) => [rule.name, short(from), short(to)].join(" ")).sort();
}
