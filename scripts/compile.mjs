// Builds dist/ from provider/ and cli/, and simulator/dist/ from the simulator: node scripts/compile.mjs
// TypeScript checks the sources and writes the declarations, which are bundled into one file for each entry
// of package.json, and one for what entries share. The JavaScript loads each import on first use:
// a program that declares resources never loads their validation, and the provider host loads no HTTP client
// until it sends its first request.
// page/ becomes one file with its script and style, which `--format html` puts data into.
// A build writes to dist.new/ first, and moves what changed at the end: what runs meanwhile finds whole
// files, and a build that fails leaves the last one alone.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { transformSync } from "@swc/core";
import { buildSync } from "esbuild";
import { rollup } from "rollup";
import { dts } from "rollup-plugin-dts";
import ts from "typescript";
import { filesIn } from "./files.mjs";
import { makeJsonSchemas } from "./json-schemas.mjs";
import { noticeOf } from "./notices.mjs";
import { bundlePlugin, PACKAGES } from "./plugin/bundle.mjs";
import { makeSchema } from "./schema.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const main = packageIn(root);
const packages = [main, packageIn(join(root, "simulator"))];

process.once("exit", () => {
  for (const { stage } of packages) rmSync(stage, { recursive: true, force: true });
});
for (const { project, stage } of packages) {
  rmSync(stage, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [tsc, "--project", project, "--outDir", stage], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
  emit(project, stage);
}
bundleZod(join(main.stage, "provider", "zod.js"));
buildPage(join(main.stage, "cli", "html", "page.html"));
// It reads the declarations one by one.
const schema = `${JSON.stringify(makeSchema(root, join(main.stage, "provider")), undefined, 2)}\n`;
await bundleDeclarations(main.stage);
const jsonSchemas = makeJsonSchemas(root);
for (const { name, declaration } of jsonSchemas) {
  if (declaration === undefined) continue;
  writeFileSync(join(main.stage, `${name}.d.ts`), declaration);
  // Some compilers keep an import of types only.
  writeFileSync(join(main.stage, `${name}.js`), '"use strict";\n');
}
// Beside package.json, where `pulumi package add` is told to look, and where the plugin has it from. It's
// committed.
renew("schema.json", schema);
for (const one of jsonSchemas) renew(`${one.name}.schema.json`, one.schema);
await makePlugin(join(main.stage, "provider"));
for (const { stage, dist } of packages) replace(dist, stage);

/**
 * @param {string} name
 * @param {string} text
 */
function renew(name, text) {
  const file = join(root, name);
  if (!existsSync(file) || readFileSync(file, "utf8") !== text) writeFileSync(file, text);
}

/** @param {string} folder */
function packageIn(folder) {
  return {
    project: join(folder, "tsconfig.build.json"),
    dist: join(folder, "dist"),
    stage: join(folder, "dist.new"),
  };
}

/**
 * Writes the JavaScript of the sources that a project compiles.
 *
 * @param {string} project
 * @param {string} stage
 */
function emit(project, stage) {
  const { config } = ts.readConfigFile(project, ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    config,
    ts.sys,
    dirname(project),
    undefined,
    project,
  );
  const { rootDir, sourceMap: hasMaps = false } = options;
  if (rootDir === undefined) throw new Error(`${project} needs a rootDir.`);
  const entries = readFileSync(join(dirname(project), "package.json"), "utf8");
  for (const source of fileNames) {
    const text = readFileSync(source, "utf8");
    const file = join(stage, relative(rootDir, source).replace(/\.ts$/, ".js"));
    const isEntry = entries.includes(`"./dist/${relative(stage, file).split(sep).join("/")}"`);
    const { code, map } = transformSync(text, {
      ...compilation(source, text, isEntry),
      sourceMaps: hasMaps,
      inlineSourcesContent: false,
      sourceFileName: relative(dirname(file), source),
    });
    mkdirSync(dirname(file), { recursive: true });
    const mode = code.startsWith("#!") ? 0o755 : 0o644;
    writeFileSync(file, hasMaps ? `${code}//# sourceMappingURL=${basename(file)}.map\n` : code, { mode });
    if (map !== undefined) writeFileSync(`${file}.map`, linesOf(map));
  }
}

/**
 * A source map that leads to lines: of a line's segments it keeps those where a line of the source begins.
 * All segments would make up a third of the package.
 *
 * @param {string} map
 */
function linesOf(map) {
  const { mappings, ...rest } = JSON.parse(map);
  const lines = decode(mappings).map((segments) => {
    /** @type {import("@jridgewell/sourcemap-codec").SourceMapSegment[]} */
    const kept = [];
    for (const [column, source, line, sourceColumn] of segments)
      if (
        source !== undefined &&
        line !== undefined &&
        sourceColumn !== undefined &&
        kept.at(-1)?.[2] !== line
      )
        kept.push([kept.length === 0 ? 0 : column, source, line, sourceColumn]);
    return kept;
  });
  return JSON.stringify({ ...rest, names: [], mappings: encode(lines) });
}

/**
 * Moves the files that differ into a folder, and removes what has no source any more.
 *
 * @param {string} dist
 * @param {string} stage
 */
function replace(dist, stage) {
  const made = new Set();
  for (const from of filesIn(stage)) {
    const to = join(dist, relative(stage, from));
    made.add(to);
    if (existsSync(to) && readFileSync(from).equals(readFileSync(to))) continue;
    mkdirSync(dirname(to), { recursive: true });
    renameSync(from, to);
  }
  for (const file of filesIn(dist)) if (!made.has(file)) rmSync(file);
}

/**
 * Bundles the parts of zod named in provider/zod.ts into one file, replacing swc's output.
 *
 * @param {string} outfile
 */
function bundleZod(outfile) {
  buildSync({
    entryPoints: [join(root, "provider", "zod.ts")],
    outfile,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: comment(noticeOf("zod")) },
  });
  // Its sources aren't in the package.
  rmSync(`${outfile}.map`);
}

