#!/usr/bin/env bash
# Guess: the outputs of a stack are those of its last good update, so that other stacks and `stack output` read what is
#   there.
# Seen: a failed update stores the outputs of its program all the same. Those that come from inputs tell what was never
#   done, to stack references too, and a refresh leaves them as they are.
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
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
cat >index.js <<'JS'
const { dynamic, output } = require("@pulumi/pulumi");
const handlers = {
  create: async (inputs) => ({ id: "1", outs: inputs }),
  diff: async (_id, olds, news) => ({ changes: olds.level !== news.level }),
  update: async () => {
    throw new Error("refused");
  },
};
class Grant extends dynamic.Resource {}
const level = process.env.LEVEL;
new Grant(handlers, "grant", { level });
exports.level = output(level);
JS
cat >show.cjs <<'JS'
const { deployment } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const [stack, grant] = ["pulumi:pulumi:Stack", "pulumi-nodejs:dynamic:Resource"].map((type) =>
  deployment.resources.find((resource) => resource.type === type),
);
console.log(`  the stack says ${stack.outputs.level}, the grant is ${grant.outputs.level}`);
JS
pulumi stack init test >log 2>&1
{
  for command in "read up" "admin up" "admin refresh"; do
    read -r LEVEL run <<<"$command"
    code=0
    LEVEL=$LEVEL pulumi "$run" --yes --skip-preview >log 2>&1 || code=$?
    echo "$run with level $LEVEL: exit code $code"
    pulumi stack export | node show.cjs
  done
} | tee seen
diff seen - <<'SEEN'
up with level read: exit code 0
  the stack says read, the grant is read
up with level admin: exit code 1
  the stack says admin, the grant is read
refresh with level admin: exit code 0
  the stack says admin, the grant is read
SEEN
