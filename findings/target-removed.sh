#!/usr/bin/env bash
# Guess: `up --target URN` of a resource that the program no longer has deletes it, or says why it can't.
# Seen: if another resource depended on it in the last run, and isn't a target itself, nothing is deleted, nothing is said, and the
#   run ends well, even though the program no longer has that dependency. `--exclude` of the other one keeps it as silently.
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
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ name }) => ({ id: name, outs: { name } }),
  delete: async (id) => require("node:fs").appendFileSync(`${__dirname}/calls`, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, { name }, options);
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  const urn = (name) => `urn:pulumi:test::access::pulumi-nodejs:dynamic:Resource::${name}`;
  async function run(label, options) {
    program = () => void new Thing("member", { dependsOn: new Thing("group") });
    await stack.up();
    require("node:fs").writeFileSync(calls, "");
    program = () => void new Thing("member");
    const { summary, stdout } = await stack.up(options);
    const told = /not deleted|depend/i.test(stdout) ? "told" : "not told";
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${told}`);
    process.stdout.write(require("node:fs").readFileSync(calls));
  }
  await run("no option", {});
  await run("--target group", { target: [urn("group")] });
  await run("--exclude member", { exclude: [urn("member")] });
  await run("--target group --target member", { target: [urn("group"), urn("member")] });
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
no option: {"delete":1,"same":2}, not told
  delete group
--target group: {"same":3}, not told
--exclude member: {"same":3}, not told
--target group --target member: {"delete":1,"same":2}, not told
  delete group
SEEN
