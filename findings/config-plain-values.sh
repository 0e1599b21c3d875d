#!/usr/bin/env bash
# Guess: a program gets the values of `Pulumi.<stack>.yaml` as they stand there, and `pulumi config set` stores what it
#   is given.
# Seen: a plain day becomes a Go timestamp, 007 and 1.10 lose digits. `config set` quotes them, but with `--path` it
#   rounds a whole number of twenty digits, in the file too; without `--path` the same number stays as it is.
# Builds the CLI with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
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
