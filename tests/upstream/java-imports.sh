#!/usr/bin/env bash
# docs/languages.md: Java's imported code must be edited. If it compiles, the line can go.
# Guess: the program that `pulumi import` and `pulumi convert` print in Java compiles with the SDK of the same schema.
# Seen: Java's generator 1.34.0 imports resources from the schema's `basePackage`, but their nested inputs from
#   `com.pulumi`, where no file of the SDK is. Values of an enum are texts, which the SDK's builders don't take.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
cat >schema.json <<'JSON'
{
  "name": "greeter",
  "version": "1.0.0",
  "language": { "java": { "basePackage": "org.example" } },
  "types": {
    "greeter:index:Word": { "type": "string", "enum": [{ "name": "Hello", "value": "hello" }] },
    "greeter:index:Style": { "type": "object", "properties": { "word": { "$ref": "#/types/greeter:index:Word" } } }
  },
  "resources": {
    "greeter:index:Greeting": { "inputProperties": { "style": { "$ref": "#/types/greeter:index:Style" } } }
  }
}
JSON
cat >main.go <<'GO'
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strings"

	"github.com/blang/semver"
	java "github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// What Pulumi makes of a resource's state before a language's generator writes the program.
const program = `resource hi "greeter:index:Greeting" {
  style = { word = "hello" }
}
`

type loader struct{ pkg *schema.Package }

func (l loader) LoadPackage(string, *semver.Version) (*schema.Package, error) { return l.pkg, nil }
func (l loader) LoadPackageV2(context.Context, *schema.PackageDescriptor) (*schema.Package, error) {
	return l.pkg, nil
}
func (l loader) LoadPackageReference(string, *semver.Version) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}
func (l loader) LoadPackageReferenceV2(context.Context, *schema.PackageDescriptor) (schema.PackageReference, error) {
	return l.pkg.Reference(), nil
}

func bind() *schema.Package {
	var spec schema.PackageSpec
	text, err := os.ReadFile("schema.json")
	check(err)
	check(json.Unmarshal(text, &spec))
	languages := map[string]schema.Language{"java": java.Importer}
	pkg, problems, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	check(err)
	if problems.HasErrors() {
		panic(problems)
	}
	check(pkg.ImportLanguages(languages))
	return pkg
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	parser := syntax.NewParser()
	check(parser.ParseFile(strings.NewReader(program), "main.pp"))
	bound, problems, err := pcl.BindProgram(parser.Files, loader{bind()})
	check(err)
	if problems.HasErrors() {
		panic(problems)
	}
	written, _, err := java.GenerateProgram(bound)
	check(err)
	for _, contents := range written {
		for _, line := range regexp.MustCompile(`(?m)^import .*greeter.*$|^ *\.word\(.*$`).FindAllString(string(contents), -1) {
			fmt.Println("program:", strings.TrimSpace(line))
		}
	}
	sdk, err := java.GeneratePackage("pulumi", bind(), nil, nil, false, false)
	check(err)
	var lines []string
	for name, contents := range sdk {
		if !strings.HasSuffix(name, "inputs/StyleArgs.java") {
			continue
		}
		lines = append(lines, "SDK: "+regexp.MustCompile(`(?m)^package .*$`).FindString(string(contents)))
		for _, line := range regexp.MustCompile(`(?m)public Builder word\(.*\)`).FindAllString(string(contents), -1) {
			lines = append(lines, "SDK: "+line)
		}
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}
GO
# With the Pulumi that its generator is built on, 3.254.0 for 1.34.0.
go_program github.com/pulumi/pulumi-java@v1.34.0
shows ./show <<'SEEN'
program: import org.example.greeter.Greeting;
program: import org.example.greeter.GreetingArgs;
program: import com.pulumi.greeter.inputs.StyleArgs;
program: .word("hello")
SDK: package org.example.greeter.inputs;
SDK: public Builder word(@Nullable Output<Word> word)
SDK: public Builder word(Word word)
SEEN
