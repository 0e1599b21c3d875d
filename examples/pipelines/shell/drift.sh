#!/bin/sh
# Keeps one issue open as long as the tenant is not as the state says. It changes neither. Extra arguments go to the review.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

pulumi refresh --preview-only --json --non-interactive >"$folder/drift.json" || true
# Names beside ids, and who has the roles today, where the job has a client.
if [ -n "${IDENTITY_DOMAIN:-}" ] && [ -n "${IDENTITY_CLIENT_ID:-}${IDENTITY_ACCESS_TOKEN:-}" ]; then
  set -- --read "$@"
fi
# Names of a file win over those that are read.
if [ -f names.json ]; then set -- --names names.json "$@"; fi
npx --no pulumi-identity review --drift "--$CODE_HOST" --issue "Access has drifted" "$@" "$folder/drift.json"
