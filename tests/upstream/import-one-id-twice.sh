#!/usr/bin/env bash
# provider/resources/connection-profile/kind.ts: refuses two resources of one id. If Pulumi does, the check can go.
# Guess: an object has one entry in a state. A second `import` of its id, under another name or in the same run, is refused, as a second
#   resource of the same name is.
# Seen: both are imported, and nothing is said. When one of them leaves the program, the object is deleted, and the other entry stays;
#   the next `up` reports no change.
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
  diff: ({ request }) =>
    answer(new messages.DiffResponse(), (response) => {
      const [before, after] = [request.getOldInputs(), request.getNews()].map((inputs) => inputs.toJavaScript().owner);
      response.setChanges(before === after ? 1 : 2);
    }),
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
      response.setProperties(Struct.fromJavaScript({ owner: "ada" }));
      response.setInputs(Struct.fromJavaScript({ owner: "ada" }));
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
  constructor(name, options) {
    super("thing:index:Thing", name, { owner: "ada" }, options);
  }
}
(async () => {
  let program;
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function up(label, declare) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    program = declare;
    const { stdout, summary } = await stack.up();
    // The plugin on the PATH gets one.
    const warnings = new Set(stdout.match(/warning: (?!using pulumi-resource-thing).*/g)).size;
    const { deployment } = await stack.exportStack();
    const things = deployment.resources.filter(({ type }) => type === "thing:index:Thing");
    const entries = things.map(({ urn, id }) => `${urn.split("::").at(-1)} is ${id}`).sort();
    console.log(`${label}: ${JSON.stringify(summary.resourceChanges)}, ${warnings} warnings; in state: ${entries.join(", ")}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await up("one name", () => void new Thing("first", { import: "object" }));
  await up("a second name", () => {
    new Thing("first", { import: "object" });
    new Thing("second", { import: "object" });
  });
  await up("the first one leaves", () => void new Thing("second", { import: "object" }));
  await up("nothing changes", () => void new Thing("second", { import: "object" }));
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
one name: {"create":1,"import":1}, 0 warnings; in state: first is object
  read object
a second name: {"import":1,"same":2}, 0 warnings; in state: first is object, second is object
  read object
the first one leaves: {"delete":1,"same":2}, 0 warnings; in state: second is object
  delete object
nothing changes: {"same":2}, 0 warnings; in state: second is object
SEEN
