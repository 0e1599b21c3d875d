import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { pack } from "./packed";

/* What is in the package. package.long.ts installs it, and uses it. */

const repository = resolve(__dirname, "../..");
let packed: string[];

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-package-"));
  const { files } = await pack(repository, folder).finally(() => rmSync(folder, { recursive: true }));
  packed = files.map(({ path }) => path).sort();
});

test("it holds the build and its sources, the documents, and nothing else", () => {
  const folders = [
    "provider",
    "cli",
    ...["github", "gitlab", "shell"].map((name) => `examples/pipelines/${name}`),
  ];
  const files = folders.flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(repository, join(parentPath, name))),
  );
  const sources = files.filter((file) => file.endsWith(".ts")).map((file) => file.replace(/\.ts$/, ""));
  expect(packed).toEqual(
    [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "package.json",
      "schema.json",
      ...files,
      ...sources
        .flatMap((source) => ["js", "js.map", "d.ts", "d.ts.map"].map((ending) => `dist/${source}.${ending}`))
        .filter((file) => file !== "dist/provider/zod.js.map"),
    ].sort(),
  );
});

test("every map leads to a file of the package", () => {
  const maps = packed.filter((path) => path.endsWith(".map"));
  expect(maps.length).toBeGreaterThan(0);
  for (const map of maps) {
    const { sources } = JSON.parse(readFileSync(join(repository, map), "utf8")) as { sources: string[] };
    const missing = sources.filter((source) => !existsSync(join(repository, dirname(map), source)));
    expect({ map, missing }).toEqual({ map, missing: [] });
  }
});

test("its types need no package but @pulumi/pulumi", () => {
  const dist = join(repository, "dist/provider");
  const foreign: string[] = [];
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    // Ignore imports in examples within comments.
    const { importedFiles } = ts.preProcessFile(readFileSync(file, "utf8"));
    for (const { fileName: name } of importedFiles) {
      const target = join(dirname(file), name);
      if (!name.startsWith(".")) foreign.push(`${relative(dist, file)}: ${name}`);
      else visit([`${target}.d.ts`, join(target, "index.d.ts")].find((path) => existsSync(path)) ?? target);
    }
  };
  visit(join(dist, "index.d.ts"));
  expect(seen.size).toBeGreaterThan(5);
  expect(foreign.filter((line) => !line.endsWith(": @pulumi/pulumi"))).toEqual([]);
});
