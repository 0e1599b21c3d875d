#!/usr/bin/env bash
# Guess: `replacementTrigger` replaces whenever its value changes, from nothing to something too, so adding one rotates a
#   credential now.
# Seen: the first value of a trigger is only stored. Nor does a value that comes back changed after a run without one
#   replace anything: 1, none, 2 rotates nothing.
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
(async () => {
  let replacementTrigger;
  const program = async () => void new Thing("key", { replacementTrigger });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  for (const value of [undefined, "1", "2", undefined, "3", "4"]) {
    replacementTrigger = value;
    await run(`trigger ${value ?? "not set"}`, () => stack.up());
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
trigger not set: ends well
  create key
trigger 1: ends well
trigger 2: ends well
  create key
  delete key
trigger not set: ends well
trigger 3: ends well
trigger 4: ends well
  create key
  delete key
SEEN
