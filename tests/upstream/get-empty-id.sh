#!/usr/bin/env bash
# provider/pulumi/program/registration.ts: `get` refuses an empty id. If Pulumi does, the check can go.
# Guess: a resource that a program gets by its id is only read. With an empty id, as a value that isn't set gives, that
#   fails, as it does for an id that isn't there.
# Seen: the engine takes an empty id for no id at all, and creates the resource. When the id is there again, it deletes
#   what it made. Previews say `create`; nothing warns.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

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
