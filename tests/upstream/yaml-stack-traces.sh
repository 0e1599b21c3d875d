#!/usr/bin/env bash
# cli/workplace.ts: finds lines in Pulumi.yaml by name. If states have them for YAML, the search can go.
# Guess: `sourcePosition` and `stackTrace`, which a state has of each resource, lead to the program: to lines of Pulumi.yaml.
# Seen: for a YAML program they are places in the Go code of Pulumi's YAML runtime and of gRPC, the same for every resource, and more
#   than half of a small resource's entry. The state is written whole at each step.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin

cat >Pulumi.yaml <<'YAML'
name: access
runtime: yaml
resources:
  thing:
    type: thing:index:Thing
    properties:
      owner: ada
YAML
pulumi stack init test >log 2>&1
pulumi up --yes >log 2>&1 || { cat log && exit 1; }
pulumi stack export >state.json
node - <<'JS' | tee seen
const { resources } = JSON.parse(require("node:fs").readFileSync("state.json")).deployment;
const thing = resources.find(({ type }) => type === "thing:index:Thing");
const { sourcePosition, stackTrace } = thing;
const file = (position) => position.replace(/^.*\/(?=[^/]+$)/, "").replace(/#.*/, "");
const positions = stackTrace.map(({ sourcePosition: position }) => position);
console.log(`declared in ${file(sourcePosition)}`);
console.log(`frames in Pulumi.yaml: ${positions.filter((position) => /Pulumi\.yaml/.test(position)).length}`);
const share = JSON.stringify({ sourcePosition, stackTrace }).length / JSON.stringify(thing).length;
console.log(`share of the entry: ${share > 0.5 ? "more than half" : share}`);
JS
diff seen - <<'SEEN'
declared in run.go
frames in Pulumi.yaml: 0
share of the entry: more than half
SEEN
