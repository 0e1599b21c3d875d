#!/usr/bin/env bash
# Guess: a unit test with `pulumi.runtime.setMocks` runs what the program registers, so a guardrail that is a transform
#   is tested with it.
# Seen: transforms are never called, without a word; the older transformations are. A program with a resource hook
#   fails. What `additionalSecretOutputs` names isn't secret, and with `preview` true a new resource has its id.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

cat >show.cjs <<'JS'
const { CustomResource, ResourceHook, output, runtime } = require("@pulumi/pulumi");
const isPreview = true;
const mocks = {
  newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: { ...inputs, password: "generated" } }),
  call: () => ({}),
};
runtime.setMocks(mocks, "project", "stack", isPreview);

class Database extends CustomResource {
  constructor(name, args, options) {
    super("pkg:index:Database", name, { isPublic: undefined, password: undefined, ...args }, options);
  }
}
const closed = ({ props, opts }) => ({ props: { ...props, isPublic: false }, opts });
const valueOf = (of) => new Promise((resolve) => output(of).apply(resolve));
const uses = {
  async "a transform of the resource"() {
    const { isPublic } = new Database("db", { isPublic: true }, { transforms: [closed] });
    return `isPublic ${await valueOf(isPublic)}`;
  },
  async "a transform of the stack"() {
    let isPublic;
    await runtime.runInPulumiStack(async () => {
      runtime.registerResourceTransform(closed);
      isPublic = await valueOf(new Database("db", { isPublic: true }).isPublic);
    });
    return `isPublic ${isPublic}`;
  },
  async "a transformation of the resource"() {
    const { isPublic } = new Database("db", { isPublic: true }, { transformations: [closed] });
    return `isPublic ${await valueOf(isPublic)}`;
  },
  async "a secret output"() {
    const { password } = new Database("db", {}, { additionalSecretOutputs: ["password"] });
    return `secret ${await password.isSecret}`;
  },
  async "a preview"() {
    const { id } = new Database("db", {});
    return `dry run ${runtime.isDryRun()}, id known ${await id.isKnown}`;
  },
  "a hook": () =>
    new Promise((resolve) => {
      process.once("unhandledRejection", ({ name, message }) => resolve(`${name}: ${message}`));
      const hook = new ResourceHook("ready", async () => resolve("called"));
      new Database("db", {}, { hooks: { afterCreate: [hook] } }).id.apply(() => resolve("not called"));
    }),
};
const use = process.argv[2];
uses[use]().then((seen) => {
  console.log(`${use}: ${seen}`);
  process.removeAllListeners("exit").exit(0);
});
JS
for use in "a transform of the resource" "a transform of the stack" "a transformation of the resource" \
  "a secret output" "a preview" "a hook"; do
  node show.cjs "$use" 2>>log
done | tee seen
diff seen - <<'SEEN'
a transform of the resource: isPublic true
a transform of the stack: isPublic true
a transformation of the resource: isPublic false
a secret output: secret false
a preview: dry run true, id known true
a hook: TypeError: this._monitor.registerResourceHook is not a function
SEEN
