// Types and lint of the whole repository, from one program for each tsconfig.json: the linter's rules ask the
// compiler for most of what a check of the types has already found out.
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import ts from "typescript";
import { PROJECTS } from "../eslint.config.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const programs = PROJECTS.map(programOf);
const errors = programs.flatMap((program) => ts.getPreEmitDiagnostics(program));
console.log(
  ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(errors), {
    getCurrentDirectory: () => root,
    getCanonicalFileName: (name) => name,
    getNewLine: () => "\n",
  }),
);

const linter = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ["**/*.{ts,tsx}"],
    languageOptions: { parserOptions: { project: null, programs } },
  },
});
const results = await linter.lintFiles(["."]);
const formatter = await linter.loadFormatter("stylish");
console.log(await formatter.format(results));
const isClean = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
process.exitCode = errors.length === 0 && isClean ? 0 : 1;

/** @param {string} path Of a tsconfig.json. */
function programOf(path) {
  const file = join(root, path);
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  const { options, fileNames, errors } = ts.parseJsonConfigFileContent(config, ts.sys, dirname(file));
  return ts.createProgram({
    rootNames: fileNames,
    options: { ...options, noEmit: true },
    configFileParsingDiagnostics: error === undefined ? errors : [error, ...errors],
  });
}
