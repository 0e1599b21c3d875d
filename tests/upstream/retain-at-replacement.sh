#!/usr/bin/env bash
# cli/review/input/engine-order.ts: `retainOnDelete` counts as state has it. If the program's counts, change `endOf`.
# Guess: options count as the program has them. So `retainOnDelete: true`, added in the run that replaces a resource, keeps the old
#   object, and `protect: true` stops that run.
# Seen: both count as the state has them. The old object is deleted in the very run that was to keep it. The other way round, one
#   whose `retainOnDelete` goes in that run is left behind. To keep an object, apply the option alone first.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => (require("node:fs").appendFileSync(`${__dirname}/calls`, `  create ${v}\n`), { id: `${v}`, outs: { v } }),
  delete: async (id) => require("node:fs").appendFileSync(`${__dirname}/calls`, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(name, v, options) {
    super(handlers, name, { v }, { replaceOnChanges: ["v"], ...options });
  }
}
(async () => {
  let v = 0;
  let options = {};
  const program = async () => void new Thing("thing", v, options);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, now, isReplaced) {
    require("node:fs").writeFileSync(calls, "");
    options = now;
    v += isReplaced ? 1 : 0;
    const outcome = await stack.up().then(
      () => "ends well",
      () => "fails",
    );
    process.stdout.write(`${label}: ${outcome}\n${require("node:fs").readFileSync(calls)}`);
  }
  await run("at first", {}, true);
  await run("replaced, and retainOnDelete added", { retainOnDelete: true }, true);
  await run("replaced, and retainOnDelete kept", { retainOnDelete: true }, true);
  await run("replaced, and retainOnDelete removed", {}, true);
  await run("replaced, and protect added", { protect: true }, true);
  await run("replaced, and protect kept", { protect: true }, true);
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
at first: ends well
  create 1
replaced, and retainOnDelete added: ends well
  create 2
  delete 1
replaced, and retainOnDelete kept: ends well
  create 3
replaced, and retainOnDelete removed: ends well
  create 4
replaced, and protect added: ends well
  create 5
  delete 4
replaced, and protect kept: fails
SEEN
