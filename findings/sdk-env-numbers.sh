#!/usr/bin/env bash
# Guess: where a schema gives a number's default as an environment variable, each SDK reads the same number from
#   it, or refuses the text.
# Seen: the Node.js SDK takes the beginning of a text, Python's takes the whole or falls back on the default without
#   a word. `1_000` is 1 in one language and 1000 in the other.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/vault@7.8.0 @pulumi/pulumi@3.276.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pulumi-vault==7.8.0 pulumi==3.272.0

# The schema of Vault's provider: maxRetries is VAULT_MAX_RETRIES, else 2.
cat >show.cjs <<'JS'
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks({
  newResource: ({ inputs }) => {
    console.log(inputs.maxRetries);
    return { id: "id", state: inputs };
  },
  call: () => ({}),
});
const vault = require("@pulumi/vault");
new vault.Provider("example", { address: "http://127.0.0.1" });
JS
cat >show.py <<'PY'
import pulumi


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        print(args.inputs["maxRetries"])
        return ["id", args.inputs]

    def call(self, args):
        return {}


pulumi.runtime.set_mocks(Mocks())
import pulumi_vault as vault


@pulumi.runtime.test
def program():
    vault.Provider("example", address="http://127.0.0.1")


program()
PY
for text in 10 1_000 5s 1e3; do
  export VAULT_MAX_RETRIES=$text
  echo "VAULT_MAX_RETRIES=$text: Node.js $(node show.cjs), Python $(venv/bin/python show.py)"
done | tee seen
diff seen - <<'SEEN'
VAULT_MAX_RETRIES=10: Node.js 10, Python 10
VAULT_MAX_RETRIES=1_000: Node.js 1, Python 1000
VAULT_MAX_RETRIES=5s: Node.js 5, Python 2
VAULT_MAX_RETRIES=1e3: Node.js 1000, Python 2
SEEN
