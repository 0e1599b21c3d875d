#!/usr/bin/env bash
# docs/pulumi.md: no later run replaces a follower that a failure left out. If one does, the sentence can go.
# Guess: with `replaceWith`, a resource is replaced whenever the other one is. If the run fails in between, or has `--target`, a later
#   one makes up for it, as it does for a resource whose own inputs changed.
# Seen: it is replaced in the same run as the other, or never. After a failure, or a run that left it out, previews say that nothing
#   is to do, and a credential that was to be rotated with the other stays as it is.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
things

cat >run.js <<'JS'
const { rmSync, writeFileSync } = require("node:fs");
const { run, stackOf, Thing } = require("./things.cjs");
(async () => {
  let v = 1;
  const stack = await stackOf(() => {
    const secret = new Thing("secret", { v, replaceOnChanges: ["v"] });
    new Thing("follower", { replaceWith: [secret] });
  });
  const up = (label, options) => run(label, () => stack.up(options));
  await up("at first");
  v = 2;
  await up("secret is replaced");
  v = 3;
  writeFileSync("refuse-create-follower", "");
  await up("secret is replaced, and the follower refused");
  rmSync("refuse-create-follower");
  await up("the next run");
  v = 4;
  const { urn } = (await stack.exportStack()).deployment.resources.find(({ id }) => id === "secret 3");
  await up("secret is replaced, the only target", { target: [urn] });
  await up("the next run, without targets");
  process.exit();
})();
JS
shows node run.js <<'SEEN'
at first: ends well
  create secret 1
  create follower
secret is replaced: ends well
  create secret 2
  create follower
  delete follower
  delete secret 1
secret is replaced, and the follower refused: fails
  create secret 3
  create follower, refused
the next run: ends well
  delete secret 2
secret is replaced, the only target: ends well
  create secret 4
  delete secret 3
the next run, without targets: ends well
SEEN
