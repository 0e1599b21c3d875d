#!/usr/bin/env bash
# docs/pulumi.md: `ignoreChanges` ignores a secret's mark, too. If it doesn't, the sentence can go.
# Guess: `ignoreChanges` keeps a value as it is, and has no say in how the state stores it. So `secret(…)` and `additionalSecretOutputs`
#   encrypt a password that was plain, whoever rotates it.
# Seen: `secret(…)` is ignored with the value. The password stays plain in the state, as an input and as an output, and the run says
#   nothing. `additionalSecretOutputs` encrypts the output alone; the input of the same name stays plain.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >run.js <<'JS'
const { readFileSync } = require("node:fs");
const { dynamic, secret } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const handlers = { create: async ({ password }) => ({ id: "account", outs: { password } }) };
class Account extends dynamic.Resource {
  constructor(password, options) {
    super(handlers, "account", { password }, options);
  }
}
(async () => {
  let program;
  async function run(name, label, steps) {
    const stack = await LocalWorkspace.createStack({ stackName: name, projectName: "access", program: async () => program() });
    for (const step of steps) {
      program = step;
      await stack.up();
    }
    const { resources } = JSON.parse(readFileSync(`backend/.pulumi/stacks/access/${name}.json`)).checkpoint.latest;
    const { inputs, outputs } = resources.find(({ id }) => id === "account");
    const stored = [inputs, outputs].map(({ password }) => (password === "example" ? "plain" : "encrypted"));
    console.log(`${label}: input ${stored[0]}, output ${stored[1]}`);
  }
  const ignoreChanges = ["password"];
  const plain = () => void new Account("example");
  await run("one", "secret", [plain, () => void new Account(secret("example"))]);
  await run("two", "secret, ignored", [plain, () => void new Account(secret("example"), { ignoreChanges })]);
  const options = { ignoreChanges, additionalSecretOutputs: ["password"] };
  await run("three", "both, ignored", [plain, () => void new Account(secret("example"), options)]);
  process.exit();
})();
JS
shows node run.js <<'SEEN'
secret: input encrypted, output encrypted
secret, ignored: input plain, output plain
both, ignored: input plain, output encrypted
SEEN
