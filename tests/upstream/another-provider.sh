#!/usr/bin/env bash
# provider/pulumi/host/state.ts: a resource refuses another tenant than its state's. If Pulumi replaces it, the refusal can go.
# Guess: a resource that moves to another provider, which is another tenant's, is replaced: made there, deleted here.
# Seen: it is "unchanged", and from then on belongs to the provider of the other tenant, which doesn't have it. The next delete goes to the
#   wrong tenant, and the object stays where it was. Replaced is only what the provider's own `DiffConfig` asks for, and the SDK's host of
#   dynamic providers has none.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

export CALLS="$tmp/calls"
cat >run.js <<'JS'
const { readFileSync, writeFileSync } = require("node:fs");
const { dynamic, ProviderResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Handlers {
  configure({ config }) {
    globalThis.tenant = config.get("access:tenant");
  }
  async create() {
    require("node:fs").appendFileSync(process.env.CALLS, `  create in ${globalThis.tenant}\n`);
    return { id: "role", outs: {} };
  }
  async delete(id) {
    require("node:fs").appendFileSync(process.env.CALLS, `  delete in ${globalThis.tenant}\n`);
  }
}
const handlers = new Handlers();
class Role extends dynamic.Resource {
  constructor(provider) {
    super(handlers, "role", {}, { provider });
  }
}
const tenant = (name) => new ProviderResource("pulumi-nodejs", name, { "access:tenant": name });
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    writeFileSync(process.env.CALLS, "");
    program = declare;
    const { summary, stdout } = await stack.up();
    const warnings = stdout.match(/warning: .*/g)?.length ?? 0;
    const { deployment } = await stack.exportStack();
    const role = deployment.resources.find(({ id }) => id === "role");
    const holder = role ? `, the role belongs to ${role.provider.split("::").at(-2)}` : "";
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${warnings} warnings${holder}`);
    process.stdout.write(readFileSync(process.env.CALLS));
  }
  const both = () => ({ eu: tenant("eu"), us: tenant("us") });
  await up("in eu", () => void new Role(both().eu));
  await up("moves to us", () => void new Role(both().us));
  await up("leaves the program", () => void both());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
in eu: {"create":4}, 0 warnings, the role belongs to eu
  create in eu
moves to us: {"same":4}, 0 warnings, the role belongs to us
leaves the program: {"delete":1,"same":3}, 0 warnings
  delete in us
SEEN