/**
 * Puts all that only the plugin needs into its file, so that npm's command finds it whatever is installed.
 *
 * @param {string} provider The compiled folder.
 */
async function makePlugin(provider) {
  const entry = join(provider, "plugin.js");
  await bundlePlugin({ root, entry, outfile: entry, isWhole: false });
  // npm installs the others, with theirs.
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const held = ["zod", ...PACKAGES.filter((name) => !(name in dependencies))];
  writeFileSync(join(provider, "plugin-notices.txt"), held.map(noticeOf).join("\n\n"));
  for (const left of ["plugin.js.map", "contents.js", "contents.js.map", join("pulumi", "plugin")])
    rmSync(join(provider, left), { recursive: true, force: true });
}

/** @param {string} notice */
function comment(notice) {
  return `/*! ${notice.replaceAll("*/", "* /")}\n*/`;
}

/**
 * Writes the page of `--format html`: it holds its script and its style, allows these two alone, and has two
 * places to fill, for a title and for data.
 *
 * @param {string} outfile
 */
function buildPage(outfile) {
  const bundled = (/** @type {string} */ entry) => {
    const { outputFiles } = buildSync({
      entryPoints: [join(root, "page", entry)],
      write: false,
      bundle: true,
      minify: true,
      format: "iife",
      target: "es2022",
      jsx: "automatic",
      jsxImportSource: "preact",
      legalComments: "none",
      tsconfigRaw: {},
    });
    return outputFiles[0]?.text.trim() ?? "";
  };
  const script = `${comment(noticeOf("preact"))}\n${bundled("main.tsx")}`;
  const style = bundled("page.css");
  for (const text of [script, style])
    if (/<\/s|<!--/i.test(text)) throw new Error("The page's script or style would end early.");
  const hash = (/** @type {string} */ text) =>
    `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title><!--here--></title>
<style>${style}</style>
</head>
<body>
<main><p>This page is drawn by its script. Open it in a browser that runs it, or use another --format.</p></main>
<!--here-->
<script>${script}</script>
</body>
</html>
`;
  mkdirSync(dirname(outfile), { recursive: true });
  writeFileSync(outfile, page);
}

/**
 * Puts the declarations of an entry into its file. What entries share is in files of its own, so that a class
 * is the same one whichever entry a program imports it from.
 *
 * @param {string} stage
 */
async function bundleDeclarations(stage) {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // The others are made from JSON Schemas.
  const hasSource = (/** @type {string} */ types) => /^\.\/dist\/(?:provider|cli)\//.test(types);
  const entries = Object.values(exports).flatMap(({ types }) =>
    types === undefined || !hasSource(types)
      ? []
      : [
          relative("dist", types)
            .replaceAll(sep, "/")
            .replace(/\.d\.ts$/, ""),
        ],
  );
  const bundle = await rollup({
    input: Object.fromEntries(entries.map((name) => [name, join(stage, `${name}.d.ts`)])),
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    // Names zod as a whole: `infer` by itself can't be the name of a type.
    plugins: [
      { name: "zod", resolveId: (id) => (/^\..*\/zod$/.test(id) ? { id: "zod", external: true } : null) },
      dts(),
    ],
    onwarn: ({ code, message }) => {
      if (code === "UNRESOLVED_IMPORT" || code === "MISSING_EXPORT") throw new Error(message);
    },
  });
  const { output } = await bundle.generate({
    entryFileNames: "[name].d.ts",
    chunkFileNames: "provider/shared.d.ts",
    minifyInternalExports: false,
  });
  await bundle.close();
  for (const file of filesIn(stage)) if (file.endsWith(".d.ts")) rmSync(file);
  for (const file of output) {
    if (file.type !== "chunk") continue;
    const path = join(stage, file.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.code);
  }
}

/**
 * @param {string} file
 * @param {string} text
 * @param {boolean} isEntry
 * @returns {import("@swc/core").Options}
 */
function compilation(file, text, isEntry) {
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
      // ES modules can import by name only the exports that Node.js finds in a file's text.
      exportInteropAnnotation: isEntry,
    },
  };
}
