#!/usr/bin/env bash
# docs/pulumi.md: delete hooks run for what is only forgotten. If they don't, the sentence can go.
# Guess: `beforeDelete` and `afterDelete` run when a resource is deleted, so an `afterDelete` may tell an auditor that it
#   is gone.
# Seen: they also run for a resource that the engine only forgets, by `retainOnDelete` or because it goes with its
#   `deletedWith`. The provider is never asked, and what the hook gets doesn't tell the two apart.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { ResourceHook } = require("@pulumi/pulumi");
const { note, run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let program;
  const stack = await stackOf(() => program());
  const tell = (when) => new ResourceHook(when, async ({ name }) => note(`${when} ${name}`));
  const hooks = () => ({ beforeDelete: [tell("beforeDelete")], afterDelete: [tell("afterDelete")] });
  const cases = {
    "no option": () => new Thing("plain", { hooks: hooks() }),
    retainOnDelete: () => new Thing("retained", { hooks: hooks(), retainOnDelete: true }),
    deletedWith: () => new Thing("inner", { hooks: hooks(), deletedWith: new Thing("outer") }),
  };
  for (const [option, declare] of Object.entries(cases)) {
    program = () => void declare();
    await stack.up();
    program = () => void hooks();
    await run(`removed, with ${option}`, () => stack.up());
  }
  process.exit();
})();
JS
shows node run.js <<'SEEN'
removed, with no option: ends well
  beforeDelete plain
  delete plain
  afterDelete plain
removed, with retainOnDelete: ends well
  beforeDelete retained
  afterDelete retained
removed, with deletedWith: ends well
  beforeDelete inner
  afterDelete inner
  delete outer
SEEN
