#!/usr/bin/env bash
# docs/pulumi.md: the first `replacementTrigger` replaces nothing. If it does, the sentence can go.
# Guess: `replacementTrigger` replaces whenever its value changes, from nothing to something too, so adding one rotates a
#   credential now.
# Seen: the first value of a trigger is only stored. Nor does a value that comes back changed after a run without one
#   replace anything: 1, none, 2 rotates nothing.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => (require("node:fs").appendFileSync(calls, `  create ${v}\n`), { id: v, outs: { v } }),
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, { v: name }, options);
  }
}
async function run(label, operation) {
  require("node:fs").writeFileSync(calls, "");
  const outcome = await operation().then(
    () => "ends well",
    () => "fails",
  );
  process.stdout.write(`${label}: ${outcome}\n${require("node:fs").readFileSync(calls)}`);
}
(async () => {
  let replacementTrigger;
  const program = async () => void new Thing("key", { replacementTrigger });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  for (const value of [undefined, "1", "2", undefined, "3", "4"]) {
    replacementTrigger = value;
    await run(`trigger ${value ?? "not set"}`, () => stack.up());
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
trigger not set: ends well
  create key
trigger 1: ends well
trigger 2: ends well
  create key
  delete key
trigger not set: ends well
trigger 3: ends well
trigger 4: ends well
  create key
  delete key
SEEN
