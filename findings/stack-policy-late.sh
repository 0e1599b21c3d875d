#!/usr/bin/env bash
# Guess: a mandatory policy holds a run before it does what the policy forbids. A policy of the whole stack is asked when all resources are
#   known, and before anything is deleted.
# Seen: without a preview, as with `--skip-preview` or from the Automation API, it is asked after everything, the deletes too, and fails a
#   run that is done. What the policy needed is gone. A policy of one resource does hold the run.
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
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0 @pulumi/policy@1.21.0
cp node_modules/@pulumi/pulumi/pulumi-resource-pulumi-nodejs .

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true
export CALLS="$tmp/calls"
mkdir rules
echo '{ "name": "rules", "version": "1.0.0" }' >rules/package.json
echo 'runtime: nodejs' >rules/PulumiPolicy.yaml
cat >rules/index.js <<'JS'
const { appendFileSync } = require("node:fs");
const { PolicyPack } = require("@pulumi/policy");
const isThing = ({ type }) => type.includes("dynamic:Resource");
const validateStack = ({ resources }, report) => {
  appendFileSync(process.env.CALLS, "  policy of the stack\n");
  if (!resources.some(({ name }) => name === "owners")) report("A stack needs owners.");
};
const validateResource = ({ type, props }, report) => {
  if (isThing({ type }) && props.size > 9) report("Too large.");
};
const common = { description: "A rule.", enforcementLevel: "mandatory" };
new PolicyPack("rules", {
  policies: [
    { ...common, name: "owners", validateStack },
    { ...common, name: "size", validateResource },
  ],
});
JS
cat >rules/run <<'SH'
#!/usr/bin/env bash
cd "$(dirname "$0")" && exec node ../node_modules/@pulumi/pulumi/cmd/run-policy-pack "$1" .
SH
chmod +x rules/run
cat >run.js <<'JS'
const { readFileSync, writeFileSync } = require("node:fs");
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = {
  create: async ({ name }) => {
    require("node:fs").appendFileSync(process.env.CALLS, `  create ${name}\n`);
    return { id: name, outs: {} };
  },
  delete: async (id) => require("node:fs").appendFileSync(process.env.CALLS, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(name, size = 1) {
    super(handlers, name, { name, size });
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    writeFileSync(process.env.CALLS, "");
    program = declare;
    const outcome = await stack.up({ parallel: 1, policyPacks: [`${__dirname}/rules/run`] }).then(() => "ends well", () => "fails");
    console.log(`${label}: ${outcome}`);
    process.stdout.write(readFileSync(process.env.CALLS));
    const { deployment } = await stack.exportStack();
    console.log(`  in state: ${deployment.resources.flatMap(({ inputs }) => inputs?.name ?? []).sort()}`);
  }
  await up("with owners", () => ["owners", "sales"].forEach((name) => new Thing(name)));
  await up("one too large", () => [new Thing("owners"), new Thing("audit", 10)]);
  await up("without owners", () => ["sales", "support"].forEach((name) => new Thing(name)));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
with owners: ends well
  create owners
  create sales
  policy of the stack
  in state: owners,sales
one too large: fails
  in state: owners,sales
without owners: fails
  create support
  delete owners
  policy of the stack
  in state: sales,support
SEEN
