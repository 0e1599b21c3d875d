// Writes the files that a process has loaded, as it ends: NODE_OPTIONS="--require …/loaded.cjs".
const { writeFileSync } = require("node:fs");

process.once("SIGTERM", () => {
  writeFileSync(process.env.LOADED_FILE, JSON.stringify(Object.keys(require.cache)));
  process.exit();
});
