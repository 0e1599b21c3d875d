#!/bin/sh
# Takes roles from groups whose grant has ended, and says who lost what. Where a run would do anything else than take access away, it
# does nothing, and ends with 3: that needs a review.
set -eu
. "$(dirname "$0")/up.sh"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ -f names.json ]; then set -- --names names.json "$@"; fi
code=0
# A tenant that doesn't answer must not stop it: what ends is known without it, and only the names come from there.
npx --no pulumi-identity review --only-names --fail-on grant,removal,delete,exclusive,replace,adopt,unknown,other "$@" \
  --output "$folder/lost.md" --json "$folder/reviewed.json" -- --save-plan "$folder/plan.json" || code=$?
if [ -f "$folder/lost.md" ]; then
  cat "$folder/lost.md"
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then cat "$folder/lost.md" >>"$GITHUB_STEP_SUMMARY"; fi
fi
if [ "$code" -ne 0 ]; then exit "$code"; fi
chmod 400 "$folder/reviewed.json"
digest=$(sha256sum "$folder/reviewed.json" | cut -d ' ' -f 1)
export IDENTITY_REVIEW_FILE="$folder/reviewed.json" IDENTITY_REVIEW_DIGEST="$digest"
up --plan "$folder/plan.json"
