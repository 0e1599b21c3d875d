#!/usr/bin/env bash
# cli/review/notes.ts: notes that `protect` goes with the next `up`. If Pulumi keeps the mark, the note is wrong.
# Guess: what `pulumi state protect` protects stays protected until `pulumi state unprotect`.
# Seen: until the next `up`. The program has no such option, so the mark goes with everything else that only the state had. `preview
#   --expect-no-changes` passes, `up` says "unchanged", and the next one deletes the resource. Only for what isn't in the program any more
#   does the mark stay.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
# A stash is a resource of the engine itself, so no provider has a say in this.
echo 'const { Stash } = require("@pulumi/pulumi"); process.env.NAMES.split(" ").map((name) => new Stash(name, { input: name }));' >index.js

run() { # RESOURCES, COMMAND
  local code=0
  NAMES=$1 pulumi "${@:2}" >log 2>&1 || code=$?
  local protected
  protected=$(pulumi stack export | node -p 'JSON.parse(fs.readFileSync(0)).deployment.resources.filter(({ protect }) => protect).length')
  echo "program: $1; ${*:2}: exits with $code; protected in state: $protected; $(grep -E '^    [-=+0-9 ]*(created|deleted|unchanged)' log | xargs)"
}
protect() { run "$1" state protect --yes "urn:pulumi:test::access::pulumi:index:Stash::sales" | sed 's/urn:.*:://'; }
pulumi stack init test >log 2>&1
{
  run 'sales support' up --yes --skip-preview
  protect 'sales support'
  run 'sales support' preview --expect-no-changes
  run 'sales support' up --yes --skip-preview
  run support up --yes --skip-preview
  echo one that has left the program:
  run 'sales support' up --yes --skip-preview
  protect support
  run support up --yes --skip-preview
} | tee seen
diff seen - <<'SEEN'
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; + 3 created
program: sales support; state protect --yes sales: exits with 0; protected in state: 1; 
program: sales support; preview --expect-no-changes: exits with 0; protected in state: 1; 3 unchanged
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; 3 unchanged
program: support; up --yes --skip-preview: exits with 0; protected in state: 0; - 1 deleted 2 unchanged
one that has left the program:
program: sales support; up --yes --skip-preview: exits with 0; protected in state: 0; + 1 created 2 unchanged
program: support; state protect --yes sales: exits with 0; protected in state: 1; 
program: support; up --yes --skip-preview: exits with 1; protected in state: 1; 2 unchanged
SEEN
