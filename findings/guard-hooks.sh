#!/usr/bin/env bash
# Guess: a hook guards what it stands before. `beforeDelete` runs for a delete that is going to happen, also of an old object that this run
#   replaces, and a `beforeCreate` that throws leaves things as they are.
# Seen: `beforeDelete` does its work first, and then `protect` refuses the delete. Added in the run that replaces, it isn't called for the
#   old object, which is deleted. With `deleteBeforeReplace`, `beforeCreate` throws when the old object is gone.
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
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
export CALLS="$tmp/calls"
cat >run.js <<'JS'
const { appendFileSync, readFileSync, writeFileSync } = require("node:fs");
const { dynamic, ResourceHook } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = {
  diff: async (id, { owner }, { owner: wanted }) => ({ changes: owner !== wanted, replaces: owner === wanted ? [] : ["owner"] }),
  create: async ({ owner }) => {
    require("node:fs").appendFileSync(process.env.CALLS, `  create ${owner}\n`);
    return { id: owner, outs: { owner } };
  },
  delete: async (id) => require("node:fs").appendFileSync(process.env.CALLS, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(owner, options) {
    super(handlers, "thing", { owner }, options);
  }
}
const tell = (line) => appendFileSync(process.env.CALLS, `  ${line}\n`);
const hook = (name, refuse) =>
  new ResourceHook(name, () => {
    tell(`hook ${name}`);
    if (refuse) throw new Error("refused");
  });
async function scene(label, stackName, first, operate) {
  let program = first;
  const stack = await LocalWorkspace.createStack({ stackName, projectName: "access", program: async () => program() });
  await stack.up();
  writeFileSync(process.env.CALLS, "");
  const outcome = await operate(stack, (next) => (program = next)).then(() => "ends well", () => "fails");
  console.log(`${label}: ${outcome}`);
  process.stdout.write(readFileSync(process.env.CALLS));
}
(async () => {
  const guarded = () => void new Thing("ada", { protect: true, hooks: { beforeDelete: [hook("beforeDelete", false)] } });
  await scene("destroy of what is protected", "one", guarded, (stack) => stack.destroy({ runProgram: true }));
  const plain = () => void new Thing("ada");
  await scene("replaced, with a new beforeDelete that throws", "two", plain, (stack, change) => {
    change(() => void new Thing("bob", { hooks: { beforeDelete: [hook("beforeDelete", true)] } }));
    return stack.up();
  });
  await scene("deleted first, with a beforeCreate that throws", "three", plain, (stack, change) => {
    change(() => void new Thing("bob", { deleteBeforeReplace: true, hooks: { beforeCreate: [hook("beforeCreate", true)] } }));
    return stack.up();
  });
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
destroy of what is protected: fails
  hook beforeDelete
replaced, with a new beforeDelete that throws: ends well
  create bob
  delete ada
deleted first, with a beforeCreate that throws: fails
  delete ada
  hook beforeCreate
SEEN
