#!/usr/bin/env bash
# cli/review/input/engine-order.ts: `retainOnDelete` counts as state has it. If the program's counts, change `endOf`.
# Guess: options count as the program has them. So `retainOnDelete: true`, added in the run that replaces a resource, keeps the old
#   object, and `protect: true` stops that run.
# Seen: both count as the state has them. The old object is deleted in the very run that was to keep it. The other way round, one
#   whose `retainOnDelete` goes in that run is left behind. To keep an object, apply the option alone first.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let v = 0;
  let options = {};
  const stack = await stackOf(() => void new Thing("thing", { v, replaceOnChanges: ["v"], ...options }));
  const replaced = (label, now) => {
    options = now;
    v++;
    return run(label, () => stack.up());
  };
  await replaced("at first", {});
  await replaced("replaced, and retainOnDelete added", { retainOnDelete: true });
  await replaced("replaced, and retainOnDelete kept", { retainOnDelete: true });
  await replaced("replaced, and retainOnDelete removed", {});
  await replaced("replaced, and protect added", { protect: true });
  await replaced("replaced, and protect kept", { protect: true });
  process.exit();
})();
JS
shows node run.js <<'SEEN'
at first: ends well
  create thing 1
replaced, and retainOnDelete added: ends well
  create thing 2
  delete thing 1
replaced, and retainOnDelete kept: ends well
  create thing 3
replaced, and retainOnDelete removed: ends well
  create thing 4
replaced, and protect added: ends well
  create thing 5
  delete thing 4
replaced, and protect kept: fails
SEEN
