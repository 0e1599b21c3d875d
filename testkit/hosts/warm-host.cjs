/*
 * Runs the SDK's provider host in this process, anew for each engine address that it receives. The modules of
 * the host and the package run again, so that nothing of an earlier run remains. They are compiled once, and
 * their dependencies stay loaded, because that takes most of a second. "end" is answered on stdout, after
 * everything the run has printed. The time of its clock comes with the address.
 */
const { readFileSync } = require("node:fs");
const Module = require("node:module");
const { dirname, sep, resolve } = require("node:path");
const { Script } = require("node:vm");

const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
const own = resolve("dist") + sep;
/** zod, in one file: a dependency like the others. */
const zod = resolve("dist/provider/zod.js");

const isRunAgain = (file) => file === host || (file.startsWith(own) && file !== zod);

const load = Module._extensions[".js"];
const scripts = new Map();
Module._extensions[".js"] = (module, file) => {
  if (!isRunAgain(file)) return load(module, file);
  let script = scripts.get(file);
  if (script === undefined) {
    script = new Script(Module.wrap(readFileSync(file, "utf8")), { filename: file });
    scripts.set(file, script);
  }
  const { exports } = module;
  const require = Module.createRequire(file);
  script.runInThisContext().call(exports, exports, require, module, file, dirname(file));
};

const time = Date.now.bind(Date);

// Each start of the host adds a listener for uncaught errors of the process.
process.setMaxListeners(0);

process.on("message", (message) => {
  if (message === "end") return console.log("end");
  const { engine, moment } = message;
  Date.now = () => moment ?? time();
  process.argv.splice(1, 2, host, engine);
  for (const file of Object.keys(require.cache)) {
    if (isRunAgain(file)) delete require.cache[file];
  }
  require(host);
});
process.on("disconnect", () => process.exit());
