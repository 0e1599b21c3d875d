#!/usr/bin/env bash
# docs/languages.md: an `import` that replaces fails in every `up`. If the preview refuses it, the sentence can go.
# Guess: a preview that ends well, of an `import` whose program asks for a replacement, is what `up` does; or the preview refuses it.
# Seen: the preview ends well: it imports and replaces. `up` imports, fails, and leaves the import in the state: "previously-imported
#   resources that still specify an ID may not be replaced". From then on each preview shows the replacement, and each
#   `up` fails. Once `import` is taken out, as the message says, the imported object is deleted.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin
export REPLACES=owner

cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends CustomResource {
  constructor(owner, options) {
    super("thing:index:Thing", "thing", { owner }, options);
  }
}
(async () => {
  let options = { import: "first" };
  const program = async () => void new Thing("bob", options);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, operation) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    const outcome = await operation().then(
      ({ changeSummary, summary }) => JSON.stringify(changeSummary ?? summary.resourceChanges),
      ({ message }) => `fails: ${/error: (previously[^;]*)/.exec(message)?.[1]}`,
    );
    const { deployment } = await stack.exportStack();
    const { id } = (deployment.resources ?? []).find(({ type }) => type === "thing:index:Thing") ?? {};
    console.log(`${label}: ${outcome}; in state: ${id ?? "nothing"}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await run("preview", () => stack.preview());
  await run("up", () => stack.up());
  await run("preview", () => stack.preview());
  await run("up", () => stack.up());
  options = {};
  await run("up without import", () => stack.up());
  process.exit();
})();
JS
shows node run.js <<'SEEN'
preview: {"create":1,"import":1,"replace":1}; in state: nothing
  read first
up: fails: previously-imported resources that still specify an ID may not be replaced; in state: first
  read first
preview: {"replace":1,"same":1}; in state: first
up: fails: previously-imported resources that still specify an ID may not be replaced; in state: first
up without import: {"replace":1,"same":1}; in state: made
  create
  delete first
SEEN
