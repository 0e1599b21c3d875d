/* global __dirname, __filename */
// Processes of the tests load this first: `node --require`. Hundreds of them compile the same thousand files
// of Pulumi's SDK, which is a third of what they cost, so V8's own code for each file is kept for the others
// of the run, as NODE_COMPILE_CACHE does from Node.js 22.1 on.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, join, sep } = require("node:path");
const vm = require("node:vm");

const { TEST_COMPILE_CACHE: folder = "" } = process.env;
const root = dirname(__dirname);
const KEPT = [join(root, "node_modules", sep), join(root, "dist", sep)];
const [before, after] = Module.wrapper;
const compile = Module.prototype._compile;
const importModuleDynamically = vm.constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER;

/** V8 refuses code that was made with other flags, and scripts set some while they load. */
const main = process.argv[1] ?? "";

// Pulumi's state has the frames that declared a resource, and leaves out those of Node.js: so this file runs
// under a name like theirs.
if (folder !== "" && !__filename.startsWith("node:")) {
  const filename = "node:compile-cache";
  const given = ["require", "__filename", "__dirname"];
  vm.compileFunction(readFileSync(__filename, "utf8"), given, { filename })(require, filename, __dirname);
} else if (folder !== "") {
  Module.prototype._compile = function (content, filename, ...rest) {
    if (content.startsWith("#!") || !KEPT.some((path) => filename.startsWith(path)))
      return compile.call(this, content, filename, ...rest);
    const { mtimeMs, size } = statSync(filename);
    const key = createHash("md5").update([main, filename, mtimeMs, size].join("\n")).digest("hex");
    const file = join(folder, key);
    const cachedData = read(file);
    const script = new vm.Script(before + content + after, { filename, cachedData, importModuleDynamically });
    const { resolve, cache, extensions } = Module.createRequire(filename);
    const own = { resolve, cache, extensions, main: process.mainModule };
    const require = Object.assign((/** @type {string} */ id) => this.require(id), own);
    const run = script.runInThisContext();
    const result = run.call(this.exports, this.exports, require, this, filename, dirname(filename));
    // Now, since hosts are killed; and with the functions that loading has called.
    if (cachedData === undefined || script.cachedDataRejected) write(file, script.createCachedData());
    return result;
  };
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/**
 * @param {string} file
 * @param {Buffer} data
 */
function write(file, data) {
  try {
    mkdirSync(folder, { recursive: true });
    const own = `${file}.${process.pid}`;
    writeFileSync(own, data);
    renameSync(own, file);
  } catch {
    // Another user's process, or the run has ended.
  }
}
