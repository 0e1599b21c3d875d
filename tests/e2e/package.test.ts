import { existsSync, readdirSync, readFileSync } from "node:fs";
import { SourceMap, type SourceMapPayload } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { useFolder } from "../../testkit/folder";
import { pack } from "./packed";

/* What is in the package. package.long.ts installs it, and uses it. */

const repository = resolve(__dirname, "../..");
/** Room for code, none for what doesn't belong: sources and their whole maps would be 1.5 MB. */
const MOST_BYTES = 4_300_000;

const folder = useFolder();
let packed: string[];
let bytes: number;

beforeAll(async () => {
  const { files, unpackedSize } = await pack(repository, folder);
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

/** These modules are in the plugin's file. */
const isOfPlugin = /^dist\/provider\/(?:plugin|contents|pulumi\/plugin\/.*)\.js/;

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
      // The plugin is one file.
      "dist/provider/plugin.js",
      "dist/provider/plugin-notices.txt",
      // Of --format html.
      "dist/cli/html/page.html",
      ...modules
        .flatMap((module) => ["js", "js.map"].map((ending) => `dist/${module}.${ending}`))
        .filter((file) => file !== "dist/provider/zod.js.map" && !isOfPlugin.test(file)),
    ].sort(),
  );
});

test.each([
  ["zod", "dist/provider/zod.js"],
  ["preact", "dist/cli/html/page.html"],
])("the parts of %s that the build bundles come with version and licence", (name, file) => {
  const of = join(repository, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(of, "package.json"), "utf8")) as { version: string };
  const licence = readFileSync(join(of, "LICENSE"), "utf8").trim();
  const notices = readFileSync(join(repository, file), "utf8").match(/\/\*![^]*?\*\//g);
  expect(notices).toEqual([`/*! Parts of ${name} ${version}.\n\n${licence}\n*/`]);
});

test("the plugin comes with version and licence of what the build bundles into it", () => {
  const notices = readFileSync(join(repository, "dist/provider/plugin-notices.txt"), "utf8");
  const bundle = readFileSync(join(repository, "dist/provider/plugin.js"), "utf8");
  const held = [...bundle.matchAll(/"node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)].map(([, name = ""]) => name);
  expect(new Set(held).size).toBeGreaterThan(3);
  for (const name of new Set(["zod", ...held])) {
    const of = join(repository, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(of, "package.json"), "utf8")) as { version: string };
    const file = readdirSync(of).find((one) => /^license/i.test(one)) ?? "";
    expect(notices).toContain(
      `Parts of ${name} ${version}.\n\n${readFileSync(join(of, file), "utf8").trim()}`,
    );
  }
});

test("it stays small", () => {
  expect(packed.length).toBeLessThanOrEqual(2 * modules.length + 40);
  expect(bytes).toBeLessThanOrEqual(MOST_BYTES);
});

test("every error is thrown where the map says: at that line of a file of the repository", () => {
  const maps = packed.filter((path) => path.endsWith(".map"));
  const wrong: string[] = [];
  let count = 0;
  for (const file of maps) {
    const map = new SourceMap(JSON.parse(readFileSync(join(repository, file), "utf8")) as SourceMapPayload);
    const code = readFileSync(join(repository, file.replace(/\.map$/, "")), "utf8").split("\n");
    const sources = map.payload.sources.map((source) => join(repository, dirname(file), source));
    expect({ file, missing: sources.filter((source) => !existsSync(source)) }).toEqual({ file, missing: [] });
    const [text = ""] = sources.map((source) => readFileSync(source, "utf8"));
    const lines = text.split("\n");
    code.forEach((line, index) => {
      for (const { 0: thrown, index: column } of line.matchAll(/\bthrow new (?=[(_A-Z])/g)) {
        count += 1;
        const entry = map.findEntry(index, column + thrown.length);
        if (!("originalLine" in entry) || !lines[entry.originalLine]?.includes("throw new "))
          wrong.push(`${file}:${index + 1}: ${line.trim()}`);
      }
    });
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(100);
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
