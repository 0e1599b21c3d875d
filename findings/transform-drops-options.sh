#!/usr/bin/env bash
# Guess: a transform that returns `opts` with one option adds that option to the resource's own.
# Seen: it takes their place, `provider` included: the resource is made by the default provider, on another tenant, and nothing warns of it.
#   `protect`, `retainOnDelete`, `dependsOn` and `additionalSecretOutputs` are gone, too; only `parent` stays. `mergeOptions` keeps all.
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
const { ComponentResource, dynamic, mergeOptions, ProviderResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Handlers {
  configure({ config }) {
    globalThis.tenant = config.get("access:tenant");
  }
  async create() {
    return { id: "role", outs: { tenant: globalThis.tenant } };
  }
}
const handlers = new Handlers();
class Role extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, { tenant: undefined }, options);
  }
}
async function up(stackName, transform) {
  const program = async () => {
    const provider = new ProviderResource("pulumi-nodejs", "eu", { "access:tenant": "eu" });
    const team = new ComponentResource("example:index:Team", "team");
    const first = new Role("first", { provider });
    const options = { provider, parent: team, dependsOn: first, protect: true, retainOnDelete: true };
    new Role("role", { ...options, additionalSecretOutputs: ["tenant"], transforms: [transform] });
  };
  const stack = await LocalWorkspace.createStack({ stackName, projectName: "access", program });
  await stack.setConfig("tenant", { value: "us" });
  await stack.up();
  const { deployment } = await stack.exportStack();
  const role = deployment.resources.find(({ urn }) => urn.endsWith("::role"));
  const kept = ["parent", "dependencies", "protect", "retainOnDelete", "additionalSecretOutputs", "ignoreChanges"];
  const is = (name) => (name === "parent" ? role.parent.endsWith("::team") : Boolean(role[name]));
  console.log(`${stackName}: made by ${role.provider.split("::").at(-2)}; has ${kept.filter(is).join(", ")}`);
}
(async () => {
  const ignoreChanges = ["size"];
  await up("none", () => undefined);
  await up("opts", ({ props }) => ({ props, opts: { ignoreChanges } }));
  await up("merged", ({ props, opts }) => ({ props, opts: mergeOptions(opts, { ignoreChanges }) }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
none: made by eu; has parent, dependencies, protect, retainOnDelete, additionalSecretOutputs
opts: made by default; has parent, ignoreChanges
merged: made by eu; has parent, dependencies, protect, retainOnDelete, additionalSecretOutputs, ignoreChanges
SEEN
