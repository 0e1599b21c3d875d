#!/usr/bin/env bash
# Guess: the JSON of a preview that failed has a diagnostic of severity `error`.
# Seen: what is wrong with a YAML program's resources comes as `info#err`, the severity of what any program prints to its error output.
#   Standard error is empty, and the JSON has the steps until then: without the exit code it passes for a preview without changes.
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

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test PULUMI_SKIP_UPDATE_CHECK=true
show='const { steps, diagnostics } = JSON.parse(require("fs").readFileSync("preview.json", "utf8"));
const severities = [...new Set(diagnostics.map(({ severity }) => severity))];
console.log(`  steps: ${steps.map(({ op }) => op)}; severities: ${severities}`);'
preview() {
  code=0
  pulumi preview --json >preview.json 2>errors || code=$?
  echo "$1: exit $code, $(wc -c <errors) bytes of errors"
  node -e "$show"
}
{
  printf 'name: access\nruntime: yaml\noutputs: { owner: "${nobody}" }\n' >Pulumi.yaml
  pulumi stack init test >log 2>&1
  preview "a name that isn't there, in an output"
  for name in '{ name: "${nobody}" }' '{ nam: other }'; do
    printf 'name: access\nruntime: yaml\nresources: { other: { type: "pulumi:pulumi:StackReference", properties: %s } }\n' "$name" >Pulumi.yaml
    preview "$name in a resource"
  done
} | tee seen
diff seen - <<'SEEN'
a name that isn't there, in an output: exit 1, 0 bytes of errors
  steps: create; severities: error
{ name: "${nobody}" } in a resource: exit 1, 0 bytes of errors
  steps: create; severities: info#err
{ nam: other } in a resource: exit 1, 0 bytes of errors
  steps: create; severities: info#err
SEEN
