#!/usr/bin/env bash
# provider/pulumi/host/check.ts: sends requests only if it must. If checks run at once, it can send more.
# Guess: with `--parallel 32`, what a provider does for 32 resources runs at once.
# Seen: that holds for `create` and `read`. `check` and `diff` run one after another whatever `--parallel` says, so a
#   provider that asks a server in them costs a round trip a resource, in each preview.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
cat >index.js <<'JS'
const { dynamic } = require("@pulumi/pulumi");
const folder = __dirname;
// The handlers' process keeps the counts, and leaves the highest in a file for each handler.
const during = async (handler, result) => {
  globalThis.counts = globalThis.counts || {};
  const count = (globalThis.counts[handler] = globalThis.counts[handler] || { running: 0, most: 0 });
  count.running++;
  count.most = Math.max(count.most, count.running);
  const isCheap = handler === "check" || handler === "diff";
  await new Promise((resolve) => setTimeout(resolve, isCheap ? 50 : 1000));
  count.running--;
  require("node:fs").writeFileSync(`${folder}/most-${handler}`, String(count.most));
  return result;
};
const handlers = {
  check: (_olds, inputs) => during("check", { inputs }),
  diff: (_id, olds, news) => during("diff", { changes: olds.run !== news.run }),
  create: (inputs) => during("create", { id: "1", outs: inputs }),
  update: (_id, _olds, news) => during("update", { outs: news }),
  read: (id, props) => during("read", { id, props }),
};
class Thing extends dynamic.Resource {}
for (let i = 0; i < 32; i++) new Thing(handlers, `thing-${i}`, { run: process.env.RUN });
JS
pulumi stack init test >log 2>&1
for run in "up 1" "refresh 1" "up 2"; do
  read -r command RUN <<<"$run"
  RUN=$RUN pulumi "$command" --yes --skip-preview --parallel 32 >log 2>&1 || { cat log && exit 1; }
done
for handler in check diff create update read; do
  most=$(<"most-$handler")
  echo "$handler: $most at once" >&2
  echo "$handler: $([[ $most == 1 ]] && echo one || echo many) at a time"
done | tee seen
diff seen - <<'SEEN'
check: one at a time
diff: one at a time
create: many at a time
update: many at a time
read: many at a time
SEEN
