import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { pack } from "./packed";

/* What is in the package. package.long.ts installs it, and uses it. */

const repository = resolve(__dirname, "../..");
/** It had 3,048,999 bytes when this was set, and 3,741,892 while it still held sources and their maps. */
const MOST_BYTES = 3_100_000;

let packed: string[];
let bytes: number;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-package-"));
  const { files, unpackedSize } = await pack(repository, folder).finally(() =>
    rmSync(folder, { recursive: true }),
  );
  packed = files.map(({ path }) => path).sort();
  bytes = unpackedSize;
});

const { exports } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  exports: Record<string, string | { types: string }>;
};
const entries = Object.values(exports).flatMap((entry) =>
  typeof entry === "string" ? [] : [entry.types.replace("./", "")],
);
const modules = ["provider", "cli"].flatMap((folder) =>
  readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map(({ parentPath, name }) => relative(repository, join(parentPath, name)).replace(/\.ts$/, "")),
);

test("it holds the build, one declaration for each entry, the documents, and nothing else", () => {
  const pipelines = ["github", "gitlab", "shell"].flatMap((name) =>
    readdirSync(join(repository, "examples/pipelines", name)).map(
      (file) => `examples/pipelines/${name}/${file}`,
    ),
  );
  expect(packed).toEqual(
    [
      ...["CHANGELOG.md", "LICENSE", "README.md", "package.json"],
      ...["schema.json", "review.schema.json", "access.schema.json", "rules.schema.json"],
      ...pipelines,
      ...entries,
      // Of entries with types only.
      ...["dist/review.js", "dist/access.js"],
      // What entries share.
      "dist/provider/shared.d.ts",
      // Of --format html.
      "dist/cli/html/page.html",
      ...modules
        .flatMap((module) => ["js", "js.map"].map((ending) => `dist/${module}.${ending}`))
        .filter((file) => file !== "dist/provider/zod.js.map"),
    ].sort(),
  );
});

test("it stays small", () => {
  expect(packed.length).toBeLessThanOrEqual(2 * modules.length + 40);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test("every map leads to a file of the repository", () => {
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
      else visit(target.replace(/\.js$/, ".d.ts"));
    }
  };
  visit(join(dist, "index.d.ts"));
  expect(seen.size).toBe(2);
  expect(foreign.filter((line) => !line.endsWith(": @pulumi/pulumi"))).toEqual([]);
});
