#!/usr/bin/env bash
# provider/pulumi/host/lifecycle.ts: `configure` never fails. If the SDK awaits it, it can refuse wrong settings.
# Guess: the Node.js SDK's host of dynamic providers awaits `configure` before it calls a handler, and if
#   `configure` rejects, every call fails.
# Seen: only the call that caused `configure` waits for it. Calls that come meanwhile run unconfigured. If it
#   rejects, one delete fails, and the others run and are reported as done.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages @pulumi/pulumi@3.276.0

cat >show.cjs <<'JS'
const { spawn } = require("node:child_process");
const { credentials } = require("@grpc/grpc-js");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { ResourceProviderClient } = require("@pulumi/pulumi/proto/provider_grpc_pb");
const proto = require("@pulumi/pulumi/proto/provider_pb");

// The text that the SDK keeps in state as `__provider`.
const provider = (then) => `exports.handler = () => ({
  async configure() {
    await new Promise((resolve) => setTimeout(resolve, 300));
    ${then}
  },
  async read(id) { return { id, props: { token: this.token ?? "none" } }; },
  async delete() {},
})`;

const host = spawn(process.execPath, [require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), "127.0.0.1:1"], {
  stdio: ["ignore", "pipe", "ignore"],
});
host.stdout.once("data", async (port) => {
  const client = new ResourceProviderClient(`127.0.0.1:${Number(port)}`, credentials.createInsecure());
  const call = (method, request) =>
    new Promise((resolve) => client[method](request, (error, answer) => resolve({ error, answer })));
  const four = (method, request, code) =>
    Promise.all(
      [1, 2, 3, 4].map((i) => {
        const one = new request();
        one.setId(`id-${i}`);
        one.setUrn(`urn:pulumi:stack::project::pulumi-nodejs:dynamic:Resource::r${i}`);
        one.setProperties(Struct.fromJavaScript({ __provider: code }));
        return call(method, one);
      }),
    );
  const configuration = new proto.ConfigureRequest();
  configuration.setArgs(new Struct());
  await call("configure", configuration);

  const reads = await four("read", proto.ReadRequest, provider('this.token = "token";'));
  console.log("4 reads at once see:", reads.map(({ answer }) => answer.getProperties().toJavaScript().token).sort().join(" "));
  const deletes = await four("delete", proto.DeleteRequest, provider('throw new Error("no credentials");'));
  console.log("configure rejects, 4 deletes at once:", deletes.map(({ error }) => error?.details ?? "done").sort().join(", "));
  host.kill();
});
JS
shows node show.cjs <<'SEEN'
4 reads at once see: none none none token
configure rejects, 4 deletes at once: done, done, done, no credentials
SEEN
