#!/usr/bin/env bash
# docs/pulumi.md: a replacement takes what `ignoreChanges` held back. If it doesn't, the sentence can go.
# Guess: with `ignoreChanges` a property keeps the value that is in the state, whatever else happens to the resource.
# Seen: that ends with a replacement, even if another property, a trigger or `--replace` caused it. The new resource gets
#   the program's value, which nobody meant to apply, though the same `up` ignored it a moment before.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v, limit }) => {
    require("node:fs").appendFileSync(calls, `  create ${v}, limit ${limit}\n`);
    return { id: v, outs: { v, limit } };
  },
  update: async (id, old, { v, limit }) => {
    require("node:fs").appendFileSync(calls, `  update ${v}, limit ${limit}\n`);
    return { outs: { v, limit } };
  },
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, props, options) {
    super(handlers, name, props, options);
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
  let props;
  const program = async () => void new Thing("thing", props, { ignoreChanges: ["limit"], replaceOnChanges: ["v"] });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  props = { v: "a", limit: 1 };
  await run("create", () => stack.up());
  props = { v: "a", limit: 99 };
  await run("another limit, which is ignored", () => stack.up());
  props = { v: "b", limit: 99 };
  await run("another v, which replaces", () => stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
create: ends well
  create a, limit 1
another limit, which is ignored: ends well
another v, which replaces: ends well
  create b, limit 99
  delete a
SEEN
