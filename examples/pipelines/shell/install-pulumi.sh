#!/bin/sh
# Installs the Pulumi CLI for x64 Linux. It gets all credentials: not a byte of it runs before it is known to be the release that was
# chosen. PULUMI_VERSION and PULUMI_SHA256 of the environment win over those here.
set -eu
version=${PULUMI_VERSION:-3.257.0}
# Put in that of pulumi-v3.257.0-linux-x64.tar.gz, from the checksums beside the release; until then every job fails.
sum=${PULUMI_SHA256:-}

name="pulumi-v$version-linux-x64.tar.gz"
if [ -z "$sum" ]; then
  echo "Put the checksum of $name into pipelines/install-pulumi.sh: https://github.com/pulumi/pulumi/releases/tag/v$version has it." >&2
  exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
curl -fsSLo "$folder/$name" "https://get.pulumi.com/releases/sdk/$name"
echo "$sum  $folder/$name" | sha256sum --check --strict
mkdir -p "$HOME/.pulumi/bin"
tar -xzf "$folder/$name" --strip-components 1 -C "$HOME/.pulumi/bin"
if [ -n "${GITHUB_PATH:-}" ]; then echo "$HOME/.pulumi/bin" >>"$GITHUB_PATH"; fi
