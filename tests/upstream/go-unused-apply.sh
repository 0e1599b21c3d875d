#!/usr/bin/env bash
# docs/languages.md: use each `ApplyT` that checks something. If its error ends the run, the line can go.
# Guess: an error that a function given to `ApplyT` returns fails the run, as a throw in `apply` does in TypeScript.
# Seen: in Go only if something uses the result: a resource, an export. A check whose result nobody uses says no to no one. The run
#   changes what the check should have stopped, prints nothing, and ends well.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

# A stash is a resource of the engine itself, so no provider has a say in this.
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func small(groups interface{}) (int, error) {
	if count := len(groups.([]interface{})); count > 2 {
		return 0, fmt.Errorf("%d groups are too many", count)
	}
	return 0, nil
}

func up(label string, check func(*pulumi.Context, pulumi.Output)) {
	program := func(ctx *pulumi.Context) error {
		groups := pulumi.ToStringArray([]string{"sales", "support", "audit"})
		stash, err := pulumi.NewStash(ctx, "groups", &pulumi.StashArgs{Input: groups})
		if err != nil {
			return err
		}
		check(ctx, stash.Output)
		return nil
	}
	ctx := context.Background()
	stack, err := auto.UpsertStackInlineSource(ctx, "go", "access", program)
	if err != nil {
		panic(err)
	}
	result, err := stack.Up(ctx)
	outcome := "ends well"
	if err != nil {
		outcome = "fails"
	}
	text := fmt.Sprint(result.StdOut, result.StdErr, err)
	fmt.Printf("%s: %s, says why: %t\n", label, outcome, strings.Contains(text, "3 groups are too many"))
}

func main() {
	up("unused result", func(_ *pulumi.Context, groups pulumi.Output) { groups.ApplyT(small) })
	up("exported result", func(ctx *pulumi.Context, groups pulumi.Output) { ctx.Export("check", groups.ApplyT(small)) })
}
GO
cat >index.js <<'JS'
const { Stash } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const program = async () => {
  new Stash("groups", { input: ["sales", "support", "audit"] }).output.apply((groups) => {
    if (groups.length > 2) throw new Error(`${groups.length} groups are too many`);
  });
};
(async () => {
  const stack = await LocalWorkspace.createStack({ stackName: "node", projectName: "access", program });
  const [outcome, text] = await stack.up().then(
    ({ stdout }) => ["ends well", stdout],
    ({ message }) => ["fails", message],
  );
  console.log(`unused result: ${outcome}, says why: ${text.includes("3 groups are too many")}`);
  process.exit();
})();
JS
go_program github.com/pulumi/pulumi/sdk/v3@v3.276.0
{ echo Go && ./show && echo Node.js && node index.js; } | tee seen
diff seen - <<'SEEN'
Go
unused result: ends well, says why: false
exported result: fails, says why: true
Node.js
unused result: fails, says why: true
SEEN
