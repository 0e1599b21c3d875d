#!/usr/bin/env bash
# Guess: a stack that sets one key of an object, `pulumi config set --path limits.read 9`, changes that key of the default that
#   Pulumi.yaml has for the object. And a setting that Pulumi.yaml calls secret can have a default.
# Seen: the object of the stack takes the default's place: the other keys are gone, and nothing says so. `config get` shows the same. A
#   `secret: true` with a default stops every run of a stack without a value of its own: "must be encrypted as it's secret".
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
cat >Pulumi.yaml <<'YAML'
name: access
runtime: nodejs
config:
  limits:
    type: object
    default: { read: 1, write: 2 }
YAML
echo 'exports.limits = new (require("@pulumi/pulumi").Config)().getObject("limits");' >index.js
pulumi stack init test >log 2>&1
run() {
  local code=0
  pulumi up --yes --skip-preview >log 2>&1 || code=$?
  echo "$1: exits with $code; output $(pulumi stack output limits 2>/dev/null || true); $(grep -ohE "configuration key .*" log | sort -u)"
}
{
  run default
  pulumi config set --path limits.read 9
  echo "config get: $(pulumi config get limits)"
  run 'one key set'
  cat >>Pulumi.yaml <<'YAML'
  token:
    type: string
    secret: true
    default: example
YAML
  run 'a secret with a default'
} | tee seen
diff seen - <<'SEEN'
default: exits with 0; output {"read":1,"write":2}; 
config get: {"read":9}
one key set: exits with 0; output {"read":9}; 
a secret with a default: exits with 1; output {"read":9}; configuration key 'token' must be encrypted as it's secret
SEEN
