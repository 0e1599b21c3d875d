// Generates an SDK from a package schema as `pulumi package add` does, with the code that Pulumi's language hosts
// use: go run . SCHEMA LANGUAGE FOLDER.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const tool = "pulumi"

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: generate SCHEMA go|python FOLDER"))
	}
	files, err := generate(os.Args[1], os.Args[2])
	if err != nil {
		fail(err)
	}
	for name, contents := range files {
		path := filepath.Join(os.Args[3], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(path, contents, 0o644); err != nil {
			fail(err)
		}
	}
}

func generate(file, language string) (map[string][]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	bound, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if len(diagnostics) > 0 {
		return nil, diagnostics
	}
	switch language {
	case "go":
		return gen.GeneratePackage(tool, bound, nil)
	case "python":
		return python.GeneratePackage(tool, bound, nil, nil)
	}
	return nil, fmt.Errorf("no SDKs for %s", language)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
