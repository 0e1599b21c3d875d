#!/usr/bin/env bash
# Guess: `dependsOn: [component]` waits for all children of the component, those that it declares in an `apply` too: the engine knows
#   whose they are.
# Seen: it waits for the children declared so far. A child that waits for an output is missed, in silence: what depends on the
#   component is made first, and its state lists no such dependency, so later runs and deletes don't keep the order either.
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
const { ComponentResource, dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const note = (call) => require("node:fs").appendFileSync(calls, `  ${call}\n`);
const handlers = {
  create: async ({ v }) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    note(`create ${v}`);
    return { id: v, outs: { v } };
  },
  delete: async (id) => note(`delete ${id}`),
};
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
class Team extends ComponentResource {
  constructor(name, declare) {
    super("example:index:Team", name);
    declare(this);
  }
}
const CHILDREN = {
  "declared at once": (parent, first) => void new Thing("child", { parent, dependsOn: first }),
  "declared in an apply": (parent, first) => void first.id.apply(() => void new Thing("child", { parent })),
};
(async () => {
  for (const [label, declare] of Object.entries(CHILDREN)) {
    require("node:fs").writeFileSync(calls, "");
    const program = async () => {
      const first = new Thing("first");
      new Thing("after", { dependsOn: [new Team("team", (team) => declare(team, first))] });
    };
    const stackName = label.replaceAll(" ", "-");
    const stack = await LocalWorkspace.createStack({ stackName, projectName: "access", program });
    await stack.up();
    const { deployment } = await stack.exportStack();
    const { dependencies = [] } = deployment.resources.find(({ urn }) => urn.endsWith("::after"));
    console.log(`${label}; "after" depends on: ${dependencies.map((urn) => urn.split("::").pop()).join(", ") || "nothing"}`);
    process.stdout.write(require("node:fs").readFileSync(calls));
  }
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
declared at once; "after" depends on: child
  create first
  create child
  create after
declared in an apply; "after" depends on: nothing
  create first
  create after
  create child
SEEN
