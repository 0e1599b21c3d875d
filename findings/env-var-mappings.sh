#!/usr/bin/env bash
# Guess: `envVarMappings` of a provider decides whose credentials it uses, so another mapping is a change that a preview shows, and a mapping
#   of a variable that isn't set is refused.
# Seen: neither. `preview --expect-no-changes` passes when the mapping goes from one tenant's variable to another's, and `up` says
#   "unchanged". If the variable isn't set, the provider gets the one of the plain name that happens to be in the environment: another
#   tenant's, without a warning. The keys are the variables that are set, the values those that the provider reads.
# Builds the CLI and a host of Node.js with Go, which takes minutes without Go's caches.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
mkdir cli host backend
cat >cli/go.mod <<'GO'
module cli

go 1.26.6

require github.com/pulumi/pulumi/pkg/v3 v3.274.1

replace github.com/atotto/clipboard => github.com/tgummerer/clipboard v0.0.0-20241001131231-d02d263e614e
GO
# The last host of Node.js with a version that Go can fetch. It only starts the program.
printf 'module host\n\ngo 1.24\n\nrequire github.com/pulumi/pulumi/sdk/v3 v3.68.0\n' >host/go.mod
export GOFLAGS=-mod=mod PATH="$tmp:$PATH"
(cd cli && go build -o .. github.com/pulumi/pulumi/pkg/v3/cmd/pulumi) 2>go.log || { cat go.log && exit 1; }
(cd host && go build -o .. github.com/pulumi/pulumi/sdk/v3/nodejs/cmd/pulumi-language-nodejs) 2>go.log || { cat go.log && exit 1; }
npm install --silent --no-audit --no-fund --ignore-scripts @pulumi/pulumi@3.276.0

export PULUMI_HOME="$tmp/home" PULUMI_BACKEND_URL="file://$tmp/backend" PULUMI_CONFIG_PASSPHRASE=test
export PULUMI_SKIP_UPDATE_CHECK=true
printf 'name: access\nruntime: nodejs\n' >Pulumi.yaml
cat >pulumi-resource-thing <<'PLUGIN'
#!/usr/bin/env node
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => new messages.ConfigureResponse(),
  check: ({ request }) => {
    require("node:fs").writeFileSync(process.env.CALLS, process.env.TENANT);
    return checked(request.getNews());
  },
  diff: () => answer(new messages.DiffResponse(), (response) => response.setChanges(1)),
  create: ({ request }) =>
    answer(new messages.CreateResponse(), (response) => {
      response.setId("thing");
      response.setProperties(request.getProperties());
    }),
  cancel: () => new Empty(),
};
const handlers = Object.entries(calls).map(([name, call]) => [name, (request, callback) => callback(null, call(request))]);
const server = new Server();
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
PLUGIN
chmod +x pulumi-resource-thing
export NODE_PATH="$tmp/node_modules" CALLS="$tmp/calls"
cat >index.js <<'JS'
const { CustomResource, ProviderResource } = require("@pulumi/pulumi");
const provider = new ProviderResource("thing", "tenant", {}, { envVarMappings: { [process.env.FROM]: "TENANT" } });
new CustomResource("thing:index:Thing", "thing", {}, { provider });
JS

export TENANT=plain EU_TENANT=eu US_TENANT=us
run() { # VARIABLE, COMMAND
  local code=0
  FROM=$1 pulumi "${@:2}" >log 2>&1 || code=$?
  # The plugin on the PATH gets a warning.
  local warnings
  warnings=$(grep 'warning:' log | grep -vc 'using pulumi-resource-thing' || true)
  echo "$1 to TENANT, ${*:2}: exits with $code; $(grep -E '^    [-=+~0-9 ]*(created|updated|unchanged)' log | xargs); $warnings warnings; the provider uses: $(cat calls)"
}
pulumi stack init test >log 2>&1
{
  run EU_TENANT up --yes --skip-preview
  run US_TENANT preview --expect-no-changes
  run US_TENANT up --yes --skip-preview
  run UNSET_TENANT up --yes --skip-preview
} | tee seen
diff seen - <<'SEEN'
EU_TENANT to TENANT, up --yes --skip-preview: exits with 0; + 3 created; 0 warnings; the provider uses: eu
US_TENANT to TENANT, preview --expect-no-changes: exits with 0; 3 unchanged; 0 warnings; the provider uses: us
US_TENANT to TENANT, up --yes --skip-preview: exits with 0; 3 unchanged; 0 warnings; the provider uses: us
UNSET_TENANT to TENANT, up --yes --skip-preview: exits with 0; 3 unchanged; 0 warnings; the provider uses: plain
SEEN
