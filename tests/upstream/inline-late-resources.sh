#!/usr/bin/env bash
# docs/pulumi.md: inline runs delete what an `async` callback declares. If they wait, the sentence can go.
# Guess: an inline program of the Automation API declares what the same program declares under `pulumi up`, which waits
#   for callbacks that are still under way.
# Seen: an inline run ends when nothing is being registered. A resource that an async `apply` declares after waiting
#   isn't made, and if it was there, it is deleted. The run ends well, without a warning.
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
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  program = () => void new Thing("second", { dependsOn: new Thing("first") });
  await run("declares both at once", () => stack.up());
  program = () => {
    new Thing("first").v.apply(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      new Thing("second");
    });
  };
  await run("declares the second after two seconds, in an apply", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
declares both at once: ends well
  create first
  create second
declares the second after two seconds, in an apply: ends well
  delete second
SEEN
