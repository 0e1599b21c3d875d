#!/bin/sh
# Keeps one issue open as long as the tenant is not as the state says, or a grant ends within ENDS_WITHIN (14d). It changes neither.
# Extra arguments go to the review.
# STACKS_OF_TENANT="prod dev": these are all stacks that give roles on the tenant, and a grant of none of them fails the job.
set -eu

# Names of a file win over those of the tenant.
if [ -f names.json ]; then set -- --names names.json "$@"; fi
code=0
npx --no pulumi-identity review --drift "--$CODE_HOST" --issue "Access needs attention" --ends-within "${ENDS_WITHIN:-14d}" "$@" || code=$?
if [ -n "${STACKS_OF_TENANT:-}" ]; then
  set --
  for stack in $STACKS_OF_TENANT; do set -- "$@" --stack "$stack"; done
  found=0
  npx --no pulumi-identity access --no-direct --fail-on unmanaged "$@" || found=$?
  if [ "$code" -eq 0 ]; then code=$found; fi
fi
exit "$code"
