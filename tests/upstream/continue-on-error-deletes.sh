#!/usr/bin/env bash
# docs/pulumi.md: groups lose a role though its successor failed. If the deletes wait, the sentence can go.
# Guess: `--continue-on-error` goes on with what is independent of a failure, and deletes stay behind as they do without
#   it, since nobody knows whether what replaces the old is there.
# Seen: with it, a run whose create failed goes on to delete what the program has dropped. Where one resource takes
#   another one's place without naming it, neither is left.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => {
    if (v === "new") throw new Error("quota");
    require("node:fs").appendFileSync(calls, `  create ${v}\n`);
    return { id: v, outs: { v } };
  },
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
  let name = "old";
  const program = async () => void new Thing(name);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("up", () => stack.up());
  name = "new";
  await run("the old one is dropped, the new one fails", () => stack.up());
  await run("the same with --continue-on-error", () => stack.up({ continueOnError: true }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create old
the old one is dropped, the new one fails: fails
the same with --continue-on-error: fails
  delete old
SEEN
