#!/usr/bin/env bash
# cli/pending.ts: reviews read pending creates from state. If previews name them, the reading can go.
# Guess: when a job was killed during a create, previews warn of it, and a good `up` settles it.
# Seen: `preview` says nothing of it, in text and in JSON, so a review doesn't either. `up` warns and creates the object
#   again. The note of the interrupted create stays after any number of good runs, until
#   `refresh --clear-pending-creates`.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

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
