#!/usr/bin/env bash
# Guess: `getStack()`, `isDryRun()` and `Config` say the same wherever an inline program calls them; `apply` keeps to that.
# Seen: transforms and hooks run outside of the program's context. There the stack is named "stack", the project "project", no
#   configuration is set, and a preview is none. Nothing is said, so `if (getStack() === "prod")` or `if (!isDryRun())` decides wrongly.
#   A transform that adds a hook fails: "The Pulumi CLI does not support resource hooks".
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
# The Automation API previews with a CLI that knows its version only.
version="-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.274.1"
(cd cli && go build -ldflags "$version" -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
cat >run.js <<'JS'
const { Config, dynamic, getProject, getStack, mergeOptions, ResourceHook, runtime } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async () => ({ id: "thing", outs: {} }) };
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, {}, options);
  }
}
let lines = [];
const tell = (place) =>
  lines.push(`  ${place}: ${getStack()} of ${getProject()}, preview: ${runtime.isDryRun()}, size ${new Config().get("size") ?? "not set"}`);
async function run(label, operation) {
  lines = [];
  const outcome = await operation.then(
    () => "ends well",
    ({ message }) => `fails: ${/The Pulumi CLI.*hooks/.exec(message)?.[0]}`,
  );
  console.log([`${label}: ${outcome}`, ...lines].join("\n"));
}
(async () => {
  let hooks = () => ({ beforeCreate: [new ResourceHook("hook", () => tell("hook"), { onDryRun: true })] });
  let transform = () => void tell("transform");
  const stack = await LocalWorkspace.createStack({
    stackName: "prod",
    projectName: "access",
    program: async () => {
      tell("program");
      new Thing("thing", { hooks: hooks(), transforms: [transform] }).id.apply(() => tell("apply"));
    },
  });
  await stack.setConfig("size", { value: "3" });
  await run("preview", stack.preview());
  await run("up", stack.up());
  const hook = () => new ResourceHook("added", () => {});
  hooks = () => ({});
  transform = ({ props, opts }) => ({ props, opts: mergeOptions(opts, { hooks: { beforeUpdate: [hook()] } }) });
  await run("a transform that adds a hook", stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
preview: ends well
  program: prod of access, preview: true, size 3
  transform: stack of project, preview: false, size not set
  hook: stack of project, preview: false, size not set
up: ends well
  program: prod of access, preview: false, size 3
  transform: stack of project, preview: false, size not set
  hook: stack of project, preview: false, size not set
  apply: prod of access, preview: false, size 3
a transform that adds a hook: fails: The Pulumi CLI does not support resource hooks
  program: prod of access, preview: false, size 3
SEEN
