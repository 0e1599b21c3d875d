#!/usr/bin/env bash
# scripts/schema.mjs: descriptions don't refer to settings. If Java's host takes that, they can.
# Guess: a reference in a description, `{{% ref #/… %}}`, is a matter of wording, and each generator writes the name as
#   its language does.
# Seen: with Pulumi 3.254, on which Java's host 1.34.0 is built, a reference to an input of the provider is an error, and
#   no SDK is generated. 3.274.1 takes it. Java's generator copies all other references into Javadoc as they are.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
schema() { # PLACE OF THE REFERENCE
  cat <<JSON
{
  "name": "greeter",
  "version": "1.0.0",
  "provider": { "inputProperties": { "greetingWord": { "type": "string" } } },
  "resources": {
    "greeter:index:Greeting": {
      "description": "Says {{% ref $1 %}}.",
      "inputProperties": { "greetingWord": { "type": "string" } }
    }
  },
  "language": { "java": { "basePackage": "org.example" } }
}
JSON
}
schema '#/provider/inputProperties/greetingWord' >provider.json
schema '#/resources/greeter:index:Greeting/inputProperties/greetingWord' >resource.json

program() { # LANGUAGE, PACKAGE, CALL
  cat <<GO
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"

	gen "$2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	var spec schema.PackageSpec
	text, _ := os.ReadFile(os.Args[1])
	if err := json.Unmarshal(text, &spec); err != nil {
		panic(err)
	}
	spec.Meta = &schema.MetadataSpec{SupportPack: true}
	pkg, problems, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		panic(err)
	}
	// Language hosts stop here.
	if problems.HasErrors() {
		fmt.Println("$1:", regexp.MustCompile("invalid doc ref: [^;]*").FindString(problems.Error()))
		return
	}
	files, err := $3
	if err != nil {
		panic(err)
	}
	for _, contents := range files {
		if found := regexp.MustCompile("Says .*[.]").Find(contents); found != nil {
			fmt.Printf("$1: %s\n", found)
			return
		}
	}
}
GO
}
mkdir java python
program Java github.com/pulumi/pulumi-java/pkg/codegen/java \
  'gen.GeneratePackage("pulumi", pkg, nil, nil, false, false)' >java/main.go
program Python github.com/pulumi/pulumi/pkg/v3/codegen/python \
  'gen.GeneratePackage("pulumi", pkg, nil, nil)' >python/main.go
(cd java && go_program github.com/pulumi/pulumi-java@v1.34.0)
(cd python && go_program github.com/pulumi/pulumi/pkg/v3@v3.274.1)
for place in provider resource; do
  echo "A reference to an input of the $place"
  java/show $place.json
  python/show $place.json
done | tee seen
diff seen - <<'SEEN'
A reference to an input of the provider
Java: invalid doc ref: #/provider/inputProperties/greetingWord
Python: Says ProviderArgs.greeting_word.
A reference to an input of the resource
Java: Says {{% ref #/resources/greeter:index:Greeting/inputProperties/greetingWord %}}.
Python: Says greeting_word.
SEEN
