#!/usr/bin/env bash
# provider/resources/connection-profile/kind.ts: refuses two resources of one id. If Pulumi does, the check can go.
# Guess: an object has one entry in a state. A second `import` of its id, under another name or in the same run, is refused, as a second
#   resource of the same name is.
# Seen: both are imported, and nothing is said. When one of them leaves the program, the object is deleted, and the other entry stays;
#   the next `up` reports no change.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin

cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends CustomResource {
  constructor(name, options) {
    super("thing:index:Thing", name, { owner: "ada" }, options);
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    program = declare;
    const { stdout, summary } = await stack.up();
    // The plugin on the PATH gets one.
    const warnings = new Set(stdout.match(/warning: (?!using pulumi-resource-thing).*/g)).size;
    const { deployment } = await stack.exportStack();
    const things = deployment.resources.filter(({ type }) => type === "thing:index:Thing");
    const entries = things.map(({ urn, id }) => `${urn.split("::").at(-1)} is ${id}`).sort();
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${warnings} warnings; in state: ${entries.join(", ")}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await up("one name", () => void new Thing("first", { import: "object" }));
  await up("a second name", () => {
    new Thing("first", { import: "object" });
    new Thing("second", { import: "object" });
  });
  await up("the first one leaves", () => void new Thing("second", { import: "object" }));
  await up("nothing changes", () => void new Thing("second", { import: "object" }));
  process.exit();
})();
JS
shows node run.js <<'SEEN'
one name: {"create":1,"import":1}, 0 warnings; in state: first is object
  read object
a second name: {"import":1,"same":2}, 0 warnings; in state: first is object, second is object
  read object
the first one leaves: {"delete":1,"same":2}, 0 warnings; in state: second is object
  delete object
nothing changes: {"same":2}, 0 warnings; in state: second is object
SEEN
