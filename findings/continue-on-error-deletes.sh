#!/usr/bin/env bash
# Guess: `--continue-on-error` goes on with what is independent of a failure, and deletes stay behind as they do without
#   it, since nobody knows whether what replaces the old is there.
# Seen: with it, a run whose create failed goes on to delete what the program has dropped. Where one resource takes
#   another one's place without naming it, neither is left.
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
  create: async ({ v }) => {
    if (v === "new") throw new Error("quota");
    require("node:fs").appendFileSync(calls, `  create ${v}\n`);
    return { id: v, outs: { v } };
  },
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
  let name = "old";
  const program = async () => void new Thing(name);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("up", () => stack.up());
  name = "new";
  await run("the old one is dropped, the new one fails", () => stack.up());
  await run("the same with --continue-on-error", () => stack.up({ continueOnError: true }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create old
the old one is dropped, the new one fails: fails
the same with --continue-on-error: fails
  delete old
SEEN
