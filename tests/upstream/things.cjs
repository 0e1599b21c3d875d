/* global __dirname */
/*
 * Things of a dynamic provider that note their calls, and stacks of inline programs. `things` of set-up.sh
 * puts this beside run.js.
 */
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");

const folder = __dirname;
const note = (call) => require("node:fs").appendFileSync(`${folder}/calls`, `  ${call}\n`);
/** Notes a call, unless a file `refuse-delete-a` refuses it. */
function done(call, id) {
  const isRefused = require("node:fs").existsSync(`${folder}/refuse-${call}-${id}`);
  note(`${call} ${id}${isRefused ? ", refused" : ""}`);
  if (isRefused) throw new Error("refused");
}
const idOf = ({ name, v }) => (v === undefined ? name : `${name} ${v}`);
// Their text is kept in state and runs in a host, so they load what they need.
const handlers = {
  create: async (props) => (done("create", idOf(props)), { id: idOf(props), outs: props }),
  update: async (id, old, props) => (done("update", idOf(props)), { outs: props }),
  delete: async (id) => done("delete", id),
};

/** `v`: an input that may change. Its id and its calls show it with the name. */
class Thing extends dynamic.Resource {
  constructor(name, { v, ...options } = {}) {
    super(handlers, name, { name, v }, options);
  }
}

const stackOf = (program, stackName = "test") =>
  LocalWorkspace.createOrSelectStack({ stackName, projectName: "access", program: async () => program() });

const outcomeOf = (operation) =>
  operation.then(
    () => "ends well",
    () => "fails",
  );

/** Returns the calls since it was asked last. */
function calls() {
  const noted = existsSync(`${folder}/calls`) ? readFileSync(`${folder}/calls`, "utf8") : "";
  writeFileSync(`${folder}/calls`, "");
  return noted;
}

/** Prints what an operation ends with, and its calls. */
async function run(label, operation) {
  calls();
  const outcome = await outcomeOf(operation());
  process.stdout.write(`${label}: ${outcome}\n${calls()}`);
}

module.exports = { calls, note, outcomeOf, run, stackOf, Thing };
