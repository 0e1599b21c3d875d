#!/usr/bin/env bash
# docs/pulumi.md: `deletedWith` makes state forget before the other is gone. If not, the sentence can go.
# Guess: `deletedWith` leaves a resource to be deleted with its container, so if the container can't be deleted, both
#   are still there, in the state too.
# Seen: the engine forgets the resource first, without asking the provider. Then the container's delete fails, and
#   the resource exists in no state any more. The next `up` makes it a second time.
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
    if (require("node:fs").existsSync(`${calls}-locked`)) throw new Error("the container is locked");
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
  const program = async () => void new Thing("inner", { deletedWith: new Thing("outer") });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  const state = async () => {
    const { deployment } = await stack.exportStack();
    const names = (deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1));
    console.log(`  state: ${names.filter((name) => ["inner", "outer"].includes(name)).sort()}`);
  };
  await run("up", () => stack.up());
  await state();
  require("node:fs").writeFileSync(`${calls}-locked`, "");
  await run("destroy, the container's delete fails", () => stack.destroy());
  await state();
  require("node:fs").rmSync(`${calls}-locked`);
  await run("up", () => stack.up());
  await state();
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create outer
  create inner
  state: inner,outer
destroy, the container's delete fails: fails
  delete outer
  state: outer
up: ends well
  create inner
  state: inner,outer
SEEN
