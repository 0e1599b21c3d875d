#!/usr/bin/env bash
# Guess: a hook that failed runs again in the next `up`, as a resource does whose update was done in part.
# Seen: an `afterUpdate` that throws fails the run after the update was done and stored. The next `up` finds nothing to
#   change, ends well, and the hook never runs for that update.
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
const { dynamic, ResourceHook } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ v }) => (require("node:fs").appendFileSync(calls, `  create ${v}\n`), { id: v, outs: { v } }),
  update: async (id, old, { v }) => (require("node:fs").appendFileSync(calls, `  update ${v}\n`), { outs: { v } }),
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, v, options) {
    super(handlers, name, { v }, options);
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
  let isDown = false;
  let v = "1";
  const program = async () => {
    const notify = new ResourceHook("notify", async () => {
      require("node:fs").appendFileSync(calls, "  afterUpdate\n");
      if (isDown) throw new Error("the auditor's service is down");
    });
    new Thing("thing", v, { hooks: { afterUpdate: [notify] } });
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("create", () => stack.up());
  [isDown, v] = [true, "2"];
  await run("change, the hook throws", () => stack.up());
  isDown = false;
  await run("again, the hook would work", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
create: ends well
  create 1
change, the hook throws: fails
  update 2
  afterUpdate
again, the hook would work: ends well
SEEN
