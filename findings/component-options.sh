#!/usr/bin/env bash
# Guess: an option of a component applies to its children, as `protect` and `retainOnDelete` do, or it is refused.
# Seen: `ignoreChanges`, `replaceOnChanges`, `replaceWith` and `replacementTrigger` are stored with the component, and have no effect on
#   its children, without a warning. A new trigger is reported as one replacement, though nothing is replaced. `replaceWith: [component]`
#   follows that trigger, but not a replacement of its children.
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
  create: async ({ name, v }) => (note(`create ${name}`), { id: name, outs: { name, v } }),
  update: async (id, _, { name, v }) => (note(`update ${id}`), { outs: { name, v } }),
  delete: async (id) => note(`delete ${id}`),
};
class Thing extends dynamic.Resource {
  constructor(name, v, options) {
    super(handlers, name, { name, v }, options);
  }
}
class Team extends ComponentResource {
  constructor(name, options) {
    super("example:index:Team", name, {}, options);
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(declare) {
    require("node:fs").writeFileSync(calls, "");
    program = declare;
    return (await stack.up()).summary.resourceChanges;
  }
  async function run(label, before, after) {
    await up(before);
    const { same, ...changes } = await up(after);
    console.log(`${label}: ${JSON.stringify(changes)}`);
    process.stdout.write(require("node:fs").readFileSync(calls));
    await up(() => {});
  }
  const child = (v, options) => () => void new Thing("child", v, { parent: new Team("team", options) });
  await run("ignoreChanges", child(1, { ignoreChanges: ["v"] }), child(2, { ignoreChanges: ["v"] }));
  await run("replaceOnChanges", child(1, { replaceOnChanges: ["v"] }), child(2, { replaceOnChanges: ["v"] }));
  await run("replacementTrigger", child(1, { replacementTrigger: "a" }), child(1, { replacementTrigger: "b" }));
  const following = (v) => () => child(1, { replaceWith: [new Thing("other", v, { replaceOnChanges: ["v"] })] })();
  await run("replaceWith", following(1), following(2));
  const followed = (v, replacementTrigger) => () => {
    const team = new Team("team", { replacementTrigger });
    new Thing("child", v, { parent: team, replaceOnChanges: ["v"] });
    new Thing("follower", 1, { replaceWith: [team] });
  };
  await run("replaceWith a component whose child is replaced", followed(1, "a"), followed(2, "a"));
  await run("replaceWith a component whose trigger changes", followed(1, "a"), followed(1, "b"));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
ignoreChanges: {"update":1}
  update child
replaceOnChanges: {"update":1}
  update child
replacementTrigger: {"replace":1}
replaceWith: {"replace":2}
  create other
  delete other
replaceWith a component whose child is replaced: {"replace":1}
  create child
  delete child
replaceWith a component whose trigger changes: {"replace":2}
  create follower
  delete follower
SEEN
