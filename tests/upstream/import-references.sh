#!/usr/bin/env bash
# docs/adopt.md: `pulumi import` writes references in place of text. If it doesn't, the paragraph can go.
# Guess: `pulumi import` writes into the program what the provider has read.
# Seen: where a text equals the id of another object of the same import, it writes a reference in its place. The two needn't have to do
#   with each other; a new id of the one then changes the other, or replaces it. One by one, the same objects give texts.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

# A provider of one resource.
cat >pulumi-resource-thing <<'JS'
#!/usr/bin/env node
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const inputProperties = { code: { type: "string" } };
const schema = { name: "thing", version: "1.0.0", resources: { "thing:index:Thing": { inputProperties } } };
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  getSchema: () => answer(new messages.GetSchemaResponse(), (response) => response.setSchema(JSON.stringify(schema))),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => answer(new messages.ConfigureResponse(), (response) => response.setSupportspreview(true)),
  check: ({ request }) => checked(request.getNews()),
  diff: () => new messages.DiffResponse(),
  read: ({ request }) =>
    answer(new messages.ReadResponse(), (response) => {
      response.setId(request.getId());
      response.setProperties(Struct.fromJavaScript({ code: "blue" }));
      response.setInputs(Struct.fromJavaScript({ code: "blue" }));
    }),
  cancel: () => new Empty(),
};
const handlers = Object.entries(calls).map(([name, call]) => [name, (request, callback) => callback(null, call(request))]);
const server = new Server();
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
JS
chmod +x pulumi-resource-thing

export NODE_PATH="$tmp/node_modules"
printf 'name: access\nruntime: yaml\n' >Pulumi.yaml
cat >both.json <<'JSON'
{
  "resources": [
    { "type": "thing:index:Thing", "name": "paint", "id": "blue" },
    { "type": "thing:index:Thing", "name": "door", "id": "front" }
  ]
}
JSON
{
  pulumi stack init test >log 2>&1
  pulumi import --file both.json --yes --protect=false --out both.yaml >log 2>&1 || { cat log && exit 1; }
  echo "paint and door at once:" && grep -E '^  [a-z]|code' both.yaml
  pulumi stack init other >log 2>&1
  for each in "paint blue" "door front"; do
    pulumi import thing:index:Thing $each --yes --protect=false --out one.yaml >log 2>&1 || { cat log && exit 1; }
    echo "${each% *} alone:" && grep code one.yaml
  done
} | tee seen
diff seen - <<'SEEN'
paint and door at once:
  paint:
      code: blue
  door:
      code: ${paint.id}
paint alone:
      code: blue
door alone:
      code: blue
SEEN
