#!/usr/bin/env bash
# Guess: `preview --json` holds all that the preview prints, so a pipeline can tell from it which policy was violated, and by what.
# Seen: it holds neither. After a mandatory policy the only reason is "preview failed", and an advisory one leaves no word, in standard error
#   neither. `up --json` prints events instead, which name both.
# Builds the CLI and a host of Node.js with Go, which takes minutes without Go's caches.
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
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0 @pulumi/policy@1.21.0

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
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
