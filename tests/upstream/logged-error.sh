#!/usr/bin/env bash
# docs/pulumi.md: `log.error` stops no deletes. If it does, the sentence can go.
# Guess: `log.error` stops the run as an exception does: a program that reports what is wrong with its configuration changes nothing any
#   more. Or it only prints, and the run ends well.
# Seen: the run goes on to its end, deletes what the program doesn't declare any more, stores the new outputs, and fails only then.
#   After an exception the engine deletes nothing.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic, log } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const note = (call) => require("node:fs").appendFileSync(calls, `  ${call}\n`);
const handlers = {
  create: async ({ v }) => (note(`create ${v}`), { id: v, outs: { v } }),
  delete: async (id) => note(`delete ${id}`),
};
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function run(label, declare) {
    require("node:fs").writeFileSync(calls, "");
    program = declare;
    const outcome = await stack.up().then(
      () => "ends well",
      () => "fails",
    );
    const { owner } = await stack.outputs();
    process.stdout.write(`${label}: ${outcome}, owner ${owner?.value}\n${require("node:fs").readFileSync(calls)}`);
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
node run.js | tee seen
diff seen - <<'SEEN'
two things: ends well, owner ada
  create a
  create b
an error is logged: fails, owner bob
  create c
  delete a
an error is thrown: fails, owner bob
  create d
SEEN
