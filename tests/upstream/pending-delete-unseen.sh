#!/usr/bin/env bash
# cli/review/input/make-preview.ts: asks for `--show-replacement-steps`. If previews count deletes left over, it can go.
# Guess: when a replacement couldn't delete the old object, the next preview counts the delete that the next `up` does, and
#   `--expect-no-changes` refuses it.
# Seen: both count "2 unchanged", both pass with `--expect-no-changes`, and `up` deletes. The text has a line for it, `preview --json` has none,
#   unless `--show-replacement-steps` is given. `retainOnDelete`, added in between, doesn't keep the old object.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

export CALLS="$tmp/calls" REFUSED="$tmp/refused"
printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
cat >index.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const handlers = {
  diff: async (id, { owner }, { owner: wanted }) => ({ changes: owner !== wanted, replaces: owner === wanted ? [] : ["owner"] }),
  create: async ({ owner }) => ({ id: `id-of-${owner}`, outs: { owner } }),
  delete: async (id) => {
    if (require("node:fs").existsSync(process.env.REFUSED)) throw new Error("refused");
    require("node:fs").appendFileSync(process.env.CALLS, `  delete ${id}\n`);
  },
};
class Thing extends dynamic.Resource {
  constructor(owner, options) {
    super(handlers, "thing", { owner }, options);
  }
}
new Thing(process.env.OWNER, { retainOnDelete: process.env.RETAIN === "true" });
JS
run() {
  local code=0
  : >calls
  pulumi "$@" >out 2>log || code=$?
  echo "$*: exits with $code; counts: $(grep -E '^    [-+~0-9 ]*(created|replaced|deleted|unchanged)' out | xargs); lines with delete: $(grep -ciE 'delet(e|ing) original|delete-replaced' out || true)"
  cat calls
}
pulumi stack init test >log 2>&1
{
  OWNER=ada run up --yes --skip-preview
  touch refused
  OWNER=bob run up --yes --skip-preview | sed 's/; lines.*//'
  rm refused
  export OWNER=bob RETAIN=true
  run preview --expect-no-changes
  run preview --json
  run preview --json --show-replacement-steps
  run up --yes --skip-preview --expect-no-changes
} | tee seen
diff seen - <<'SEEN'
up --yes --skip-preview: exits with 0; counts: + 2 created; lines with delete: 0
up --yes --skip-preview: exits with 1; counts: +-1 replaced 1 unchanged
preview --expect-no-changes: exits with 0; counts: 2 unchanged; lines with delete: 1
preview --json: exits with 0; counts: ; lines with delete: 0
preview --json --show-replacement-steps: exits with 0; counts: ; lines with delete: 1
up --yes --skip-preview --expect-no-changes: exits with 0; counts: 2 unchanged; lines with delete: 1
  delete id-of-ada
SEEN
