#!/usr/bin/env bash
# Guess: `beforeDelete` and `afterDelete` run when a resource is deleted, so an `afterDelete` may tell an auditor that it
#   is gone.
# Seen: they also run for a resource that the engine only forgets, by `retainOnDelete` or because it goes with its
#   `deletedWith`. The provider is never asked, and what the hook gets doesn't tell the two apart.
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
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  const tell = (when) =>
    new ResourceHook(when, async ({ name }) => require("node:fs").appendFileSync(calls, `  ${when} ${name}\n`));
  const hooks = () => ({ beforeDelete: [tell("beforeDelete")], afterDelete: [tell("afterDelete")] });
  const cases = {
    "no option": () => new Thing("plain", { hooks: hooks() }),
    retainOnDelete: () => new Thing("retained", { hooks: hooks(), retainOnDelete: true }),
    deletedWith: () => new Thing("inner", { hooks: hooks(), deletedWith: new Thing("outer") }),
  };
  for (const [option, declare] of Object.entries(cases)) {
    program = () => void declare();
    await stack.up();
    program = () => void hooks();
    await run(`removed, with ${option}`, () => stack.up());
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
removed, with no option: ends well
  beforeDelete plain
  delete plain
  afterDelete plain
removed, with retainOnDelete: ends well
  beforeDelete retained
  afterDelete retained
removed, with deletedWith: ends well
  beforeDelete inner
  afterDelete inner
  delete outer
SEEN
