#!/usr/bin/env bash
# docs/held.md: a refresh forgets a protected resource. If it stops, the sentence can go.
# Guess: `protect` keeps an entry in the state: a refresh that no longer finds the object, perhaps because its credentials see less,
#   stops there, or leaves the entry and warns.
# Seen: it forgets the entry as any other and ends well, and the next `up` creates the object again. `protect` is checked only where
#   the engine itself deletes.
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
      if (require("node:fs").existsSync(`${process.env.CALLS}.gone`)) return;
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
  constructor(options) {
    super("thing:index:Thing", "thing", { owner: "ada" }, options);
  }
}
(async () => {
  const { readFileSync, writeFileSync } = require("node:fs");
  let program = () => void new Thing({ protect: true });
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program: async () => program() });
  async function run(label, operation) {
    writeFileSync(process.env.CALLS, "");
    const outcome = await operation().then(
      ({ summary }) => JSON.stringify(summary.resourceChanges),
      () => "fails",
    );
    const { deployment } = await stack.exportStack();
    const { protect = "nothing" } = deployment.resources.find(({ type }) => type === "thing:index:Thing") ?? {};
    console.log(`${label}: ${outcome}; protected in state: ${protect}`);
    process.stdout.write(readFileSync(process.env.CALLS));
  }
  await run("up", () => stack.up());
  const declared = program;
  program = () => {};
  await run("up, out of the program", () => stack.up());
  program = declared;
  writeFileSync(`${process.env.CALLS}.gone`, "");
  await run("refresh, not found", () => stack.refresh());
  await run("up", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
up: {"create":2}; protected in state: true
  create
up, out of the program: fails; protected in state: true
refresh, not found: {"delete":1,"same":1}; protected in state: nothing
up: {"create":1,"same":1}; protected in state: true
  create
SEEN
