#!/usr/bin/env bash
# Guess: `sarif --check error` fails for results that are open. One that is suppressed, or whose `baselineState` is `absent`, isn't. And
#   `sarif diff --check error` fails if something is new, so mending a result never fails it.
# Seen: both count. `diff` compares titles, made of the rule and of what its messages have in common. If one of two results is mended,
#   the other one's title is a new one, and the check fails. A result that names its rule by `ruleIndex` alone, as SARIF allows, is an
#   error of the tool.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check sarif-tools==3.0.5
cat >make.py <<'PY'
import json

def result(text, line, **more):
    region = {"artifactLocation": {"uri": "index.ts"}, "region": {"startLine": line}}
    return {"level": "error", "message": {"text": text}, "locations": [{"physicalLocation": region}], **more}

def write(name, *results):
    driver = {"name": "access", "rules": [{"id": "grant"}]}
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}
    with open(f"{name}.sarif", "w") as file:
        json.dump(log, file)

support = result("support gains viewer", 3, ruleId="grant")
billing = result("billing gains viewer", 4, ruleId="grant")
write("both", support, billing)
write("mended", support)
write("suppressed", {**support, "suppressions": [{"kind": "external", "status": "accepted"}]})
write("absent", {**support, "baselineState": "absent"})
write("by-index", result("support gains viewer", 3, ruleIndex=0))
PY
python3 make.py
check() {
  echo "$*"
  local code=0
  venv/bin/sarif --check error "$@" >log 2>&1 || code=$?
  grep -E '^error|issue "|^KeyError' log | sed 's/^ */  /'
  echo "  exits with $code"
}
{
  check summary suppressed.sarif
  check summary absent.sarif
  check summary by-index.sarif
  check diff both.sarif both.sarif
  check diff both.sarif mended.sarif
} | tee seen
diff seen - <<'SEEN'
summary suppressed.sarif
  error: 1
  exits with 1
summary absent.sarif
  error: 1
  exits with 1
summary by-index.sarif
  KeyError: 'ruleId'
  exits with 1
diff both.sarif both.sarif
  error level: +0 -0 no changes
  exits with 0
diff both.sarif mended.sarif
  error level: +1 -1
  New issue "grant support gains viewer" (1 occurrence)
  Eliminated issue "grant ..."
  exits with 1
SEEN
