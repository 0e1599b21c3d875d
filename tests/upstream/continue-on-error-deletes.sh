#!/usr/bin/env bash
# docs/pulumi.md: groups lose a role though its successor failed. If the deletes wait, the sentence can go.
# Guess: `--continue-on-error` goes on with what is independent of a failure, and deletes stay behind as they do without
#   it, since nobody knows whether what replaces the old is there.
# Seen: with it, a run whose create failed goes on to delete what the program has dropped. Where one resource takes
#   another one's place without naming it, neither is left.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { writeFileSync } = require("node:fs");
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let name = "old";
  const stack = await stackOf(() => void new Thing(name));
  await run("up", () => stack.up());
  writeFileSync("refuse-create-new", "");
  name = "new";
  await run("the old one is dropped, the new one fails", () => stack.up());
  await run("the same with --continue-on-error", () => stack.up({ continueOnError: true }));
  process.exit();
})();
JS
shows node run.js <<'SEEN'
up: ends well
  create old
the old one is dropped, the new one fails: fails
  create new, refused
the same with --continue-on-error: fails
  create new, refused
  delete old
SEEN
