// Writes the names of all files that a process requires: NODE_OPTIONS="--require …/loaded.cjs".
const { appendFileSync } = require("node:fs");
const Module = require("node:module");
const { isAbsolute } = require("node:path");

const load = Module._load;
Module._load = (request, parent, isMain) => {
  const file = Module._resolveFilename(request, parent, isMain);
  if (isAbsolute(file)) appendFileSync(process.env.LOADED_FILE, `${file}\n`);
  return load(request, parent, isMain);
};
