#!/usr/bin/env bash
# Guess: a transform for the whole stack sees each resource of the program, one that it gets by its id, too.
# Seen: transforms aren't called for it. `transformations`, which transforms replace, are: a program that moves to transforms no longer sets
#   the provider of these resources, or checks their names, and nothing says so.
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
const { appendFileSync } = require("node:fs");
const { dynamic, runtime } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const tell = (line) => appendFileSync(process.env.CALLS, `${line}\n`);
const handlers = {
  create: async () => ({ id: "thing", outs: {} }),
  read: async (id) => {
    require("node:fs").appendFileSync(process.env.CALLS, `provider reads: ${id}\n`);
    return { id, props: {} };
  },
};
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, {}, options);
  }
}
const program = async () => {
  await runtime.registerResourceTransform(({ name }) => void tell(`transform: ${name}`));
  runtime.registerStackTransformation(({ name }) => void tell(`transformation: ${name}`));
  new Thing("made");
  new Thing("got", { id: "there-before" });
};
(async () => {
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  await stack.up();
  const { deployment } = await stack.exportStack();
  const things = deployment.resources.filter(({ type }) => type.includes("dynamic"));
  tell(`state: ${things.map(({ urn }) => urn.split("::").at(-1)).sort()}`);
  process.exit();
})();
JS
node run.js
sort calls | tee seen
diff seen - <<'SEEN'
provider reads: there-before
state: got,made
transform: made
transformation: got
transformation: made
SEEN
