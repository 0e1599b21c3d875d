#!/usr/bin/env bash
# docs/pulumi.md: a remediation must copy arrays first. If array methods work, the sentence can go.
# Guess: `args.props` of a policy is plain data, so what works in `validateResource` works in `remediateResource`.
# Seen: in a remediation, array methods that make an array throw: map, filter, slice, concat, flat. Loops, spread
#   and Array.from work.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
echo '{ "name": "pack", "version": "1.0.0" }' >package.json
echo 'runtime: nodejs' >PulumiPolicy.yaml
packages @pulumi/policy@1.21.0 @pulumi/pulumi@3.276.0

cat >index.js <<'JS'
const { appendFileSync } = require("node:fs");
const { PolicyPack } = require("@pulumi/policy");
const ways = {
  map: (list) => list.map((item) => item),
  filter: (list) => list.filter((item) => item !== "b"),
  slice: (list) => list.slice(),
  concat: (list) => list.concat(["c"]),
  flat: (list) => list.flat(),
  spread: (list) => [...list],
  "Array.from": (list) => Array.from(list),
  sort: (list) => list.sort(),
  includes: (list) => list.includes("a"),
};
const throws = (way, list) => {
  try {
    way(list);
    return false;
  } catch (error) {
    return error instanceof TypeError;
  }
};
const tell = (where) => (args) => {
  const names = Object.keys(ways).filter((name) => throws(ways[name], args.props.list));
  appendFileSync("seen", `${where}, TypeError from: ${names.join(", ") || "none"}\n`);
};
const common = { description: "Tells which ways to use a list throw." };
new PolicyPack("pack", {
  policies: [
    { ...common, name: "validate", enforcementLevel: "advisory", validateResource: tell("validate") },
    { ...common, name: "remediate", enforcementLevel: "remediate", remediateResource: tell("remediate") },
  ],
});
JS
cat >engine.cjs <<'JS'
const { spawn } = require("node:child_process");
const { credentials } = require("@grpc/grpc-js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { AnalyzerClient } = require("@pulumi/pulumi/proto/analyzer_grpc_pb");
const { AnalyzeRequest, AnalyzerResourceOptions } = require("@pulumi/pulumi/proto/analyzer_pb");
const pack = spawn(process.execPath, [require.resolve("@pulumi/pulumi/cmd/run-policy-pack"), "127.0.0.1:1", "."], {
  stdio: ["ignore", "pipe", "inherit"],
});
pack.stdout.once("data", async (port) => {
  const client = new AnalyzerClient(`127.0.0.1:${Number(port)}`, credentials.createInsecure());
  const request = new AnalyzeRequest();
  request.setType("pkg:index:Thing");
  request.setUrn("urn:pulumi:stack::project::pkg:index:Thing::thing");
  request.setOptions(new AnalyzerResourceOptions());
  request.setProperties(Struct.fromJavaScript({ list: ["a", "b"] }));
  for (const method of ["analyze", "remediate"])
    await new Promise((resolve) => client[method](request, (error) => resolve(error && console.error(error))));
  pack.kill();
});
JS
node engine.cjs
cat seen
diff seen - <<'SEEN'
validate, TypeError from: none
remediate, TypeError from: map, filter, slice, concat, flat
SEEN
