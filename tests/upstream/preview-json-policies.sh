#!/usr/bin/env bash
# cli/review/input/preview.ts: can't say which policy refused. If Pulumi's JSON does, the review can, too.
# Guess: `preview --json` holds all that the preview prints, so a pipeline can tell from it which policy was violated, and by what.
# Seen: it holds neither. After a mandatory policy the only reason is "preview failed", and an advisory one leaves no word, in standard error
#   neither. `up --json` prints events instead, which name both.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0 @pulumi/policy@1.21.0

printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
# A stash is a resource of the engine itself, so no provider has a say in this.
echo 'const { Stash } = require("@pulumi/pulumi"); new Stash("sales", { input: "everybody" });' >index.js
mkdir rules
echo '{ "name": "rules", "version": "1.0.0" }' >rules/package.json
echo 'runtime: nodejs' >rules/PulumiPolicy.yaml
cat >rules/index.js <<'JS'
const { PolicyPack } = require("@pulumi/policy");
const validateResource = ({ props }, report) => props.input === "everybody" && report("Name the groups.");
const policy = { name: "no-everybody", description: "A rule.", enforcementLevel: process.env.LEVEL, validateResource };
new PolicyPack("rules", { policies: [policy] });
JS
cat >rules/run <<'SH'
#!/usr/bin/env bash
cd "$(dirname "$0")" && exec node ../node_modules/@pulumi/pulumi/cmd/run-policy-pack "$1" .
SH
chmod +x rules/run

pulumi stack init test >log 2>&1
try() { # LEVEL COMMAND
  local code=0
  LEVEL=$1 pulumi "${@:2}" --policy-pack rules/run >out 2>err || code=$?
  echo "${*:2}, $1: exits with $code; names the policy: $(grep -c no-everybody out) of stdout's lines, $(grep -c no-everybody err) of stderr's"
  if [ "${*:2}" = "preview --json" ]; then
    node -p '(JSON.parse(fs.readFileSync("out")).diagnostics ?? []).map(({ message }) => "  " + message).join("") || "  no diagnostics"'
  fi
}
{
  try mandatory preview
  try mandatory preview --json
  try advisory preview
  try advisory preview --json
  try mandatory up --yes --skip-preview --json
} | grep . | tee seen
diff seen - <<'SEEN'
preview, mandatory: exits with 1; names the policy: 1 of stdout's lines, 0 of stderr's
preview --json, mandatory: exits with 1; names the policy: 0 of stdout's lines, 0 of stderr's
  error: preview failed
preview, advisory: exits with 0; names the policy: 1 of stdout's lines, 0 of stderr's
preview --json, advisory: exits with 0; names the policy: 0 of stdout's lines, 0 of stderr's
  no diagnostics
up --yes --skip-preview --json, mandatory: exits with 1; names the policy: 7 of stdout's lines, 0 of stderr's
SEEN
