#!/usr/bin/env bash
# Guess: `--exclude` of a component leaves alone what belongs to the component.
# Seen: it spares the component's own entry, which is nothing outside of the state. `up` changes the children, and `destroy` deletes them and
#   keeps the empty component. `--target` of a component goes the other way: `up` changes no child, and `destroy` refuses because of them.
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
# The Automation API destroys with a CLI that knows its version only.
version="-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.274.1"
(cd cli && go build -ldflags "$version" -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
cat >run.js <<'JS'
const { ComponentResource, Stash } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
// A stash is a resource of the engine itself, so no provider has a say in this.
const program = (input) => async () => {
  const team = new ComponentResource("example:index:Team", "team");
  new Stash("sales", { input }, { parent: team });
};
const URN = "urn:pulumi:test::access::example:index:Team::team";
(async () => {
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: program("first") });
  async function run(label, operation) {
    const outcome = await operation.then(({ summary }) => `${summary.result}, ${JSON.stringify(summary.resourceChanges)}`, () => "fails");
    const { deployment } = await stack.exportStack();
    const entries = deployment.resources.map(({ urn, inputs }) => `${urn.split("::").at(-1)} ${inputs?.input ?? ""}`.trim());
    console.log(`${label}: ${outcome}; in state: ${entries.filter((entry) => entry !== "access-test").sort().join(", ")}`);
  }
  await run("up", stack.up());
  stack.workspace.program = program("second");
  await run("up, target", stack.up({ target: [URN] }));
  await run("up, exclude", stack.up({ exclude: [URN] }));
  await run("destroy, target", stack.destroy({ target: [URN] }));
  await run("destroy, exclude", stack.destroy({ exclude: [URN] }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: succeeded, {"create":3}; in state: default, sales first, team
up, target: succeeded, {"same":3}; in state: default, sales first, team
up, exclude: succeeded, {"same":2,"update":1}; in state: default, sales second, team
destroy, target: fails; in state: default, sales second, team
destroy, exclude: succeeded, {"delete":1,"same":2}; in state: team
SEEN
