#!/usr/bin/env bash
# docs/languages.md: another id in `import` deletes the former object. If it doesn't, the sentence can go.
# Guess: `import` only takes over what is there, so to mend its id, or to add it to a resource that exists, is safe: the program
#   and the inputs stay the same.
# Seen: with an id that isn't the one of the state the engine takes over the other object and deletes the former one, even one
#   that it never made but imported itself. The preview calls it a replacement.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin

cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends CustomResource {
  constructor(options) {
    super("thing:index:Thing", "thing", { owner: "ada" }, options);
  }
}
(async () => {
  let options;
  const program = async () => void (options && new Thing(options));
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, now) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    options = now;
    const { summary } = await stack.up();
    const { same, ...changes } = summary.resourceChanges;
    console.log(`${label}: ${JSON.stringify(changes)}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await run("import: first", { import: "first" });
  await run("import: second", { import: "second" });
  await run("no import any more", {});
  options = undefined;
  await stack.up();
  await run("made without import", {});
  await run("import: third", { import: "third" });
  process.exit();
})();
JS
shows node run.js <<'SEEN'
import: first: {"create":1,"import":1}
  read first
import: second: {"replace":1}
  read second
  delete first
no import any more: {}
made without import: {"create":1}
  create
import: third: {"replace":1}
  read third
  delete made
SEEN
