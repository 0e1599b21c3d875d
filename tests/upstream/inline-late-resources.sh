#!/usr/bin/env bash
# docs/pulumi.md: inline runs delete what an `async` callback declares. If they wait, the sentence can go.
# Guess: an inline program of the Automation API declares what the same program declares under `pulumi up`, which waits
#   for callbacks that are still under way.
# Seen: an inline run ends when nothing is being registered. A resource that an async `apply` declares after waiting
#   isn't made, and if it was there, it is deleted. The run ends well, without a warning.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let program = () => void new Thing("second", { dependsOn: new Thing("first") });
  const stack = await stackOf(() => program());
  await run("declares both at once", () => stack.up());
  program = () => {
    new Thing("first").id.apply(async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      new Thing("second");
    });
  };
  await run("declares the second after two seconds, in an apply", () => stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
declares both at once: ends well
  create first
  create second
declares the second after two seconds, in an apply: ends well
  delete second
SEEN
