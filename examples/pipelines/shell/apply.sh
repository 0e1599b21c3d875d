#!/bin/sh
# Applies what was reviewed in the merged pull request, and nothing else.
# REVIEWED=FINGERPRINT applies what has this fingerprint instead.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

pulumi preview --json --show-replacement-steps --show-sames --non-interactive --save-plan "$folder/plan.json" >"$folder/preview.json" || true
if [ -n "${REVIEWED:-}" ]; then set -- --expect "$REVIEWED"; else set -- --expect-reviewed; fi
npx --no pulumi-identity review "--$CODE_HOST" "$@" "$folder/preview.json"
pulumi up --yes --skip-preview --non-interactive --plan "$folder/plan.json"
