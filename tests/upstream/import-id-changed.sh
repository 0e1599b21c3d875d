#!/usr/bin/env bash
# docs/languages.md: another id in `import` deletes the former object. If it doesn't, the sentence can go.
# Guess: `import` only takes over what is there, so to mend its id, or to add it to a resource that exists, is safe: the program
#   and the inputs stay the same.
# Seen: with an id that isn't the one of the state the engine takes over the other object and deletes the former one, even one
#   that it never made but imported itself. The preview calls it a replacement.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >pulumi-resource-thing <<'PLUGIN'
#!/usr/bin/env node
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const tell = (call) => require("node:fs").appendFileSync(process.env.CALLS, `  ${call}\n`);
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => answer(new messages.ConfigureResponse(), (response) => response.setSupportspreview(true)),
  check: ({ request }) => checked(request.getNews()),
  diff: () => answer(new messages.DiffResponse(), (response) => response.setChanges(1)),
  create: ({ request }) =>
    answer(new messages.CreateResponse(), (response) => {
      if (!request.getPreview()) tell("create");
      response.setId("made");
      response.setProperties(request.getProperties());
    }),
  read: ({ request }) =>
    answer(new messages.ReadResponse(), (response) => {
      tell(`read ${request.getId()}`);
      response.setId(request.getId());
      response.setProperties(Struct.fromJavaScript({ name: "thing" }));
      response.setInputs(Struct.fromJavaScript({ name: "thing" }));
    }),
  delete: ({ request }) => (tell(`delete ${request.getId()}`), new Empty()),
  cancel: () => new Empty(),
};
const handlers = Object.entries(calls).map(([name, call]) => [name, (request, callback) => callback(null, call(request))]);
const server = new Server();
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
PLUGIN
chmod +x pulumi-resource-thing
export NODE_PATH="$tmp/node_modules" CALLS="$tmp/calls"
cat >run.js <<'JS'
const { CustomResource } = require("@pulumi/pulumi");
const { LocalWorkspace } = require("@pulumi/pulumi/automation");
class Thing extends CustomResource {
  constructor(options) {
    super("thing:index:Thing", "thing", { name: "thing" }, options);
  }
}
(async () => {
  let options;
  const program = async () => void (options && new Thing(options));
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, now) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    options = now;
    const { summary } = await stack.up();
    const { same, ...changes } = summary.resourceChanges;
    console.log(`${label}: ${JSON.stringify(changes)}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await run("import: first", { import: "first" });
  await run("import: second", { import: "second" });
  await run("no import any more", {});
  options = undefined;
  await stack.up();
  await run("made without import", {});
  await run("import: third", { import: "third" });
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
import: first: {"create":1,"import":1}
  read first
import: second: {"replace":1}
  read second
  delete first
no import any more: {}
made without import: {"create":1}
  create
import: third: {"replace":1}
  read third
  delete made
SEEN
