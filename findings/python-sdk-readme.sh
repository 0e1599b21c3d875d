#!/usr/bin/env bash
# Guess: the Python SDK that `pulumi package add` generates has its readme where its pyproject.toml says.
# Seen: Pulumi 3.274.1 writes it into the package's own folder. setuptools 84.2.1 warns and builds all the same, so the SDK
#   that gets installed or published has no description.
set -euo pipefail
tmp=$(mktemp -d) && trap 'chmod -R u+w "$tmp" && rm -rf "$tmp"' EXIT && cd "$tmp"
export CGO_ENABLED=0 GOWORK=off GOFLAGS=-mod=mod PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir generate sdk
cat >generate/main.go <<'GO'
package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const text = `{
  "name": "greeter", "version": "1.0.0", "description": "Says hello.",
  "resources": { "greeter:index:Greeting": {} },
  "language": { "python": { "respectSchemaVersion": true, "pyproject": { "enabled": true } } }
}`

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	var spec schema.PackageSpec
	check(json.Unmarshal([]byte(text), &spec))
	pkg, _, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	check(err)
	files, err := python.GeneratePackage("pulumi", pkg, nil, nil)
	check(err)
	for name, contents := range files {
		file := filepath.Join(os.Args[1], name)
		check(os.MkdirAll(filepath.Dir(file), 0o755))
		check(os.WriteFile(file, contents, 0o644))
	}
}
GO
(cd generate && go mod init example.org/show && go get github.com/pulumi/pulumi/pkg/v3@v3.274.1 &&
  go build -trimpath -o show .) >log 2>&1 || { cat log && exit 1; }
generate/show sdk
python3 -m venv venv && venv/bin/pip install --quiet setuptools==84.2.1
venv/bin/pip wheel -v --no-deps --no-build-isolation --wheel-dir wheels ./sdk >built 2>&1 || { cat built && exit 1; }
{
  (cd sdk && grep -o 'readme = .*' pyproject.toml && find . -name 'README*')
  grep -o "README.md' cannot be found" built | sort -u
  venv/bin/python - <<'PYTHON'
import email, glob, zipfile
wheel = zipfile.ZipFile(glob.glob("wheels/*.whl")[0])
[metadata] = [name for name in wheel.namelist() if name.endswith("/METADATA")]
print("description in the wheel:", repr(email.message_from_bytes(wheel.read(metadata)).get_payload()))
PYTHON
} | tee seen
diff seen - <<'SEEN'
readme = "README.md"
./pulumi_greeter/README.md
README.md' cannot be found
description in the wheel: ''
SEEN
