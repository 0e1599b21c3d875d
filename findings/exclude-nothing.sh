#!/usr/bin/env bash
# Guess: a URN that the stack doesn't have is an error, whichever option it is given to. `--target` and `--replace` refuse
#   it, and so does `destroy --exclude`.
# Seen: `up --exclude` and `preview --exclude` take it, exclude nothing, and change what was to be left alone, without
#   a warning.
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
# The Automation API asks for the version before it destroys.
version=github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.274.1
(cd cli && go build -ldflags "-X $version" -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
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
  update: async (id, old, { v }) => (require("node:fs").appendFileSync(calls, `  update ${v}\n`), { outs: { v } }),
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(name, v) {
    super(handlers, name, { v });
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
  let v = "1";
  const program = async () => void new Thing("thing", v);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await run("up", () => stack.up());
  const typo = ["urn:pulumi:test::access::pulumi-nodejs:dynamic:Resource::thnig"];
  v = "2";
  await run("up --target", () => stack.up({ target: typo }));
  await run("up --replace", () => stack.up({ replace: typo }));
  await run("destroy --exclude", () => stack.destroy({ exclude: typo }));
  await run("up --exclude", () => stack.up({ exclude: typo }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create 1
up --target: fails
up --replace: fails
destroy --exclude: fails
up --exclude: ends well
  update 2
SEEN
