#!/usr/bin/env bash
# docs/held.md: a refresh forgets a protected resource. If it stops, the sentence can go.
# Guess: `protect` keeps an entry in the state: a refresh that no longer finds the object, perhaps because its credentials see less,
#   stops there, or leaves the entry and warns.
# Seen: it forgets the entry as any other and ends well, and the next `up` creates the object again. `protect` is checked only where
#   the engine itself deletes.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin

cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends CustomResource {
  constructor(options) {
    super("thing:index:Thing", "thing", { owner: "ada" }, options);
  }
}
(async () => {
  const { readFileSync, writeFileSync } = require("node:fs");
  let program = () => void new Thing({ protect: true });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function run(label, operation) {
    writeFileSync(process.env.CALLS, "");
    const outcome = await operation().then(
      ({ summary }) => JSON.stringify(summary.resourceChanges),
      () => "fails",
    );
    const { deployment } = await stack.exportStack();
    const { protect = "nothing" } = deployment.resources.find(({ type }) => type === "thing:index:Thing") ?? {};
    console.log(`${label}: ${outcome}; protected in state: ${protect}`);
    process.stdout.write(readFileSync(process.env.CALLS));
  }
  await run("up", () => stack.up());
  const declared = program;
  program = () => {};
  await run("up, out of the program", () => stack.up());
  program = declared;
  writeFileSync(`${process.env.CALLS}.gone`, "");
  await run("refresh, not found", () => stack.refresh());
  await run("up", () => stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
up: {"create":2}; protected in state: true
  create
up, out of the program: fails; protected in state: true
refresh, not found: {"delete":1,"same":1}; protected in state: nothing
  read made
up: {"create":1,"same":1}; protected in state: true
  create
SEEN
