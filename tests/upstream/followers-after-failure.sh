#!/usr/bin/env bash
# docs/pulumi.md: no later run replaces a follower that a failure left out. If one does, the sentence can go.
# Guess: with `replaceWith`, a resource is replaced whenever the other one is. If the run fails in between, or has `--target`, a later
#   one makes up for it, as it does for a resource whose own inputs changed.
# Seen: it is replaced in the same run as the other, or never. After a failure, or a run that left it out, previews say that nothing
#   is to do, and a credential that was to be rotated with the other stays as it is.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const fs = require("node:fs");
const calls = `${__dirname}/calls`;
const handlers = {
  create: async ({ name, v }) => {
    if (require("node:fs").existsSync(`${__dirname}/refuse-${name}`)) throw new Error("refused");
    require("node:fs").appendFileSync(`${__dirname}/calls`, `  create ${name}\n`);
    return { id: name, outs: { name, v } };
  },
  delete: async (id) => require("node:fs").appendFileSync(`${__dirname}/calls`, `  delete ${id}\n`),
};
class Thing extends dynamic.Resource {
  constructor(name, v, options) {
    super(handlers, name, { name, v }, options);
  }
}
(async () => {
  let v = 1;
  const program = async () => {
    const secret = new Thing("secret", v, { replaceOnChanges: ["v"] });
    new Thing("follower", 1, { replaceWith: [secret] });
  };
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, options) {
    fs.writeFileSync(calls, "");
    const outcome = await stack.up(options).then(
      () => "ends well",
      () => "fails",
    );
    process.stdout.write(`${label}: ${outcome}\n${fs.readFileSync(calls)}`);
  }
  await run("at first");
  v = 2;
  await run("secret is replaced");
  v = 3;
  fs.writeFileSync("refuse-follower", "");
  await run("secret is replaced, and the follower refused");
  fs.rmSync("refuse-follower");
  await run("the next run");
  v = 4;
  const urn = (await stack.exportStack()).deployment.resources.find(({ id }) => id === "secret").urn;
  await run("secret is replaced, the only target", { target: [urn] });
  await run("the next run, without targets");
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
at first: ends well
  create secret
  create follower
secret is replaced: ends well
  create secret
  create follower
  delete follower
  delete secret
secret is replaced, and the follower refused: fails
  create secret
the next run: ends well
  delete secret
secret is replaced, the only target: ends well
  create secret
  delete secret
the next run, without targets: ends well
SEEN
