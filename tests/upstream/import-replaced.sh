#!/usr/bin/env bash
# docs/languages.md: an `import` that replaces fails in every `up`. If the preview refuses it, the sentence can go.
# Guess: a preview that ends well, of an `import` whose program asks for a replacement, is what `up` does; or the preview refuses it.
# Seen: the preview ends well: it imports and replaces. `up` imports, fails, and leaves the import in the state: "previously-imported
#   resources that still specify an ID may not be replaced". From then on each preview shows the replacement, and each
#   `up` fails. Once `import` is taken out, as the message says, the imported object is deleted.
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
      response.setReplacesList(before === after ? [] : ["owner"]);
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
  constructor(owner, options) {
    super("thing:index:Thing", "thing", { owner }, options);
  }
}
(async () => {
  let options = { import: "first" };
  const program = async () => void new Thing("bob", options);
  const stack = await LocalWorkspace.createStack({ stackName: "test", projectName: "access", program });
  async function run(label, operation) {
    require("node:fs").writeFileSync(process.env.CALLS, "");
    const outcome = await operation().then(
      ({ changeSummary, summary }) => JSON.stringify(changeSummary ?? summary.resourceChanges),
      ({ message }) => `fails: ${/error: (previously[^;]*)/.exec(message)?.[1]}`,
    );
    const { deployment } = await stack.exportStack();
    const { id } = (deployment.resources ?? []).find(({ type }) => type === "thing:index:Thing") ?? {};
    console.log(`${label}: ${outcome}; in state: ${id ?? "nothing"}`);
    process.stdout.write(require("node:fs").readFileSync(process.env.CALLS));
  }
  await run("preview", () => stack.preview());
  await run("up", () => stack.up());
  await run("preview", () => stack.preview());
  await run("up", () => stack.up());
  options = {};
  await run("up without import", () => stack.up());
  process.exit();
})();
JS
node run.js | tee seen
diff seen - <<'SEEN'
preview: {"create":1,"import":1,"replace":1}; in state: nothing
  read first
up: fails: previously-imported resources that still specify an ID may not be replaced; in state: first
  read first
preview: {"replace":1,"same":1}; in state: first
up: fails: previously-imported resources that still specify an ID may not be replaced; in state: first
up without import: {"replace":1,"same":1}; in state: made
  create
  delete first
SEEN
