#!/usr/bin/env bash
# Guess: a resource that moves to another provider, which is another tenant's, is replaced: made there, deleted here.
# Seen: it is "unchanged", and from then on belongs to the provider of the other tenant, which doesn't have it. The next delete goes to the
#   wrong tenant, and the object stays where it was. Replaced is only what the provider's own `DiffConfig` asks for, and the SDK's host of
#   dynamic providers has none.
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
export CALLS="$tmp/calls"
cat >run.js <<'JS'
const { readFileSync, writeFileSync } = require("node:fs");
const { dynamic, ProviderResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Handlers {
  configure({ config }) {
    globalThis.tenant = config.get("access:tenant");
  }
  async create() {
    require("node:fs").appendFileSync(process.env.CALLS, `  create in ${globalThis.tenant}\n`);
    return { id: "role", outs: {} };
  }
  async delete(id) {
    require("node:fs").appendFileSync(process.env.CALLS, `  delete in ${globalThis.tenant}\n`);
  }
}
const handlers = new Handlers();
class Role extends dynamic.Resource {
  constructor(provider) {
    super(handlers, "role", {}, { provider });
  }
}
const tenant = (name) => new ProviderResource("pulumi-nodejs", name, { "access:tenant": name });
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    writeFileSync(process.env.CALLS, "");
    program = declare;
    const { summary, stdout } = await stack.up();
    const warnings = stdout.match(/warning: .*/g)?.length ?? 0;
    const { deployment } = await stack.exportStack();
    const role = deployment.resources.find(({ id }) => id === "role");
    const holder = role ? `, the role belongs to ${role.provider.split("::").at(-2)}` : "";
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${warnings} warnings${holder}`);
    process.stdout.write(readFileSync(process.env.CALLS));
  }
  const both = () => ({ eu: tenant("eu"), us: tenant("us") });
  await up("in eu", () => void new Role(both().eu));
  await up("moves to us", () => void new Role(both().us));
  await up("leaves the program", () => void both());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
in eu: {"create":4}, 0 warnings, the role belongs to eu
  create in eu
moves to us: {"same":4}, 0 warnings, the role belongs to us
leaves the program: {"delete":1,"same":3}, 0 warnings
  delete in us
SEEN
