#!/usr/bin/env bash
# docs/pulumi.md: `dependsOn` a component misses children of an `apply`. If it waits, the exception can go.
# Guess: `dependsOn: [component]` waits for all children of the component, those that it declares in an `apply` too: the engine knows
#   whose they are.
# Seen: it waits for the children declared so far. A child that waits for an output is missed, in silence: what depends on the
#   component is made first, and its state lists no such dependency, so later runs and deletes don't keep the order either.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { ComponentResource, dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const calls = `${__dirname}/calls`;
const note = (call) => require("node:fs").appendFileSync(calls, `  ${call}\n`);
const handlers = {
  create: async ({ v }) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    note(`create ${v}`);
    return { id: v, outs: { v } };
  },
  delete: async (id) => note(`delete ${id}`),
};
class Thing extends dynamic.Resource {
  constructor(v, options) {
    super(handlers, v, { v }, options);
  }
}
class Team extends ComponentResource {
  constructor(name, declare) {
    super("example:index:Team", name);
    declare(this);
  }
}
const CHILDREN = {
  "declared at once": (parent, first) => void new Thing("child", { parent, dependsOn: first }),
  "declared in an apply": (parent, first) => void first.id.apply(() => void new Thing("child", { parent })),
};
(async () => {
  for (const [label, declare] of Object.entries(CHILDREN)) {
    require("node:fs").writeFileSync(calls, "");
    const program = async () => {
      const first = new Thing("first");
      new Thing("after", { dependsOn: [new Team("team", (team) => declare(team, first))] });
    };
    const stackName = label.replaceAll(" ", "-");
    const stack = await LocalWorkspace.createStack({ stackName, projectName: "access", program });
    await stack.up();
    const { deployment } = await stack.exportStack();
    const { dependencies = [] } = deployment.resources.find(({ urn }) => urn.endsWith("::after"));
    console.log(`${label}; "after" depends on: ${dependencies.map((urn) => urn.split("::").pop()).join(", ") || "nothing"}`);
    process.stdout.write(require("node:fs").readFileSync(calls));
  }
  process.exit();
})();
JS
shows node run.js <<'SEEN'
declared at once; "after" depends on: child
  create first
  create child
  create after
declared in an apply; "after" depends on: nothing
  create first
  create after
  create child
SEEN
