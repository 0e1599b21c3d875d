#!/usr/bin/env bash
# provider/pulumi/program/program-run.ts: guards the end of inline runs. If the SDK does, `guardInlineRun` can go.
# Guess: when a program fails, the engine deletes nothing, since it doesn't know what the program would have declared
#   next. With `pulumi up` that holds.
# Seen: an inline program of the Automation API that throws in an `apply`, or leaves a promise rejected, fails its run,
#   and the run deletes every resource that the program didn't get to. If it throws by itself, nothing is deleted.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { run, stackOf, Thing } = require("./things.cjs");
const failures = {
  "throws in an apply": (first) => void first.id.apply(() => { throw new Error("no such team"); }),
  "leaves a promise rejected": () => void Promise.reject(new Error("no such team")),
  "throws by itself": () => { throw new Error("no such team"); },
};
(async () => {
  let program;
  const stack = await stackOf(() => program());
  const declare = () => new Thing("second", { dependsOn: new Thing("first") });
  for (const [name, fail] of Object.entries(failures)) {
    program = () => void declare();
    await run("a good program", () => stack.up());
    program = () => {
      const first = new Thing("first");
      fail(first);
      return { first: first.id };
    };
    await run(`a program that ${name}`, () => stack.up());
  }
  process.exit();
})();
JS
shows node run.js <<'SEEN'
a good program: ends well
  create first
  create second
a program that throws in an apply: fails
  delete second
a good program: ends well
  create second
a program that leaves a promise rejected: fails
  delete second
a good program: ends well
  create second
a program that throws by itself: fails
SEEN
