#!/usr/bin/env bash
# Guess: in a YAML program `"account-${account}"` has the digits of the number, as `${account}` alone has, and a setting that is declared as
#   a string is text.
# Seen: from a million on the text has the exponent that Go prints: account-1.23456789012e+11, and 1e+06 for a limit. So it is with numbers of
#   the program, with outputs, and with settings, those of `type: string` too if they are all digits. `fn::toJSON` writes the digits.
# Builds the CLI and the YAML host with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli yaml backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
printf 'module yaml\n\ngo 1.26.6\n\nrequire github.com/pulumi/pulumi-yaml v1.38.0\n' >yaml/go.mod
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
(cd yaml && go build -o .. github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml) 2>go.log || { cat go.log && exit 1; }

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
cat >Pulumi.yaml <<'YAML'
name: access
runtime: yaml
config:
  account: { type: integer, default: 123456789012 }
  code: { type: string }
  tenant: { type: string }
variables:
  limit: 1000000
resources:
  # A stash is a resource of the engine itself, so no provider has a say in this.
  stash:
    type: pulumi:index:Stash
    properties: { input: 123456789012 }
outputs:
  config: ${account}
  configInText: account-${account}
  declaredString: ${code}
  declaredStringInText: tenant-${tenant}
  variable: ${limit}
  variableInText: limit-${limit}
  output: ${stash.output}
  outputInText: account-${stash.output}
  json: { "fn::toJSON": ["${account}", "${limit}"] }
YAML
pulumi stack init test >log 2>&1
pulumi config set code 007
pulumi config set tenant 123456789012
pulumi up --yes --skip-preview >log 2>&1 || { cat log && exit 1; }
pulumi stack output --json | tee seen
diff seen - <<'SEEN'
{
  "config": 123456789012,
  "configInText": "account-1.23456789012e+11",
  "declaredString": "007",
  "declaredStringInText": "tenant-1.23456789012e+11",
  "json": "[123456789012,1000000]",
  "output": 123456789012,
  "outputInText": "account-1.23456789012e+11",
  "variable": 1000000,
  "variableInText": "limit-1e+06"
}
SEEN
