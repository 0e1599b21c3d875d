#!/usr/bin/env bash
# provider/pulumi/program/registration.ts: state holds one line, no code. If Pulumi runs today's code, it can go.
# Guess: an `up` that says "unchanged" after a handler of a dynamic provider was mended leaves the mended code in charge.
# Seen: `diff` runs the program's code, `read` and `delete` the code of the last change. So a mended `delete` doesn't
#   run until some property changes first, and `refresh --run-program` makes no difference.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
cat >index.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { VERSION: version, SIZE: size } = process.env;
const trace = `${__dirname}/trace`;
const tell = (handler) => require("node:fs").appendFileSync(trace, `  ${handler} of ${version}\n`);
const handlers = {
  create: async (inputs) => (tell("create"), { id: "1", outs: inputs }),
  diff: async (_id, olds, news) => (tell("diff"), { changes: olds.size !== news.size }),
  update: async (_id, _olds, news) => (tell("update"), { outs: news }),
  read: async (id, props) => (tell("read"), { id, props }),
  delete: async () => tell("delete"),
};
class Thing extends dynamic.Resource {}
if (size !== "gone") new Thing(handlers, "thing", { size });
JS
# SIZE=gone takes the resource out of the program.
run() {
  echo "version $1, size $2, ${*:3}:" >>trace
  VERSION=$1 SIZE=$2 pulumi "${@:3}" --yes >log 2>&1 || { cat log && exit 1; }
}
pulumi stack init test >log 2>&1
run v1 small up --skip-preview
run v2 small up --skip-preview
run v2 small refresh --skip-preview --run-program
run v2 gone up --skip-preview
run v2 small up --skip-preview
run v3 large up --skip-preview
run v3 gone up --skip-preview
cat trace
diff trace - <<'SEEN'
version v1, size small, up --skip-preview:
  create of v1
version v2, size small, up --skip-preview:
  diff of v2
version v2, size small, refresh --skip-preview --run-program:
  read of v1
  diff of v2
version v2, size gone, up --skip-preview:
  delete of v1
version v2, size small, up --skip-preview:
  create of v2
version v3, size large, up --skip-preview:
  diff of v3
  update of v3
version v3, size gone, up --skip-preview:
  delete of v3
SEEN
