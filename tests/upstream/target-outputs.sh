#!/usr/bin/env bash
# provider/seen.ts: refuses the engine's mark of unknown values as an id. If outputs never hold it, that can go.
# Guess: a run with `--target` leaves out the outputs of what it didn't make, or keeps the former ones, or fails.
# Seen: a new resource outside the target isn't made, and the run ends well. Its inputs become the stack's outputs all the same, and
#   in place of its id every reader of them, another stack too, gets 04da6b54-80e4-46f7-96ec-b56ff0331ba9: the engine's mark of an
#   unknown value, as plain text.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async ({ v }) => ({ id: `id-of-${v}`, outs: { v } }) };
class Thing extends dynamic.Resource {
  constructor(v) {
    super(handlers, v, { v });
    this.v = v;
  }
}
(async () => {
  let program = async () => void new Thing("old");
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: () => program() });
  await stack.up();
  program = async () => {
    new Thing("old");
    const { id, v } = new Thing("new");
    return { id, v };
  };
  async function run(label, options) {
    const { summary, outputs } = await stack.up(options);
    const values = Object.entries(outputs).map(([name, { value }]) => `${name} ${value}`);
    console.log(`${label}: ${summary.result}, created ${summary.resourceChanges.create ?? 0}, outputs: ${values.sort().join(", ")}`);
  }
  const { deployment } = await stack.exportStack();
  const old = deployment.resources.find(({ urn }) => urn.endsWith("::old")).urn;
  await run("target: old", { target: [old] });
  await run("no target", {});
  process.exit();
})();
JS
shows node run.js <<'SEEN'
target: old: succeeded, created 0, outputs: id 04da6b54-80e4-46f7-96ec-b56ff0331ba9, v new
no target: succeeded, created 1, outputs: id id-of-new, v new
SEEN
