#!/usr/bin/env bash
# Guess: `pulumi convert` keeps what configuration means: a value that is set wins over the program's default.
# Seen: in TypeScript a set `false`, 0 or empty text loses to the default, since the generated code joins them by
#   `||`. The Python program generated from the same source asks `is None`, and keeps them.
# Without Go's caches this takes minutes.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0 typescript@5.9.3

cat >go.mod <<'GO'
module finding

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
cat >main.go <<'GO'
package main

import (
	"os"
	"strings"

	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// What `pulumi convert` makes of a program in any language before it writes another.
const source = `
config publicRead bool { default = true }
config replicas int { default = 3 }
output publicRead { value = publicRead }
output replicas { value = replicas }
`

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	parser := syntax.NewParser()
	check(parser.ParseFile(strings.NewReader(source), "main.pp"))
	program, _, err := pcl.BindProgram(parser.Files, struct{ schema.Loader }{})
	check(err)
	typescript, _, err := nodejs.GenerateProgram(program)
	check(err)
	check(os.WriteFile("index.ts", typescript["index.ts"], 0o600))
	python, _, err := python.GenerateProgram(program)
	check(err)
	check(os.WriteFile("main.py", python["__main__.py"], 0o600))
}
GO
GOFLAGS=-mod=mod go run . 2>go.log || { cat go.log && exit 1; }
grep -h -A2 getBoolean index.ts
grep -h -A2 get_bool main.py
npx tsc --module commonjs --target es2022 --skipLibCheck index.ts
export PULUMI_NODEJS_PROJECT=p PULUMI_CONFIG='{"p:publicRead":"false","p:replicas":"0"}'
node -e 'require("./index.js")().then((outputs) => console.log(JSON.stringify(outputs)))' | tee seen
diff seen - <<<'{"publicRead":true,"replicas":3}'
grep --quiet "if public_read is None:" main.py
