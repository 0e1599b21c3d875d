#!/usr/bin/env bash
# Guess: when a job was killed during a create, previews warn of it, and a good `up` settles it.
# Seen: `preview` says nothing of it, in text and in JSON, so a review doesn't either. `up` warns and creates the object
#   again. The note of the interrupted create stays after any number of good runs, until
#   `refresh --clear-pending-creates`.
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
  async create(inputs) {
    const fs = require("node:fs");
    fs.appendFileSync(`${folder}/created`, "created\n");
    fs.writeFileSync(`${folder}/host-pid`, String(process.pid));
    if (process.env.IS_SLOW === "true") await new Promise((resolve) => setTimeout(resolve, 600_000));
    return { id: "1", outs: inputs };
  },
};
class Thing extends dynamic.Resource {}
new Thing(handlers, "thing", {});
JS
pending() { pulumi stack export | grep -c '"type": "creating"' || true; }
warns() { grep -q 'pending operations' "$1" && echo yes || echo no; }
pulumi stack init test >log 2>&1
IS_SLOW=true pulumi up --yes --skip-preview >killed.log 2>&1 &
until [[ -s host-pid ]]; do sleep 0.2; done
kill -KILL $! && wait $! 2>>log || true
kill -KILL "$(<host-pid)"
pulumi cancel --yes >log 2>&1
{
  echo "interrupted creates: $(pending)"
  pulumi preview >log 2>&1
  echo "preview warns: $(warns log)"
  pulumi preview --json >log 2>&1
  echo "preview --json warns: $(warns log)"
  for run in first second; do
    pulumi up --yes --skip-preview >log 2>&1
    echo "$run up warns: $(warns log); objects made: $(grep -c created created); interrupted creates: $(pending)"
  done
  pulumi refresh --yes --skip-preview --clear-pending-creates >log 2>&1
  echo "interrupted creates after refresh --clear-pending-creates: $(pending)"
} | tee seen
diff seen - <<'SEEN'
interrupted creates: 1
preview warns: no
preview --json warns: no
first up warns: yes; objects made: 2; interrupted creates: 1
second up warns: yes; objects made: 2; interrupted creates: 1
interrupted creates after refresh --clear-pending-creates: 0
SEEN
