#!/usr/bin/env bash
# docs/pulumi.md: an `after` hook that failed isn't repeated. If it is, the sentence can go.
# Guess: a hook that failed runs again in the next `up`, as a resource does whose update was done in part.
# Seen: an `afterUpdate` that throws fails the run after the update was done and stored. The next `up` finds nothing to
#   change, ends well, and the hook never runs for that update.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { ResourceHook } = require("@pulumi/pulumi");
const { note, run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let isDown = false;
  let v = "1";
  const stack = await stackOf(() => {
    const notify = new ResourceHook("notify", async () => {
      note("afterUpdate");
      if (isDown) throw new Error("the auditor's service is down");
    });
    new Thing("thing", { v, hooks: { afterUpdate: [notify] } });
  });
  await run("create", () => stack.up());
  [isDown, v] = [true, "2"];
  await run("change, the hook throws", () => stack.up());
  isDown = false;
  await run("again, the hook would work", () => stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
create: ends well
  create thing 1
change, the hook throws: fails
  update thing 2
  afterUpdate
again, the hook would work: ends well
SEEN
