#!/usr/bin/env bash
# Guess: a run with `--target` leaves out the outputs of what it didn't make, or keeps the former ones, or fails.
# Seen: a new resource outside the target isn't made, and the run ends well. Its inputs become the stack's outputs all the same, and
#   in place of its id every reader of them, another stack too, gets 04da6b54-80e4-46f7-96ec-b56ff0331ba9: the engine's mark of an
#   unknown value, as plain text.
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
const handlers = { create: async ({ v }) => ({ id: `id-of-${v}`, outs: { v } }) };
class Thing extends dynamic.Resource {
  constructor(v) {
    super(handlers, v, { v });
    this.v = v;
  }
}
(async () => {
  let program = async () => void new Thing("old");
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: () => program() });
  await stack.up();
  program = async () => {
    new Thing("old");
    const { id, v } = new Thing("new");
    return { id, v };
  };
  async function run(label, options) {
    const { summary, outputs } = await stack.up(options);
    const values = Object.entries(outputs).map(([name, { value }]) => `${name} ${value}`);
    console.log(`${label}: ${summary.result}, created ${summary.resourceChanges.create ?? 0}, outputs: ${values.sort().join(", ")}`);
  }
  const { deployment } = await stack.exportStack();
  const old = deployment.resources.find(({ urn }) => urn.endsWith("::old")).urn;
  await run("target: old", { target: [old] });
  await run("no target", {});
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
target: old: succeeded, created 0, outputs: id 04da6b54-80e4-46f7-96ec-b56ff0331ba9, v new
no target: succeeded, created 1, outputs: id id-of-new, v new
SEEN
