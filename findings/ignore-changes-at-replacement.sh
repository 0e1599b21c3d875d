#!/usr/bin/env bash
# Guess: with `ignoreChanges` a property keeps the value that is in the state, whatever else happens to the resource.
# Seen: that ends with a replacement, even if another property, a trigger or `--replace` caused it. The new resource gets
#   the program's value, which nobody meant to apply, though the same `up` ignored it a moment before.
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
  create: async ({ v, limit }) => {
    require("node:fs").appendFileSync(calls, `  create ${v}, limit ${limit}\n`);
    return { id: v, outs: { v, limit } };
  },
  update: async (id, old, { v, limit }) => {
    require("node:fs").appendFileSync(calls, `  update ${v}, limit ${limit}\n`);
    return { outs: { v, limit } };
  },
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, props, options) {
    super(handlers, name, props, options);
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
  let props;
  const program = async () => void new Thing("thing", props, { ignoreChanges: ["limit"], replaceOnChanges: ["v"] });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  props = { v: "a", limit: 1 };
  await run("create", () => stack.up());
  props = { v: "a", limit: 99 };
  await run("another limit, which is ignored", () => stack.up());
  props = { v: "b", limit: 99 };
  await run("another v, which replaces", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
create: ends well
  create a, limit 1
another limit, which is ignored: ends well
another v, which replaces: ends well
  create b, limit 99
  delete a
SEEN
