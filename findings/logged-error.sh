#!/usr/bin/env bash
# Guess: `log.error` stops the run as an exception does: a program that reports what is wrong with its configuration changes nothing any
#   more. Or it only prints, and the run ends well.
# Seen: the run goes on to its end, deletes what the program doesn't declare any more, stores the new outputs, and fails only then.
#   After an exception the engine deletes nothing.
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
