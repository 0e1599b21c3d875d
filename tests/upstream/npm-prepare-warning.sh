#!/usr/bin/env bash
# scripts/unlink-pulumi.mjs: runs as `dependencies`, not `prepare`. If npm warns no more, either will do.
# Guess: a package whose install scripts npm wants reviewed has scripts that installing it would run.
# Seen: npm 11.19.1 names the `prepare` of a package in a tarball, which npm runs for folders and Git only. The command that
#   the warning names lists nothing, and once approved, the script isn't run either.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
export npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false npm_config_ignore_scripts=false
npm() { npx --yes "npm@${UPSTREAM_NEWEST:-11.19.1}" "$@"; }
mkdir greeting program
cat >greeting/package.json <<'JSON'
{ "name": "greeting", "version": "1.0.0", "scripts": { "prepare": "touch prepared" } }
JSON
echo '{ "name": "program", "private": true }' >program/package.json
(cd greeting && npm pack --silent --ignore-scripts >/dev/null)
cd program
{
  echo "install" && npm install ../greeting/greeting-1.0.0.tgz 2>&1 | grep -o 'greeting@1.0.0 .*\|1 package has .*'
  echo "install-scripts ls" && npm install-scripts ls 2>&1
  npm install-scripts approve greeting >/dev/null 2>&1
  npm ci >/dev/null 2>&1
  echo "approved, and installed again" && ls node_modules/greeting
} | tee seen
diff seen - <<'SEEN'
install
1 package has install scripts not yet covered by allowScripts:
greeting@1.0.0 (prepare: touch prepared)
install-scripts ls
No packages with unreviewed install scripts.
approved, and installed again
package.json
SEEN
