#!/usr/bin/env bash
# docs/languages.md: generated SDKs return bare tokens. If they mark them, the sentence can go.
# Guess: if a provider marks one field of a function's result as secret, that field is secret for the program.
# Seen: in Node.js and Python alike the plain form of the function gives that field as bare text, and the Output form
#   makes every field secret, so that a public name turns up as [secret] wherever it is used.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/auth0@3.49.0 @pulumi/pulumi@3.276.0
python_packages pulumi-auth0==3.49.0 pulumi==3.272.0

# The mocks answer as a provider does that marks the client's secret and nothing else.
cat >show.cjs <<'JS'
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks({
  newResource: ({ inputs }) => ({ id: "id", state: inputs }),
  call: () => ({ id: "client", name: "Web", clientSecret: pulumi.secret("example") }),
});
const auth0 = require("@pulumi/auth0");
const isSecret = (value) => (pulumi.Output.isInstance(value) ? pulumi.isSecret(value) : false);
const tell = async (form, { name, clientSecret }) =>
  console.log(`${form}: name secret ${await isSecret(name)}, clientSecret secret ${await isSecret(clientSecret)}`);
(async () => {
  await tell("getClient", await auth0.getClient({ clientId: "client" }));
  await tell("getClientOutput", auth0.getClientOutput({ clientId: "client" }));
})();
JS
cat >show.py <<'PY'
import pulumi

class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return ["id", args.inputs]

    def call(self, args):
        return {"id": "client", "name": "Web", "clientSecret": pulumi.Output.secret("example")}

pulumi.runtime.set_mocks(Mocks())
import pulumi_auth0 as auth0

@pulumi.runtime.test
def program():
    plain = auth0.get_client(client_id="client")
    print("get_client: clientSecret is", type(plain.client_secret).__name__)
    output = auth0.get_client_output(client_id="client")
    marks = pulumi.Output.all(output.name.is_secret(), output.client_secret.is_secret())
    return marks.apply(lambda m: print(f"get_client_output: name secret {m[0]}, clientSecret secret {m[1]}"))

program()
PY
{ node show.cjs && venv/bin/python show.py; } | tee seen
diff seen - <<'SEEN'
getClient: name secret false, clientSecret secret false
getClientOutput: name secret true, clientSecret secret true
get_client: clientSecret is str
get_client_output: name secret True, clientSecret secret True
SEEN
