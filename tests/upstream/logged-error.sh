#!/usr/bin/env bash
# docs/pulumi.md: `log.error` stops no deletes. If it does, the sentence can go.
# Guess: `log.error` stops the run as an exception does: a program that reports what is wrong with its configuration changes nothing any
#   more. Or it only prints, and the run ends well.
# Seen: the run goes on to its end, deletes what the program doesn't declare any more, stores the new outputs, and fails only then.
#   After an exception the engine deletes nothing.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { log } = require("@pulumi/pulumi");
const { calls, outcomeOf, stackOf, Thing } = require("./things.cjs");
(async () => {
  let program;
  const stack = await stackOf(() => program());
  async function run(label, declare) {
    program = declare;
    const outcome = await outcomeOf(stack.up());
    const { owner } = await stack.outputs();
    process.stdout.write(`${label}: ${outcome}, owner ${owner?.value}\n${calls()}`);
  }
  await run("two things", () => (new Thing("b", { dependsOn: new Thing("a") }), { owner: "ada" }));
  await run("an error is logged", () => {
    log.error("owner: nobody is called bob");
    new Thing("b");
    new Thing("c");
    return { owner: "bob" };
  });
  await run("an error is thrown", () => {
    new Thing("d");
    throw new Error("owner: nobody is called bob");
  });
  process.exit();
})();
JS
shows node run.js <<'SEEN'
two things: ends well, owner ada
  create a
  create b
an error is logged: fails, owner bob
  create c
  delete a
an error is thrown: fails, owner bob
  create d
SEEN
