#!/usr/bin/env bash
# docs/pulumi.md: the first `replacementTrigger` replaces nothing. If it does, the sentence can go.
# Guess: `replacementTrigger` replaces whenever its value changes, from nothing to something too, so adding one rotates a
#   credential now.
# Seen: the first value of a trigger is only stored. Nor does a value that comes back changed after a run without one
#   replace anything: 1, none, 2 rotates nothing.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let replacementTrigger;
  const stack = await stackOf(() => void new Thing("key", { replacementTrigger }));
  for (const value of [undefined, "1", "2", undefined, "3", "4"]) {
    replacementTrigger = value;
    await run(`trigger ${value ?? "not set"}`, () => stack.up());
  }
  process.exit();
})();
JS
shows node run.js <<'SEEN'
trigger not set: ends well
  create key
trigger 1: ends well
trigger 2: ends well
  create key
  delete key
trigger not set: ends well
trigger 3: ends well
trigger 4: ends well
  create key
  delete key
SEEN
