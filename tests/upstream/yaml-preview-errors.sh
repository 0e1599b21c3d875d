#!/usr/bin/env bash
# cli/review/input/preview.ts: finds YAML's errors by their text. If they are of severity `error`, that can go.
# Guess: the JSON of a preview that failed has a diagnostic of severity `error`.
# Seen: what is wrong with a YAML program's resources comes as `info#err`, the severity of what any program prints to its error output.
#   Standard error is empty, and the JSON has the steps until then: without the exit code it passes for a preview without changes.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
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
