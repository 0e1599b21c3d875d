#!/usr/bin/env bash
# Guess: an input that the schema marks as secret reaches the provider as given, in every generated SDK.
# Seen: the Node.js SDK drops a falsy one (an empty text; by the same line of the generator `false` and 0), even if
#   it is required, without an error. The Python SDK of the same version sends it, marked as secret.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/auth0@3.49.0 @pulumi/pulumi@3.276.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check pulumi-auth0==3.49.0 pulumi==3.272.0

# RuleConfig requires key and value, and value is secret.
cat >show.cjs <<'JS'
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks({
  newResource: ({ inputs }) => {
    console.log("Node.js sends:", Object.keys(inputs).sort().join(", "));
    return { id: "id", state: inputs };
  },
  call: () => ({}),
});
const auth0 = require("@pulumi/auth0");
new auth0.RuleConfig("example", { key: "greeting", value: "" });
JS
cat >show.py <<'PY'
import pulumi


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        print("Python sends:", ", ".join(sorted(args.inputs)))
        return ["id", args.inputs]

    def call(self, args):
        return {}


pulumi.runtime.set_mocks(Mocks())
import pulumi_auth0 as auth0


@pulumi.runtime.test
def program():
    auth0.RuleConfig("example", key="greeting", value="")


program()
PY
{ node show.cjs && venv/bin/python show.py; } | tee seen
diff seen - <<'SEEN'
Node.js sends: key
Python sends: key, value
SEEN
