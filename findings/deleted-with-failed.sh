#!/usr/bin/env bash
# Guess: `deletedWith` leaves a resource to be deleted with its container, so if the container can't be deleted, both
#   are still there, in the state too.
# Seen: the engine forgets the resource first, without asking the provider. Then the container's delete fails, and
#   the resource exists in no state any more. The next `up` makes it a second time.
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
  delete: async (id) => {
    require("node:fs").appendFileSync(calls, `  delete ${id}\n`);
    if (require("node:fs").existsSync(`${calls}-locked`)) throw new Error("the container is locked");
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
  const program = async () => void new Thing("inner", { deletedWith: new Thing("outer") });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  const state = async () => {
    const { deployment } = await stack.exportStack();
    const names = (deployment.resources ?? []).map(({ urn }) => urn.split("::").at(-1));
    console.log(`  state: ${names.filter((name) => ["inner", "outer"].includes(name)).sort()}`);
  };
  await run("up", () => stack.up());
  await state();
  require("node:fs").writeFileSync(`${calls}-locked`, "");
  await run("destroy, the container's delete fails", () => stack.destroy());
  await state();
  require("node:fs").rmSync(`${calls}-locked`);
  await run("up", () => stack.up());
  await state();
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: ends well
  create outer
  create inner
  state: inner,outer
destroy, the container's delete fails: fails
  delete outer
  state: outer
up: ends well
  create inner
  state: inner,outer
SEEN
