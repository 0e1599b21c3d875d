#!/usr/bin/env bash
# docs/pulumi.md: some options of a component don't reach its children. If they do, the sentence can go.
# Guess: an option of a component applies to its children, as `protect` and `retainOnDelete` do, or it is refused.
# Seen: `ignoreChanges`, `replaceOnChanges`, `replaceWith` and `replacementTrigger` are stored with the component, and have no effect on
#   its children, without a warning. A new trigger is reported as one replacement, though nothing is replaced. `replaceWith: [component]`
#   follows that trigger, but not a replacement of its children.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { ComponentResource } = require("@pulumi/pulumi");
const { calls, stackOf, Thing } = require("./things.cjs");
class Team extends ComponentResource {
  constructor(name, options) {
    super("example:index:Team", name, {}, options);
  }
}
(async () => {
  let program;
  const stack = await stackOf(() => program());
  async function up(declare) {
    calls();
    program = declare;
    return (await stack.up()).summary.resourceChanges;
  }
  async function run(label, before, after) {
    await up(before);
    const { same, ...changes } = await up(after);
    console.log(`${label}: ${JSON.stringify(changes)}`);
    process.stdout.write(calls());
    await up(() => {});
  }
  const child = (v, options) => () => void new Thing("child", { v, parent: new Team("team", options) });
  await run("ignoreChanges", child(1, { ignoreChanges: ["v"] }), child(2, { ignoreChanges: ["v"] }));
  await run("replaceOnChanges", child(1, { replaceOnChanges: ["v"] }), child(2, { replaceOnChanges: ["v"] }));
  await run("replacementTrigger", child(1, { replacementTrigger: "a" }), child(1, { replacementTrigger: "b" }));
  const following = (v) => () => child(1, { replaceWith: [new Thing("other", { v, replaceOnChanges: ["v"] })] })();
  await run("replaceWith", following(1), following(2));
  const followed = (v, replacementTrigger) => () => {
    const team = new Team("team", { replacementTrigger });
    new Thing("child", { v, parent: team, replaceOnChanges: ["v"] });
    new Thing("follower", { replaceWith: [team] });
  };
  await run("replaceWith a component whose child is replaced", followed(1, "a"), followed(2, "a"));
  await run("replaceWith a component whose trigger changes", followed(1, "a"), followed(1, "b"));
  process.exit();
})();
JS
shows node run.js <<'SEEN'
ignoreChanges: {"update":1}
  update child 2
replaceOnChanges: {"update":1}
  update child 2
replacementTrigger: {"replace":1}
replaceWith: {"replace":2}
  create other 2
  delete other 1
replaceWith a component whose child is replaced: {"replace":1}
  create child 2
  delete child 1
replaceWith a component whose trigger changes: {"replace":2}
  create follower
  delete follower
SEEN
