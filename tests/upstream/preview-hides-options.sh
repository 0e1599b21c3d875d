#!/usr/bin/env bash
# cli/review/input/make-preview.ts: asks for `--show-sames`. If previews name changed options, it can go.
# Guess: `pulumi preview --expect-no-changes` fails when the next `up` changes what a later deletion does, and the
#   preview's JSON names it.
# Seen: both pass, and `up --expect-no-changes` writes the new options to the state. A change of `protect` is at least
#   told, and a "same" step in JSON. One of `retainOnDelete` leaves no trace unless `--show-sames` is given.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

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
