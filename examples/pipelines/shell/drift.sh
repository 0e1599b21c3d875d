#!/bin/sh
# Keeps one issue open as long as the tenant is not as the state says. It changes neither. Extra arguments go to the review.
set -eu

# Names of a file win over those of the tenant.
if [ -f names.json ]; then set -- --names names.json "$@"; fi
npx --no pulumi-identity review --drift "--$CODE_HOST" --issue "Access has drifted" "$@"
