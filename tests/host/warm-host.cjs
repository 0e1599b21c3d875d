/*
 * Runs the SDK's provider host in this process, anew for each engine address that it receives. The host and
 * the package are loaded again, so that nothing of an earlier run remains. Their dependencies stay, because
 * they take most of a second to load. "end" is answered on stdout, after everything the run has printed. The
 * time of its clock comes with the address.
 */
const { sep, resolve } = require("node:path");

const host = require.resolve("@pulumi/pulumi/cmd/dynamic-provider");
const own = resolve("dist") + sep;

const time = Date.now.bind(Date);

// Each start of the host adds a listener for uncaught errors of the process.
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
