// Builds dist/ from provider/ and cli/, and simulator/dist/ from the simulator: node scripts/compile.mjs
// TypeScript checks the sources and writes the declarations. The JavaScript loads each import on first use:
// a program that declares resources never loads their validation, and the provider host loads no HTTP client
// until it sends its first request.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "@swc/core";
import { buildSync } from "esbuild";
import ts from "typescript";
import { makeSchema } from "./schema.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const schema = join(root, "dist", "provider", "schema.json");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

for (const project of ["tsconfig.build.json", "simulator/tsconfig.build.json"]) {
  const { status } = spawnSync(process.execPath, [tsc, "--project", project], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  emit(join(root, project));
}
bundleZod();
writeFileSync(schema, JSON.stringify(makeSchema(root)));

/**
 * Writes the JavaScript of the sources that a project compiles, and removes what an earlier build has left of
 * others.
 *
 * @param {string} project
 */
function emit(project) {
  const { config } = ts.readConfigFile(project, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(project),
    undefined,
    project,
  );
  const { rootDir, outDir, declarationMap: hasMaps = false } = options;
  if (rootDir === undefined || outDir === undefined) throw new Error(`${project} needs rootDir and outDir.`);
  const made = new Set([schema]);
  for (const source of fileNames) {
    const text = readFileSync(source, "utf8");
    const file = join(outDir, relative(rootDir, source).replace(/\.ts$/, ".js"));
    const { code, map } = transformSync(text, {
      ...compilation(source, text),
      sourceMaps: hasMaps,
      inlineSourcesContent: false,
      sourceFileName: relative(dirname(file), source),
    });
    mkdirSync(dirname(file), { recursive: true });
    const mode = code.startsWith("#!") ? 0o755 : 0o644;
    writeFileSync(file, hasMaps ? `${code}//# sourceMappingURL=${basename(file)}.map\n` : code, { mode });
    if (map !== undefined) writeFileSync(`${file}.map`, map);
    made.add(file.replace(/\.js$/, ""));
  }
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !made.has(file.replace(/\.(js|d\.ts)(\.map)?$/, ""))) rmSync(file);
  }
}

/** Bundles the parts of zod named in provider/zod.ts into one file, replacing swc's output. */
function bundleZod() {
  const outfile = join(root, "dist", "provider", "zod.js");
  const licence = readFileSync(join(root, "node_modules", "zod", "LICENSE"), "utf8").trim();
  buildSync({
    entryPoints: [join(root, "provider", "zod.ts")],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: `/*! The part of zod that is used here.\n\n${licence.replaceAll("*/", "* /")}\n*/` },
  });
  // Its sources aren't in the package.
  rmSync(`${outfile}.map`);
}

/**
 * @param {string} file
 * @param {string} text
 * @returns {import("@swc/core").Options}
 */
function compilation(file, text) {
  const { importedFiles } = ts.preProcessFile(text);
  return {
    filename: file,
    swcrc: false,
    jsc: { target: "es2022", parser: { syntax: "typescript" } },
    module: {
      type: "commonjs",
      lazy: importedFiles.map(({ fileName }) => fileName),
      // Keep a real import(): pure ES modules can't be required.
      ignoreDynamic: true,
      // ES modules can import by name only the exports that Node.js finds in the file's text.
      exportInteropAnnotation: true,
    },
  };
}
