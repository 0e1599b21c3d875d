#!/usr/bin/env bash
# Guess: a getter of `Config` that meets a value of another type fails, in each language.
# Seen: Go's `GetBool` and `GetInt` answer as if nothing were set: `protect: yes` is false, `limit: 1,000` is 0. Node.js's `getNumber` takes
#   the digits in front: 1,000 is 1, and 0x10 is 0. So one file of settings says 8, 10 or nothing, and no run fails for it. Python refuses,
#   but for 1_000. Go's `Require…` and `Try…` refuse, too.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pulumi==3.272.0
printf 'module finding\n\ngo 1.26.6\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.276.0\n' >go.mod
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

type mocks struct{}

func (mocks) NewResource(args pulumi.MockResourceArgs) (string, resource.PropertyMap, error) {
	return args.Name, args.Inputs, nil
}

func (mocks) Call(args pulumi.MockCallArgs) (resource.PropertyMap, error) { return args.Args, nil }

func main() {
	program := func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "access")
		fmt.Println("  Go: GetBool", settings.GetBool("k"), "GetInt", settings.GetInt("k"))
		return nil
	}
	if err := pulumi.RunErr(program, pulumi.WithMocks("access", "test", mocks{})); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
GO
GOFLAGS=-mod=mod go build -o show . 2>go.log || { cat go.log && exit 1; }
cat >show.cjs <<'JS'
const { Config } = require("@pulumi/pulumi");
const settings = new Config("access");
const tell = (getter) => {
  try {
    return settings[getter]("k");
  } catch {
    return "throws";
  }
};
console.log(`  Node.js: getBoolean ${tell("getBoolean")} getNumber ${tell("getNumber")}`);
JS
cat >show.py <<'PY'
import json
import os
import pulumi

pulumi.runtime.set_all_config(json.loads(os.environ["PULUMI_CONFIG"]))
settings = pulumi.Config("access")


def tell(getter):
    try:
        return getter("k")
    except Exception:
        return "throws"


print("  Python: get_bool", tell(settings.get_bool), "get_int", tell(settings.get_int))
PY
for value in true yes 1,000 1_000 010 0x10; do
  echo "$value"
  export PULUMI_CONFIG="{\"access:k\":\"$value\"}"
  ./show
  node show.cjs
  venv/bin/python show.py
done | tee seen
diff seen - <<'SEEN'
true
  Go: GetBool true GetInt 0
  Node.js: getBoolean true getNumber throws
  Python: get_bool True get_int throws
yes
  Go: GetBool false GetInt 0
  Node.js: getBoolean throws getNumber throws
  Python: get_bool throws get_int throws
1,000
  Go: GetBool false GetInt 0
  Node.js: getBoolean throws getNumber 1
  Python: get_bool throws get_int throws
1_000
  Go: GetBool false GetInt 1000
  Node.js: getBoolean throws getNumber 1
  Python: get_bool throws get_int 1000
010
  Go: GetBool false GetInt 8
  Node.js: getBoolean throws getNumber 10
  Python: get_bool throws get_int 10
0x10
  Go: GetBool false GetInt 16
  Node.js: getBoolean throws getNumber 0
  Python: get_bool throws get_int throws
SEEN
