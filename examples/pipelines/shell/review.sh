#!/bin/sh
# Posts what a pull request does to access. Extra arguments go to the review: review.sh --fail-on removal,delete
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A preview that fails is posted, too. Why it failed is on stderr, and the review ends with 4.
pulumi preview --json --show-replacement-steps --show-sames --non-interactive >"$folder/preview.json" || true
# Names beside ids, and who has the roles today, where the job has a client.
if [ -n "${IDENTITY_DOMAIN:-}" ] && [ -n "${IDENTITY_CLIENT_ID:-}${IDENTITY_ACCESS_TOKEN:-}" ]; then
  set -- --read "$@"
fi
# Names of a file win over those that are read.
if [ -f names.json ]; then set -- --names names.json "$@"; fi
npx --no pulumi-identity review "--$CODE_HOST" "$@" "$folder/preview.json"
