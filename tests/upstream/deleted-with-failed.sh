#!/usr/bin/env bash
# docs/pulumi.md: `deletedWith` makes state forget before the other is gone. If not, the sentence can go.
# Guess: `deletedWith` leaves a resource to be deleted with its container, so if the container can't be deleted, both
#   are still there, in the state too.
# Seen: the engine forgets the resource first, without asking the provider. Then the container's delete fails, and
#   the resource exists in no state any more. The next `up` makes it a second time.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { rmSync, writeFileSync } = require("node:fs");
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  const stack = await stackOf(() => void new Thing("inner", { deletedWith: new Thing("outer") }));
  const state = async () => {
    const { deployment } = await stack.exportStack();
    const names = (deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1));
    console.log(`  state: ${names.filter((name) => ["inner", "outer"].includes(name)).sort()}`);
  };
  await run("up", () => stack.up());
  await state();
  writeFileSync("refuse-delete-outer", "");
  await run("destroy, the container's delete fails", () => stack.destroy());
  await state();
  rmSync("refuse-delete-outer");
  await run("up", () => stack.up());
  await state();
  process.exit();
})();
JS
shows node run.js <<'SEEN'
up: ends well
  create outer
  create inner
  state: inner,outer
destroy, the container's delete fails: fails
  delete outer, refused
  state: outer
up: ends well
  create inner
  state: inner,outer
SEEN
