# Each script sources this first: a temporary folder with a Pulumi backend, and commands that install packages.
# UPSTREAM_NEWEST=latest installs the newest versions in place of those that scripts name.
# Exit code 75: the tool couldn't be installed, so the script tried nothing.
set -euo pipefail
upstream=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
tmp=$(mktemp -d) && trap 'chmod -R u+w "$tmp" && rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir backend
export PATH="$tmp:$PATH" PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
export CGO_ENABLED=0 GOWORK=off GOFLAGS=-mod=mod PIP_DISABLE_PIP_VERSION_CHECK=1

packages() { # NAME@VERSION …, from npm
  [[ -z ${UPSTREAM_NEWEST:-} ]] || set -- "${@/%@[0-9]*/@latest}"
  installed npm install --silent --no-audit --no-fund --ignore-scripts "$@"
}
things() { # run.js may require ./things.cjs
  packages @pulumi/pulumi@3.276.0
  cp "$upstream/things.cjs" .
}
thing_plugin() { # a plugin for thing:index:Thing, which notes its calls in $CALLS
  packages @pulumi/pulumi@3.276.0
  cp "$upstream/thing-plugin.cjs" pulumi-resource-thing && chmod +x pulumi-resource-thing
  export NODE_PATH="$tmp/node_modules" CALLS="$tmp/calls"
}
shows() { # COMMAND …, which must print what the standard input has
  "$@" </dev/null | tee seen
  diff seen -
}
python_packages() { # NAME==VERSION …, into venv/
  [[ -z ${UPSTREAM_NEWEST:-} ]] || set -- "${@%%==*}"
  installed python3 -m venv venv
  installed venv/bin/pip install --quiet "$@"
}
go_program() { # MODULE@VERSION …: builds ./show of the Go files in this folder
  [[ -z ${UPSTREAM_NEWEST:-} ]] || set -- "${@/%@v[0-9]*/@latest}"
  installed go mod init example.org/show
  installed go get "$@"
  installed go build -trimpath -o show .
}
installed() {
  "$@" >install.log 2>&1 && return
  echo "$* failed:" && tail -n 20 install.log
  exit 75
} >&2
