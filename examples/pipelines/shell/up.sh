# For apply.sh and expire.sh. A cancelled job of GitHub gets SIGINT, then SIGTERM, and is killed after ten seconds. Pulumi finishes
# what is under way at the first signal, and drops it at the second: it gets one.
up() {
  pulumi up --yes --skip-preview --non-interactive "$@" &
  pulumi=$!
  trap 'trap : INT TERM; kill -TERM "$pulumi"' INT TERM
  ended=0
  wait "$pulumi" || ended=$?
  # A signal ends the wait, and not Pulumi.
  while kill -0 "$pulumi" 2>/dev/null; do
    ended=0
    wait "$pulumi" || ended=$?
  done
  trap - INT TERM
  return "$ended"
}
