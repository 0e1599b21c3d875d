#!/usr/bin/env bash
# docs/troubleshooting.md: a plain date in a stack's file must be quoted. If Pulumi keeps it, the entry can go.
# Guess: a program gets the values of `Pulumi.<stack>.yaml` as they stand there, and `pulumi config set` stores what it
#   is given.
# Seen: a plain day becomes a Go timestamp, 007 and 1.10 lose digits. `config set` quotes them, but with `--path` it
#   rounds a whole number of twenty digits, in the file too; without `--path` the same number stays as it is.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
printf 'name: access\nruntime: yaml\n' >Pulumi.yaml
pulumi stack init test >log 2>&1
cat >>Pulumi.test.yaml <<'YAML'
config:
  access:until: 2026-12-31
  access:code: 007
  access:release: 1.10
  access:window:
    until: 2026-12-31
    code: 007
    release: 1.10
YAML
pulumi config set access:account 12345678901234567890
pulumi config set --path access:limits.account 12345678901234567890
pulumi config set --path access:limits.code 007
pulumi config set --path access:limits.until 2026-12-31
for key in until code release window account limits; do
  echo "$key: $(pulumi config get "access:$key")"
done | tee seen
diff seen - <<'SEEN'
until: 2026-12-31 00:00:00 +0000 UTC
code: 7
release: 1.1
window: {"code":7,"release":1.1,"until":"2026-12-31 00:00:00 +0000 UTC"}
account: 12345678901234567890
limits: {"account":12345678901234567000,"code":"007","until":"2026-12-31"}
SEEN
