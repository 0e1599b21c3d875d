#!/usr/bin/env bash
# provider/pulumi/program/program-run.ts: guards the end of inline runs. If the SDK does, `guardInlineRun` can go.
# Guess: when a program fails, the engine deletes nothing, since it doesn't know what the program would have declared
#   next. With `pulumi up` that holds.
# Seen: an inline program of the Automation API that throws in an `apply`, or leaves a promise rejected, fails its run,
#   and the run deletes every resource that the program didn't get to. If it throws by itself, nothing is deleted.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => (require("node:fs").appendFileSync(calls, `  create ${v}\n`), { id: v, outs: { v } }),
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, { v: name }, options);
  }
}
async function run(label, operation) {
  require("node:fs").writeFileSync(calls, "");
  const outcome = await operation().then(
    () => "ends well",
    () => "fails",
  );
  process.stdout.write(`${label}: ${outcome}\n${require("node:fs").readFileSync(calls)}`);
}
const failures = {
  "throws in an apply": (first) => void first.v.apply(() => { throw new Error("no such team"); }),
  "leaves a promise rejected": () => void Promise.reject(new Error("no such team")),
  "throws by itself": () => { throw new Error("no such team"); },
};
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  const declare = () => new Thing("second", { dependsOn: new Thing("first") });
  for (const [name, fail] of Object.entries(failures)) {
    program = () => void declare();
    await run("a good program", () => stack.up());
    program = () => {
      const first = new Thing("first");
      fail(first);
      return { first: first.v };
    };
    await run(`a program that ${name}`, () => stack.up());
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
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
