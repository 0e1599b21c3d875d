#!/usr/bin/env bash
# docs/recovery.md: `pulumi cancel` releases the lock of a live run. If it ends the run, the warning can go.
# Guess: `pulumi cancel` ends the run that holds the stack, or fails if it can't. Once it has said "canceled", nothing of that run
#   comes any more.
# Seen: with a backend of one's own (a folder here), it ends well and takes away the lock alone. The run goes on to its end, creates
#   more, and writes the state as it knows it. A second `up`, which the lock no longer stops, ends well too: afterwards the state has
#   what that one has deleted, and doesn't know what it has made.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { existsSync, readFileSync, writeFileSync } = require("node:fs");
const { setTimeout: wait } = require("node:timers/promises");
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const open = `${__dirname}/open`;
const handlers = {
  create: async ({ v }) => {
    const fs = require("node:fs");
    fs.appendFileSync(calls, `  create ${v}\n`);
    while (v === "slow" && !fs.existsSync(open)) await new Promise((resolve) => setTimeout(resolve, 50));
    return { id: v, outs: { v } };
  },
  delete: async (id) => require("node:fs").appendFileSync(calls, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
(async () => {
  const stackOf = (program) => LocalWorkspace.createOrSelectStack({ stackName: "test", projectName: "access", program });
  const ends = (run) => run.then(() => "ends well", () => "fails");
  const first = await stackOf(async () => {
    const slow = new Thing("slow", { dependsOn: new Thing("early") });
    new Thing("late", { dependsOn: slow });
  });
  const second = await stackOf(async () => void new Thing("other"));
  const running = ends(first.up());
  while (!existsSync(calls) || !readFileSync(calls, "utf8").includes("slow")) await wait(50);
  console.log(`a second up beside a first one: ${await ends(second.up())}`);
  console.log(`pulumi cancel: ${await ends(first.cancel())}`);
  console.log(`the second up once more: ${await ends(second.up())}`);
  writeFileSync(open, "");
  console.log(`the first one: ${await running}`);
  process.stdout.write(readFileSync(calls));
  const { deployment } = await first.exportStack();
  const things = deployment.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
  console.log(`in state: ${things.map(({ id }) => id).sort().join(", ")}`);
  process.exit();
})();
JS
shows node run.js <<'SEEN'
a second up beside a first one: fails
pulumi cancel: ends well
the second up once more: ends well
the first one: ends well
  create early
  create slow
  create other
  delete early
  create late
in state: early, late, slow
SEEN
