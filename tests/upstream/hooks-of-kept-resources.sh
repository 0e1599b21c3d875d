#!/usr/bin/env bash
# docs/pulumi.md: delete hooks run for what is only forgotten. If they don't, the sentence can go.
# Guess: `beforeDelete` and `afterDelete` run when a resource is deleted, so an `afterDelete` may tell an auditor that it
#   is gone.
# Seen: they also run for a resource that the engine only forgets, by `retainOnDelete` or because it goes with its
#   `deletedWith`. The provider is never asked, and what the hook gets doesn't tell the two apart.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic, ResourceHook } = require("@pulumi/pulumi");
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
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  const tell = (when) =>
    new ResourceHook(when, async ({ name }) => require("node:fs").appendFileSync(calls, `  ${when} ${name}\n`));
  const hooks = () => ({ beforeDelete: [tell("beforeDelete")], afterDelete: [tell("afterDelete")] });
  const cases = {
    "no option": () => new Thing("plain", { hooks: hooks() }),
    retainOnDelete: () => new Thing("retained", { hooks: hooks(), retainOnDelete: true }),
    deletedWith: () => new Thing("inner", { hooks: hooks(), deletedWith: new Thing("outer") }),
  };
  for (const [option, declare] of Object.entries(cases)) {
    program = () => void declare();
    await stack.up();
    program = () => void hooks();
    await run(`removed, with ${option}`, () => stack.up());
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
removed, with no option: ends well
  beforeDelete plain
  delete plain
  afterDelete plain
removed, with retainOnDelete: ends well
  beforeDelete retained
  afterDelete retained
removed, with deletedWith: ends well
  beforeDelete inner
  afterDelete inner
  delete outer
SEEN
