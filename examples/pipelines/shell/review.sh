#!/bin/sh
# Posts what a pull request does to access. Extra arguments go to the review: review.sh --fail-on removal,delete
set -eu

# Names of a file win over those of the tenant.
if [ -f names.json ]; then set -- --names names.json "$@"; fi
# A file of rules is named by the pipeline, so that a pull request that removes it is still judged by the branch's.
if [ -n "${RULES:-}" ]; then set -- --rules "$RULES" --fail-on rules "$@"; fi
# A case of the rules that fails doesn't keep the review from its comment, but fails the job.
cases=0
if [ -n "${RULES:-}" ] && [ -f "$RULES" ]; then npx --no pulumi-identity rules "$RULES" || cases=$?; fi
# A page has names of groups and lines of code, and everybody can download the artifacts of a public project.
if [ -n "${PAGE:-}" ] && [ "${CI_PROJECT_VISIBILITY:-}" != public ]; then set -- --page "$PAGE" "$@"; fi
npx --no pulumi-identity review "--$CODE_HOST" --annotate "$@"
exit "$cases"
