#!/usr/bin/env bash
# Guess: a stack with a protected resource can't be destroyed, so `destroy` fails before it deletes anything, however it's called.
# Seen: it does so if it previews first. With `--skip-preview`, which the Automation API always sets, it deletes all that isn't protected,
#   and fails at what is.
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
# The Automation API destroys with a CLI that knows its version only.
version="-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.274.1"
(cd cli && go build -ldflags "$version" -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
cat >run.js <<'JS'
const { spawnSync } = require("node:child_process");
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async ({ v }) => ({ id: v, outs: { v } }), delete: async () => {} };
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
(async () => {
  const program = async () => {
    new Thing("one");
    new Thing("kept", { protect: true });
    new Thing("other");
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, operation) {
    const outcome = await operation().then(
      () => "ends well",
      () => "fails",
    );
    const { deployment } = await stack.exportStack();
    const left = deployment.resources.filter(({ type }) => type.startsWith("pulumi-nodejs:"));
    console.log(`${label}: ${outcome}; in state: ${left.map(({ id }) => id).sort().join(", ")}`);
  }
  const cli = (...options) => {
    const { status } = spawnSync("pulumi", ["destroy", "--yes", "--stack", "test", ...options], { cwd: stack.workspace.workDir });
    return status === 0 ? Promise.resolve() : Promise.reject(new Error(`${status}`));
  };
  await run("up", () => stack.up());
  await run("pulumi destroy --yes", () => cli());
  await run("pulumi destroy --yes --skip-preview", () => cli("--skip-preview"));
  await run("up", () => stack.up());
  await run("stack.destroy()", () => stack.destroy());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well; in state: kept, one, other
pulumi destroy --yes: fails; in state: kept, one, other
pulumi destroy --yes --skip-preview: fails; in state: kept
up: ends well; in state: kept, one, other
stack.destroy(): fails; in state: kept
SEEN
