#!/usr/bin/env bash
# docs/held.md: `destroy` deletes the rest, then fails at `protect`. If it fails first, the sentence can go.
# Guess: a stack with a protected resource can't be destroyed, so `destroy` fails before it deletes anything, however it's called.
# Seen: it does so if it previews first. With `--skip-preview`, which the Automation API always sets, it deletes all that isn't protected,
#   and fails at what is.
# The Automation API destroys with a CLI that knows its version only.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { spawnSync } = require("node:child_process");
const { outcomeOf, stackOf, Thing } = require("./things.cjs");
(async () => {
  const stack = await stackOf(() => {
    new Thing("one");
    new Thing("kept", { protect: true });
    new Thing("other");
  });
  async function run(label, operation) {
    const outcome = await outcomeOf(operation());
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
shows node run.js <<'SEEN'
up: ends well; in state: kept, one, other
pulumi destroy --yes: fails; in state: kept, one, other
pulumi destroy --yes --skip-preview: fails; in state: kept
up: ends well; in state: kept, one, other
stack.destroy(): fails; in state: kept
SEEN
