#!/usr/bin/env bash
# Guess: to mark a value as secret encrypts it in the state from the next `up` on, as it does for any resource.
# Seen: not in a stash. Its output keeps the first input together with the mark that this one had: what was stored as plain text stays
#   plain, in the state and in the stack's outputs, though the run says that the stash was updated. And what was secret stays so.
#   `additionalSecretOutputs: ["output"]` mends it.
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
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
cat >run.js <<'JS'
const { readFileSync } = require("node:fs");
const { dynamic, secret, Stash } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends dynamic.Resource {
  constructor(value) {
    super({ create: async ({ value }) => ({ id: "thing", outs: { value } }) }, "thing", { value });
    this.value = value;
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    program = declare;
    const { summary, outputs } = await stack.up();
    const { resources } = JSON.parse(readFileSync("backend/.pulumi/stacks/access/test.json")).checkpoint.latest;
    const ofType = (part) => resources.find(({ type }) => type.includes(part))?.outputs ?? {};
    const said = [ofType("Stash").output, ofType("dynamic").value].filter((value) => value !== undefined);
    const stored = said.map((value) => (typeof value === "string" ? "plain" : "encrypted"));
    const mark = Object.values(outputs).map(({ secret }) => `secret ${secret}`);
    console.log(`${label}: updated ${summary.resourceChanges.update ?? 0}; in state: ${stored}; output of the stack: ${mark}`);
  }
  const stash = (input, options) => () => ({ output: new Stash("token", { input }, options).output });
  const thing = (value) => () => ({ value: new Thing(value).value });
  await up("resource, plain", thing("example"));
  await up("resource, secret", thing(secret("example")));
  await up("stash, plain", stash("example"));
  await up("stash, secret", stash(secret("example")));
  await up("stash, another secret", stash(secret("another")));
  await up("stash, additionalSecretOutputs", stash(secret("another"), { additionalSecretOutputs: ["output"] }));
  await up("stash, plain again", stash("another"));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
resource, plain: updated 0; in state: plain; output of the stack: secret false
resource, secret: updated 0; in state: encrypted; output of the stack: secret true
stash, plain: updated 0; in state: plain; output of the stack: secret false
stash, secret: updated 1; in state: plain; output of the stack: secret false
stash, another secret: updated 1; in state: plain; output of the stack: secret false
stash, additionalSecretOutputs: updated 0; in state: encrypted; output of the stack: secret true
stash, plain again: updated 1; in state: encrypted; output of the stack: secret true
SEEN
