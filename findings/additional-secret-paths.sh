#!/usr/bin/env bash
# Guess: `additionalSecretOutputs` takes paths, such as `login.token`, as `ignoreChanges` and `replaceOnChanges` do, or refuses them.
# Seen: it takes names of whole outputs alone. A path, as any name that no output has, is stored with the resource and has no effect: the
#   token is plain text in the state, and nothing warns of it.
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
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = {
  create: async () => ({ id: "account", outs: { login: { name: "ada", token: "example" } } }),
};
class Account extends dynamic.Resource {
  constructor(options) {
    super(handlers, "account", { login: undefined }, options);
  }
}
(async () => {
  let options;
  const program = async () => void new Account(options);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function up(label, change) {
    options = change;
    const { summary, stdout } = await stack.up();
    const { resources } = JSON.parse(readFileSync("backend/.pulumi/stacks/access/test.json")).checkpoint.latest;
    const { outputs } = resources.find(({ id }) => id === "account");
    const isPlain = outputs.login.token === "example";
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, warnings: ${stdout.match(/warning/g)?.length ?? 0}, the token is ${isPlain ? "plain" : "encrypted"}`);
  }
  await up("login.token", { additionalSecretOutputs: ["login.token"] });
  await up('login["token"]', { additionalSecretOutputs: ['login["token"]'] });
  await up("login", { additionalSecretOutputs: ["login"] });
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
login.token: {"create":2}, warnings: 0, the token is plain
login["token"]: {"same":2}, warnings: 0, the token is plain
login: {"same":2}, warnings: 0, the token is encrypted
SEEN
