#!/usr/bin/env bash
# Guess: a resource that a program gets by its id is only read. With an empty id, as a value that isn't set gives, that
#   fails, as it does for an id that isn't there.
# Seen: the engine takes an empty id for no id at all, and creates the resource. When the id is there again, it deletes
#   what it made. Previews say `create`; nothing warns.
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
const { dynamic } = require("@pulumi/pulumi");
const tell = (call) => require("node:fs").appendFileSync(`${__dirname}/seen`, `  ${call}\n`);
const handlers = {
  create: async (inputs) => (tell("create"), { id: "made", outs: inputs }),
  read: async (id, props) => (tell(`read ${id}`), { id, props }),
  delete: async (id) => tell(`delete ${id}`),
};
class Thing extends dynamic.Resource {
  static get(name, id) {
    return new Thing(handlers, name, {}, { id });
  }
}
Thing.get("thing", process.env.THING_ID ?? "");
JS
run() {
  echo "$* with THING_ID=${THING_ID-}" >>seen
  pulumi "$@" --yes >log 2>&1 || { cat log && exit 1; }
}
pulumi stack init test >log 2>&1
run up --skip-preview
THING_ID=there run up --skip-preview
run up --skip-preview
run destroy --skip-preview
cat seen
diff seen - <<'SEEN'
up --skip-preview with THING_ID=
  create
up --skip-preview with THING_ID=there
  read there
  delete made
up --skip-preview with THING_ID=
  create
destroy --skip-preview with THING_ID=
  delete made
SEEN
