#!/usr/bin/env bash
# Guess: when a program fails, the engine deletes nothing, since it doesn't know what the program would have declared
#   next. With `pulumi up` that holds.
# Seen: an inline program of the Automation API that throws in an `apply`, or leaves a promise rejected, fails its run,
#   and the run deletes every resource that the program didn't get to. If it throws by itself, nothing is deleted.
# Builds the CLI with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
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
