#!/usr/bin/env bash
# docs/pulumi.md: take a delete hook off a run earlier. If Pulumi copes, the sentence can go.
# Guess: a resource that leaves the program together with its `beforeDelete` hook is deleted, without the hook or with a warning, as
#   after a destroy that doesn't run the program.
# Seen: the run fails, and so do all that follow, until the hook is in the program again: the hook alone will do.
#   To take the hook off in one run, and the resource out in the next, works.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { ResourceHook } = require("@pulumi/pulumi");
const { calls, note, stackOf, Thing } = require("./things.cjs");
const hooked = (name) => new Thing(name, { hooks: { beforeDelete: [hook()] } });
const hook = () => new ResourceHook("farewell", async ({ name }) => note(`hook of ${name}`));
(async () => {
  let program;
  const stack = await stackOf(() => program());
  async function run(label, declare) {
    program = declare;
    const outcome = await stack.up().then(
      () => "ends well",
      ({ message }) => `fails: ${/error: (hook .*)/.exec(message)?.[1]}`,
    );
    process.stdout.write(`${label}: ${outcome}\n${calls()}`);
  }
  await run("a and its hook", () => void hooked("a"));
  await run("both are gone", () => {});
  await run("once more", () => {});
  await run("the hook alone is back", () => void hook());
  await run("b and its hook", () => void hooked("b"));
  await run("b without its hook", () => void new Thing("b"));
  await run("b is gone", () => {});
  process.exit();
})();
JS
shows node run.js <<'SEEN'
a and its hook: ends well
  create a
both are gone: fails: hook "farewell" was not registered
once more: fails: hook "farewell" was not registered
the hook alone is back: ends well
  hook of a
  delete a
b and its hook: ends well
  create b
b without its hook: ends well
b is gone: ends well
  delete b
SEEN
