#!/bin/sh
# Applies what was reviewed in the merged pull request, and nothing else: the run itself is held to it. The comment there then says
# how it ended. REVIEWED=FINGERPRINT applies what has this fingerprint instead. Extra arguments go to the review:
# apply.sh --accept-unknown
set -eu
. "$(dirname "$0")/up.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ -n "${REVIEWED:-}" ]; then set -- --expect "$REVIEWED" "$@"; else set -- --expect-reviewed "$@"; fi
outcome=refused
code=0
npx --no pulumi-identity review "--$CODE_HOST" "$@" --json "$folder/reviewed.json" -- --save-plan "$folder/plan.json" || code=$?
if [ "$code" -eq 0 ]; then
  chmod 400 "$folder/reviewed.json"
  digest=$(sha256sum "$folder/reviewed.json" | cut -d ' ' -f 1)
  export IDENTITY_REVIEW_FILE="$folder/reviewed.json" IDENTITY_REVIEW_DIGEST="$digest"
  up --plan "$folder/plan.json" || code=$?
  if [ "$code" -eq 0 ]; then outcome=applied; else outcome=failed; fi
fi
if [ "$outcome" = failed ]; then
  echo "The change was applied in part or not at all. Review what is left, and run this again with REVIEWED set to its fingerprint." >&2
fi
npx --no pulumi-identity review "--$CODE_HOST" --outcome "$outcome" ||
  echo "The pull request may not say how this ended: $outcome." >&2
exit "$code"
