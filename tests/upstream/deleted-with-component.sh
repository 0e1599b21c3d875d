#!/usr/bin/env bash
# docs/pulumi.md: `deletedWith` a component makes state forget. If Pulumi deletes, half the sentence can go.
# Guess: `deletedWith` spares a resource its own delete where another one takes it along. A component takes nothing along, so
#   the option is refused there, or has no effect.
# Seen: it has its effect. When the component goes, the engine forgets the resource, sends no delete, and the run ends well. The
#   object stays where it is, and no state knows it. Children of a component that has the option inherit it.
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
  async function run(label, declare) {
    program = declare;
    const { summary } = await stack.up();
    const { deployment } = await stack.exportStack();
    const left = deployment.resources.filter(({ type }) => /Thing$|Team$/.test(type)).length;
    const { create = 0, delete: deleted = 0 } = summary.resourceChanges;
    console.log(`${label}: created ${create}, deleted ${deleted}, left in state ${left}`);
    process.stdout.write(calls());
  }
  await run("a component, and what goes with it", () => void new Thing("member", { deletedWith: new Team("team") }));
  await run("both are gone from the program", () => {});
  await run("a component, its child, and what the component goes with", () => {
    const team = new Team("team", { deletedWith: new Team("other") });
    new Thing("child", { parent: team });
  });
  await run("all are gone from the program", () => {});
  process.exit();
})();
JS
shows node run.js <<'SEEN'
a component, and what goes with it: created 3, deleted 0, left in state 1
  create member
both are gone from the program: created 0, deleted 2, left in state 0
a component, its child, and what the component goes with: created 3, deleted 0, left in state 2
  create child
all are gone from the program: created 0, deleted 3, left in state 0
SEEN
