#!/usr/bin/env bash
# Guess: the YAML runtime checks types, so a provider gets text where its schema says `string`, and whole numbers where it
#   says `integer`. It refuses text for an integer.
# Seen: it checks one way. A plain number for a string arrives as a number, so that 007 is 7, 1.10 is 1.1 and a long id
#   is rounded; 1.5 passes for an integer. Nothing is said in `preview` or `up`.
# Builds the CLI and the YAML host with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli yaml backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
printf 'module yaml\n\ngo 1.26.6\n\nrequire github.com/pulumi/pulumi-yaml v1.38.0\n' >yaml/go.mod
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
(cd yaml && go build -o .. github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

# A provider of one resource, which notes what reaches `Check`.
cat >pulumi-resource-thing <<'JS'
#!/usr/bin/env node
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const inputProperties = { text: { type: "string" }, whole: { type: "integer" } };
const schema = { name: "thing", version: "1.0.0", resources: { "thing:index:Thing": { inputProperties } } };
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  getSchema: () => answer(new messages.GetSchemaResponse(), (response) => response.setSchema(JSON.stringify(schema))),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => answer(new messages.ConfigureResponse(), (response) => response.setSupportspreview(true)),
  check: ({ request }) => {
    require("node:fs").appendFileSync(process.env.SEEN, `  provider: ${JSON.stringify(request.getNews().toJavaScript())}\n`);
    return checked(request.getNews());
  },
  create: ({ request }) => answer(new messages.CreateResponse(), (response) => response.setProperties(request.getProperties())),
  cancel: () => new Empty(),
};
const handlers = Object.entries(calls).map(([name, call]) => [name, (request, callback) => callback(null, call(request))]);
const server = new Server();
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
JS
chmod +x pulumi-resource-thing

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true NODE_PATH="$tmp/node_modules" SEEN="$tmp/seen"
try() {
  echo "$1" >>seen
  cat >Pulumi.yaml <<YAML
name: access
runtime: yaml
resources:
  thing:
    type: thing:index:Thing
    properties:
      $1
YAML
  pulumi preview --stack test >log 2>&1 || echo "  refused" >>seen
}
printf 'name: access\nruntime: yaml\n' >Pulumi.yaml
pulumi stack init test >log 2>&1
try 'text: "007"'
try 'text: 007'
try 'text: 1.10'
try 'text: 12345678901234567890'
try 'whole: 7'
try 'whole: 1.5'
try 'whole: "7"'
cat seen
diff seen - <<'SEEN'
text: "007"
  provider: {"text":"007"}
text: 007
  provider: {"text":7}
text: 1.10
  provider: {"text":1.1}
text: 12345678901234567890
  provider: {"text":12345678901234567000}
whole: 7
  provider: {"whole":7}
whole: 1.5
  provider: {"whole":1.5}
whole: "7"
  refused
SEEN
