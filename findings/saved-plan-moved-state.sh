#!/usr/bin/env bash
# Guess: `pulumi up --plan` applies what the plan's preview showed, or refuses.
# Seen: the plan holds the inputs wanted, not what they are compared with. A reviewed change that adds one entry
#   removes two others when the state moved in between, without an error or a warning.
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
new Stash("groups", { input: process.env.GROUPS_WANTED.split(",") });
JS
up() { GROUPS_WANTED=$1 pulumi up --yes --skip-preview "${@:2}" >log 2>&1 || { cat log && exit 1; }; }
changes() { grep -oE '[-+~] +\[[0-9]\]: "[a-z]+"( => "[a-z]+")?' | tr -s ' '; }

pulumi stack init test >log 2>&1
up sales
{
  echo reviewed:
  GROUPS_WANTED=sales,support pulumi preview --diff --save-plan plan.json 2>log | changes
  up sales,audit,legal
  echo applied:
  GROUPS_WANTED=sales,support pulumi up --yes --skip-preview --diff --plan plan.json 2>log | changes
  echo "exit code ${PIPESTATUS[0]}"
} | tee seen
diff seen - <<'SEEN'
reviewed:
+ [1]: "support"
applied:
~ [1]: "audit" => "support"
- [2]: "legal"
exit code 0
SEEN
