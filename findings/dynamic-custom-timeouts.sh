#!/usr/bin/env bash
# Guess: `customTimeouts` ends what takes longer, or the handlers learn of the limit.
# Seen: for dynamic resources neither holds, and nothing says so: a create with a limit of one second ends well after
#   three.
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
const folder = __dirname;
const handlers = {
  async create(inputs, ...more) {
    const start = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const seen = `create got ${Object.keys(inputs)} and ${more.length} arguments more, and took ${Math.floor((Date.now() - start) / 1000)} s`;
    require("node:fs").writeFileSync(`${folder}/create`, `${seen}\n`);
    return { id: "1", outs: inputs };
  },
};
class Thing extends dynamic.Resource {}
new Thing(handlers, "thing", { size: 1 }, { customTimeouts: { create: "1s" } });
JS
pulumi stack init test >log 2>&1
code=0
pulumi up --yes --skip-preview >log 2>&1 || code=$?
{ cat create && echo "exit code $code, $(grep -ciE 'timeout|timed out|deadline' log || true) words about time"; } | tee seen
diff seen - <<'SEEN'
create got __provider,size and 0 arguments more, and took 3 s
exit code 0, 0 words about time
SEEN
