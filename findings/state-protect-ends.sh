#!/usr/bin/env bash
# Guess: what `pulumi state protect` protects stays protected until `pulumi state unprotect`.
# Seen: until the next `up`. The program has no such option, so the mark goes with everything else that only the state had. `preview
#   --expect-no-changes` passes, `up` says "unchanged", and the next one deletes the resource. Only for what isn't in the program any more
#   does the mark stay.
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
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
# A stash is a resource of the engine itself, so no provider has a say in this.
echo 'const { Stash } = require("@pulumi/pulumi"); process.env.NAMES.split(" ").map((name) => new Stash(name, { input: name }));' >index.js

run() { # RESOURCES, COMMAND
  local code=0
  NAMES=$1 pulumi "${@:2}" >log 2>&1 || code=$?
  local protected
  protected=$(pulumi stack export | node -p 'JSON.parse(fs.readFileSync(0)).deployment.resources.filter(({ protect }) => protect).length')
  echo "program: $1; ${*:2}: exits with $code; protected in state: $protected; $(grep -E '^    [-=+0-9 ]*(created|deleted|unchanged)' log | xargs)"
}
protect() { run "$1" state protect --yes "urn:pulumi:test::access::pulumi:index:Stash::sales" | sed 's/urn:.*:://'; }
pulumi stack init test >log 2>&1
{
  run 'sales support' up --yes --skip-preview
  protect 'sales support'
  run 'sales support' preview --expect-no-changes
  run 'sales support' up --yes --skip-preview
  run support up --yes --skip-preview
  echo one that has left the program:
  run 'sales support' up --yes --skip-preview
  protect support
  run support up --yes --skip-preview
} | tee seen
diff seen - <<'SEEN'
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; + 3 created
program: sales support; state protect --yes sales: exits with 0; protected in state: 1; 
program: sales support; preview --expect-no-changes: exits with 0; protected in state: 1; 3 unchanged
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; 3 unchanged
program: support; up --yes --skip-preview: exits with 0; protected in state: 0; - 1 deleted 2 unchanged
one that has left the program:
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; + 1 created 2 unchanged
program: support; state protect --yes sales: exits with 0; protected in state: 1; 
program: support; up --yes --skip-preview: exits with 1; protected in state: 1; 2 unchanged
SEEN
