#!/usr/bin/env bash
# docs/pulumi.md: refused inputs end the program. If the run goes on, half the sentence can go.
# Guess: with `--continue-on-error`, whatever doesn't depend on a resource that fails is still done.
# Seen: so it is if the provider refuses to create one. If its `Check` refuses the inputs, the program ends
#   there: what it has not registered by then isn't done, though it depends on nothing that failed.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

# A provider of one resource. It refuses one name in `Check`, and another one when it is to be made, which takes half a second.
cat >pulumi-resource-thing <<'JS'
#!/usr/bin/env node
const { Server, ServerCredentials, status } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const schema = { name: "thing", version: "1.0.0", resources: { "thing:index:Thing": { inputProperties: { name: { type: "string" } } } } };
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  getSchema: () => answer(new messages.GetSchemaResponse(), (response) => response.setSchema(JSON.stringify(schema))),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => new messages.ConfigureResponse(),
  check: ({ request }) => {
    const response = checked(request.getNews());
    const failure = answer(new messages.CheckFailure(), (one) => (one.setProperty("name"), one.setReason("is refused")));
    if (request.getNews().toJavaScript().name === "unfit") response.addFailures(failure);
    return response;
  },
  cancel: () => new Empty(),
};
const handlers = Object.entries(calls).map(([name, call]) => [name, (request, callback) => callback(null, call(request))]);
const create = ({ request }, callback) => {
  const { name } = request.getProperties().toJavaScript();
  setTimeout(() => {
    if (name === "full") return callback({ code: status.RESOURCE_EXHAUSTED, details: "quota" });
    require("node:fs").appendFileSync(process.env.SEEN, ` ${name}`);
    const made = answer(new messages.CreateResponse(), (response) => response.setProperties(request.getProperties()));
    callback(null, (made.setId(name), made));
  }, 500);
};
const server = new Server();
server.addService(ResourceProviderService, { ...Object.fromEntries(handlers), create });
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
JS
chmod +x pulumi-resource-thing

export PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK=true NODE_PATH="$tmp/node_modules" SEEN="$tmp/seen"
cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
const fs = require("node:fs");
async function up(bad) {
  const program = async () => {
    const thing = (name, ...dependsOn) => new CustomResource("thing:index:Thing", name, { name }, { dependsOn });
    thing(bad);
    thing("three", thing("two", thing("one")));
  };
  fs.writeFileSync(process.env.SEEN, "");
  const stack = await LocalWorkspace.createStack({ stackName: bad, projectName: "access", program });
  const outcome = await stack.up({ continueOnError: true }).then(
    () => "ends well",
    () => "fails",
  );
  const isMade = fs.readFileSync(process.env.SEEN, "utf8").includes("three");
  console.log(`${bad}: ${outcome}; three is ${isMade ? "" : "not "}made`);
}
up("full").then(() => up("unfit"));
JS
shows node run.js <<'SAID'
full: fails; three is made
unfit: fails; three is not made
SAID
