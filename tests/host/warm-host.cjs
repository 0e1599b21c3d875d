/*
 * Runs the SDK's provider host in this process, anew for each address of an engine that it is sent: the host
 * and the package are loaded again, so that nothing of an earlier run is left, while their dependencies,
 * which take most of a second to load, stay. "end" is answered on stdout, behind all that the run has
 * printed. Its clock says what comes with the address.
 */
const { sep, resolve } = require("node:path");

const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
const own = resolve("dist") + sep;

const time = Date.now.bind(Date);

// Each start of the host listens for uncaught errors of the process.
process.setMaxListeners(0);

process.on("message", (message) => {
  if (message === "end") return console.log("end");
  const { engine, moment } = message;
  Date.now = () => moment ?? time();
  process.argv.splice(1, 2, host, engine);
  for (const file of Object.keys(require.cache)) {
    if (file === host || file.startsWith(own)) delete require.cache[file];
  }
  require(host);
});
process.on("disconnect", () => process.exit());
