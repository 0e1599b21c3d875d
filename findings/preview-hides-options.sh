#!/usr/bin/env bash
# Guess: `pulumi preview --expect-no-changes` fails when the next `up` changes what a later deletion does, and the
#   preview's JSON names it.
# Seen: both pass, and `up --expect-no-changes` writes the new options to the state. A change of `protect` is at least
#   told, and a "same" step in JSON. One of `retainOnDelete` leaves no trace unless `--show-sames` is given.
# Builds the CLI with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli host backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
# The last host of Node.js with a version that Go can fetch. It only starts the program.
printf 'module host\n\ngo 1.24\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.68.0\n' >host/go.mod
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
(cd host && go build -o .. github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
# A stash is a resource of the engine itself, so no provider has a say in this.
cat >index.js <<'JS'
const { Stash } = require("@pulumi/pulumi");
const options = (process.env.OPTIONS ?? "").split(",");
new Stash("groups", { input: "sales" }, { protect: options.includes("protect"), retainOnDelete: options.includes("retain") });
JS
cat >show.cjs <<'JS'
const [, , what, path, ...more] = process.argv;
const json = JSON.parse(require("node:fs").readFileSync(path, "utf8"));
const of = ({ protect = false, retainOnDelete = false } = {}) => `protect ${protect}, retainOnDelete ${retainOnDelete}`;
const isGroups = ({ urn }) => urn.endsWith("::groups");
if (what === "state") console.log(`  state: ${of(json.deployment.resources.find(isGroups))}`);
else {
  const steps = json.steps.filter(isGroups).map(({ op, oldState, newState }) => `${op}: ${of(oldState)} -> ${of(newState)}`);
  console.log(`  ${["preview --json", ...more].join(" ")}: ${steps.join("; ") || "no step"}`);
}
JS
try() {
  echo "from '$1' to '$2':"
  OPTIONS=$1 pulumi up --yes --skip-preview >log 2>&1 || { cat log && exit 1; }
  export OPTIONS=$2
  local code=0
  pulumi preview --expect-no-changes >log 2>&1 || code=$?
  echo "  preview --expect-no-changes: exit code $code," $(grep -oE '[0-9]+ unchanged|\[diff: .+\]' log)
  pulumi preview --json >preview.json 2>log && node show.cjs preview preview.json
  pulumi preview --json --show-sames >preview.json 2>log && node show.cjs preview preview.json --show-sames
  pulumi up --yes --skip-preview --expect-no-changes >log 2>&1 || code=$?
  echo "  up --expect-no-changes: exit code $code"
  pulumi stack export >state.json && node show.cjs state state.json
}
pulumi stack init test >log 2>&1
{ try protect,retain retain && try retain ''; } | tee seen
diff seen - <<'SEEN'
from 'protect,retain' to 'retain':
  preview --expect-no-changes: exit code 0, [diff: ~protect] 2 unchanged
  preview --json: same: protect true, retainOnDelete true -> protect false, retainOnDelete true
  preview --json --show-sames: same: protect true, retainOnDelete true -> protect false, retainOnDelete true
  up --expect-no-changes: exit code 0
  state: protect false, retainOnDelete true
from 'retain' to '':
  preview --expect-no-changes: exit code 0, 2 unchanged
  preview --json: no step
  preview --json --show-sames: same: protect false, retainOnDelete true -> protect false, retainOnDelete false
  up --expect-no-changes: exit code 0
  state: protect false, retainOnDelete false
SEEN
