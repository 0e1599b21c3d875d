#!/usr/bin/env bash
# docs/pulumi.md: an inline program that fails, fails all others. If it doesn't, the sentence can go.
# Guess: inline programs that one process runs at once are apart, as their stacks and configurations are: a failed one fails its own run.
# Seen: an error in an `apply` of one, or in a promise of the process that nobody awaits, also fails each other run that is under way. It
#   fails at its end, with the other program's message, after it has created and deleted all that it should.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { stackOf, Thing } = require("./things.cjs");
async function told(stack) {
  const outcome = await stack.up().then(
    () => "ends well",
    ({ message }) => `fails: ${/error: .*?((?:owner|report): .*)/.exec(message)?.[1]}`,
  );
  const { deployment } = await stack.exportStack();
  const things = (deployment.resources ?? []).filter(({ type }) => type.startsWith("pulumi-nodejs:"));
  return `${outcome}; in state: ${things.map(({ id }) => id).join(", ") || "nothing"}`;
}
(async () => {
  // A process without such a listener ends at the first of these errors.
  process.on("unhandledRejection", () => {});
  console.log(`first, alone: ${await told(await stackOf(() => void new Thing("a"), "first"))}`);
  let otherEnded;
  const other = new Promise((resolve) => (otherEnded = resolve));
  const first = await stackOf(async () => {
    new Thing("b");
    await other;
  }, "first");
  const fail = () => Promise.reject(new Error("owner: nobody is called bob"));
  const second = await stackOf(() => void new Thing("c").id.apply(fail), "second");
  const running = told(first);
  console.log(`second, beside it: ${await told(second)}`);
  otherEnded();
  console.log(`first, beside that: ${await running}`);
  let started;
  const start = new Promise((resolve) => (started = resolve));
  start.then(() => Promise.reject(new Error("report: not sent")));
  const third = await stackOf(async () => {
    new Thing("d");
    started();
    await new Promise((resolve) => setTimeout(resolve, 500));
  }, "third");
  console.log(`third, and a promise of the caller: ${await told(third)}`);
  process.exit();
})();
JS
shows node run.js 2>/dev/null <<'SEEN'
first, alone: ends well; in state: a
second, beside it: fails: owner: nobody is called bob; in state: c
first, beside that: fails: owner: nobody is called bob; in state: b
third, and a promise of the caller: fails: report: not sent; in state: d
SEEN
