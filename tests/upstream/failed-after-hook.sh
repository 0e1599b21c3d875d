#!/usr/bin/env bash
# docs/pulumi.md: an `after` hook that failed isn't repeated. If it is, the sentence can go.
# Guess: a hook that failed runs again in the next `up`, as a resource does whose update was done in part.
# Seen: an `afterUpdate` that throws fails the run after the update was done and stored. The next `up` finds nothing to
#   change, ends well, and the hook never runs for that update.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic, ResourceHook } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => (require("node:fs").appendFileSync(calls, `  create ${v}\n`), { id: v, outs: { v } }),
  update: async (id, old, { v }) => (require("node:fs").appendFileSync(calls, `  update ${v}\n`), { outs: { v } }),
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, v, options) {
    super(handlers, name, { v }, options);
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
  let isDown = false;
  let v = "1";
  const program = async () => {
    const notify = new ResourceHook("notify", async () => {
      require("node:fs").appendFileSync(calls, "  afterUpdate\n");
      if (isDown) throw new Error("the auditor's service is down");
    });
    new Thing("thing", v, { hooks: { afterUpdate: [notify] } });
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("create", () => stack.up());
  [isDown, v] = [true, "2"];
  await run("change, the hook throws", () => stack.up());
  isDown = false;
  await run("again, the hook would work", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
create: ends well
  create 1
change, the hook throws: fails
  update 2
  afterUpdate
again, the hook would work: ends well
SEEN
