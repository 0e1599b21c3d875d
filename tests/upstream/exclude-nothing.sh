#!/usr/bin/env bash
# docs/pulumi.md: `up --exclude` takes a URN that doesn't exist. If it refuses it, the sentence can go.
# Guess: a URN that the stack doesn't have is an error, whichever option it is given to. `--target` and `--replace` refuse
#   it, and so does `destroy --exclude`.
# Seen: `up --exclude` and `preview --exclude` take it, exclude nothing, and change what was to be left alone, without
#   a warning.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
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
  constructor(name, v) {
    super(handlers, name, { v });
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
  let v = "1";
  const program = async () => void new Thing("thing", v);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("up", () => stack.up());
  const typo = ["urn:pulumi:test::access::pulumi-nodejs:dynamic:Resource::thnig"];
  v = "2";
  await run("up --target", () => stack.up({ target: typo }));
  await run("up --replace", () => stack.up({ replace: typo }));
  await run("destroy --exclude", () => stack.destroy({ exclude: typo }));
  await run("up --exclude", () => stack.up({ exclude: typo }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create 1
up --target: fails
up --replace: fails
destroy --exclude: fails
up --exclude: ends well
  update 2
SEEN
