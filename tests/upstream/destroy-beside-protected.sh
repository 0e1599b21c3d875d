#!/usr/bin/env bash
# docs/held.md: `destroy` deletes the rest, then fails at `protect`. If it fails first, the sentence can go.
# Guess: a stack with a protected resource can't be destroyed, so `destroy` fails before it deletes anything, however it's called.
# Seen: it does so if it previews first. With `--skip-preview`, which the Automation API always sets, it deletes all that isn't protected,
#   and fails at what is.
# The Automation API destroys with a CLI that knows its version only.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { spawnSync } = require("node:child_process");
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async ({ v }) => ({ id: v, outs: { v } }), delete: async () => {} };
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
(async () => {
  const program = async () => {
    new Thing("one");
    new Thing("kept", { protect: true });
    new Thing("other");
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, operation) {
    const outcome = await operation().then(
      () => "ends well",
      () => "fails",
    );
    const { deployment } = await stack.exportStack();
    const left = deployment.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
    console.log(`${label}: ${outcome}; in state: ${left.map(({ id }) => id).sort().join(", ")}`);
  }
  const cli = (...options) => {
    const { status } = spawnSync("pulumi", ["destroy", "--yes", "--stack", "test", ...options], { cwd: stack.workspace.workDir });
    return status === 0 ? Promise.resolve() : Promise.reject(new Error(`${status}`));
  };
  await run("up", () => stack.up());
  await run("pulumi destroy --yes", () => cli());
  await run("pulumi destroy --yes --skip-preview", () => cli("--skip-preview"));
  await run("up", () => stack.up());
  await run("stack.destroy()", () => stack.destroy());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well; in state: kept, one, other
pulumi destroy --yes: fails; in state: kept, one, other
pulumi destroy --yes --skip-preview: fails; in state: kept
up: ends well; in state: kept, one, other
stack.destroy(): fails; in state: kept
SEEN
