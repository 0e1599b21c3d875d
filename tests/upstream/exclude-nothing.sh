#!/usr/bin/env bash
# docs/pulumi.md: `up --exclude` takes a URN that doesn't exist. If it refuses it, the sentence can go.
# Guess: a URN that the stack doesn't have is an error, whichever option it is given to. `--target` and `--replace` refuse
#   it, and so does `destroy --exclude`.
# Seen: `up --exclude` and `preview --exclude` take it, exclude nothing, and change what was to be left alone, without
#   a warning.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let v = "1";
  const stack = await stackOf(() => void new Thing("thing", { v }));
  await run("up", () => stack.up());
  const typo = ["urn:pulumi:test::access::pulumi-nodejs:dynamic:Resource::thnig"];
  v = "2";
  await run("up --target", () => stack.up({ target: typo }));
  await run("up --replace", () => stack.up({ replace: typo }));
  await run("destroy --exclude", () => stack.destroy({ exclude: typo }));
  await run("up --exclude", () => stack.up({ exclude: typo }));
  process.exit();
})();
JS
shows node run.js <<'SEEN'
up: ends well
  create thing 1
up --target: fails
up --replace: fails
destroy --exclude: fails
up --exclude: ends well
  update thing 2
SEEN
