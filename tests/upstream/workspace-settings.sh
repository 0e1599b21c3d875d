#!/usr/bin/env bash
# docs/pulumi.md: `stackSettings` replaces the stack's file. If it adds to it, the sentence can go.
# Guess: `stackSettings` of a workspace adds to the stack's settings or changes some, and `projectName` of an inline program is the project's.
# Seen: `stackSettings` replaces the file. `createOrSelectStack` with one key of configuration takes away all others, secrets and their salt
#   too, and `up` ends well without them. `projectName` counts only where the folder has no Pulumi.yaml: one of another name wins, so that
#   the stack and its configuration belong to that project.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

mkdir empty taken
printf 'name: shop\nruntime: nodejs\n' >taken/Pulumi.yaml
cat >run.js <<'JS'
const { readFileSync } = require("node:fs");
const { Config, getProject } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const program = async () => {
  const config = new Config();
  return { project: getProject(), values: ["token", "region", "size"].map((name) => `${name} ${config.get(name) ?? "none"}`).join(", ") };
};
const args = { stackName: "test", projectName: "access", program };
(async () => {
  async function up(label, stack) {
    const { outputs, summary } = await stack.up();
    console.log(`${label}: ${summary.result}; project ${outputs.project.value}; ${outputs.values.value}`);
  }
  const tell = (label) => {
    const text = readFileSync("empty/Pulumi.test.yaml", "utf8");
    console.log(`${label}: the file has a secret: ${text.includes("secure:")}, a salt: ${text.includes("encryptionsalt")}`);
  };
  let stack = await LocalWorkspace.createOrSelectStack(args, { workDir: "empty" });
  await stack.setConfig("token", { value: "example", secret: true });
  await stack.setConfig("region", { value: "eu" });
  tell("set");
  await up("set", stack);
  const stackSettings = { test: { config: { "access:size": "3" } } };
  stack = await LocalWorkspace.createOrSelectStack(args, { workDir: "empty", stackSettings });
  tell("selected with stackSettings");
  await up("selected with stackSettings", stack);
  await up("in a folder with a project", await LocalWorkspace.createOrSelectStack(args, { workDir: "taken" }));
  process.exit();
})();
JS
shows node run.js <<'SEEN'
set: the file has a secret: true, a salt: true
set: succeeded; project access; token example, region eu, size none
selected with stackSettings: the file has a secret: false, a salt: false
selected with stackSettings: succeeded; project access; token none, region none, size 3
in a folder with a project: succeeded; project shop; token none, region none, size none
SEEN
