#!/usr/bin/env bash
# docs/pulumi.md: `--target` of what left the program can keep it in silence. If it doesn't, the sentence can go.
# Guess: `up --target URN` of a resource that the program no longer has deletes it, or says why it can't.
# Seen: if another resource depended on it in the last run, and isn't a target itself, nothing is deleted, nothing is said, and the
#   run ends well, even though the program no longer has that dependency. `--exclude` of the other one keeps it as silently.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { calls, stackOf, Thing } = require("./things.cjs");
(async () => {
  let program;
  const stack = await stackOf(() => program());
  const urn = (name) => `urn:pulumi:test::access::pulumi-nodejs:dynamic:Resource::${name}`;
  async function run(label, options) {
    program = () => void new Thing("member", { dependsOn: new Thing("group") });
    await stack.up();
    calls();
    program = () => void new Thing("member");
    const { summary, stdout } = await stack.up(options);
    const told = /not deleted|depend/i.test(stdout) ? "told" : "not told";
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${told}`);
    process.stdout.write(calls());
  }
  await run("no option", {});
  await run("--target group", { target: [urn("group")] });
  await run("--exclude member", { exclude: [urn("member")] });
  await run("--target group --target member", { target: [urn("group"), urn("member")] });
  process.exit();
})();
JS
shows node run.js <<'SEEN'
no option: {"delete":1,"same":2}, not told
  delete group
--target group: {"same":3}, not told
--exclude member: {"same":3}, not told
--target group --target member: {"delete":1,"same":2}, not told
  delete group
SEEN
