#!/usr/bin/env bash
# docs/pulumi.md: transforms and hooks of inline programs lack configuration. If they have it, the sentence can go.
# Guess: `getStack()`, `isDryRun()` and `Config` say the same wherever an inline program calls them; `apply` keeps to that.
# Seen: transforms and hooks run outside of the program's context. There the stack is named "stack", the project "project", no
#   configuration is set, and a preview is none. Nothing is said, so `if (getStack() === "prod")` or `if (!isDryRun())` decides wrongly.
#   A transform that adds a hook fails: "The Pulumi CLI does not support resource hooks".
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { Config, dynamic, getProject, getStack, mergeOptions, ResourceHook, runtime } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async () => ({ id: "thing", outs: {} }) };
class Thing extends dynamic.Resource {
  constructor(name, options) {
    super(handlers, name, {}, options);
  }
}
let lines = [];
const tell = (place) =>
  lines.push(`  ${place}: ${getStack()} of ${getProject()}, preview: ${runtime.isDryRun()}, size ${new Config().get("size") ?? "not set"}`);
async function run(label, operation) {
  lines = [];
  const outcome = await operation.then(
    () => "ends well",
    ({ message }) => `fails: ${/The Pulumi CLI.*hooks/.exec(message)?.[0]}`,
  );
  console.log([`${label}: ${outcome}`, ...lines].join("\n"));
}
(async () => {
  let hooks = () => ({ beforeCreate: [new ResourceHook("hook", () => tell("hook"), { onDryRun: true })] });
  let transform = () => void tell("transform");
  const stack = await LocalWorkspace.createStack({
    stackName: "prod",
    projectName: "access",
    program: async () => {
      tell("program");
      new Thing("thing", { hooks: hooks(), transforms: [transform] }).id.apply(() => tell("apply"));
    },
  });
  await stack.setConfig("size", { value: "3" });
  await run("preview", stack.preview());
  await run("up", stack.up());
  const hook = () => new ResourceHook("added", () => {});
  hooks = () => ({});
  transform = ({ props, opts }) => ({ props, opts: mergeOptions(opts, { hooks: { beforeUpdate: [hook()] } }) });
  await run("a transform that adds a hook", stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
preview: ends well
  program: prod of access, preview: true, size 3
  transform: stack of project, preview: false, size not set
  hook: stack of project, preview: false, size not set
up: ends well
  program: prod of access, preview: false, size 3
  transform: stack of project, preview: false, size not set
  hook: stack of project, preview: false, size not set
  apply: prod of access, preview: false, size 3
a transform that adds a hook: fails: The Pulumi CLI does not support resource hooks
  program: prod of access, preview: false, size 3
SEEN
