#!/usr/bin/env node
/*
 * A plugin of one resource, thing:index:Thing, whose `owner` is "ada" wherever it's read. `thing_plugin` of
 * set-up.sh puts it on the PATH. It notes its calls in $CALLS. With REPLACES=owner, another owner replaces;
 * with a file $CALLS.gone, nothing is found.
 */
const { appendFileSync, existsSync } = require("node:fs");
const { Server, ServerCredentials } = require("@grpc/grpc-js");
const { Empty } = require("google-protobuf/google/protobuf/empty_pb");
const { Struct } = require("google-protobuf/google/protobuf/struct_pb");
const { PluginInfo } = require("@pulumi/pulumi/proto/plugin_pb");
const messages = require("@pulumi/pulumi/proto/provider_pb");
const { ResourceProviderService } = require("@pulumi/pulumi/proto/provider_grpc_pb");

const resources = { "thing:index:Thing": { inputProperties: { owner: { type: "string" } } } };
const schema = { name: "thing", version: "1.0.0", resources };
const answer = (message, set) => (set(message), message);
const checked = (news) => answer(new messages.CheckResponse(), (response) => response.setInputs(news));
const tell = (call) => appendFileSync(process.env.CALLS, `  ${call}\n`);
const ownerOf = (inputs) => inputs.toJavaScript().owner;
const calls = {
  getPluginInfo: () => answer(new PluginInfo(), (info) => info.setVersion("1.0.0")),
  getSchema: () =>
    answer(new messages.GetSchemaResponse(), (response) => response.setSchema(JSON.stringify(schema))),
  checkConfig: ({ request }) => checked(request.getNews()),
  diffConfig: () => new messages.DiffResponse(),
  configure: () => answer(new messages.ConfigureResponse(), (response) => response.setSupportspreview(true)),
  check: ({ request }) => checked(request.getNews()),
  diff: ({ request }) =>
    answer(new messages.DiffResponse(), (response) => {
      const isSame = ownerOf(request.getOldInputs()) === ownerOf(request.getNews());
      response.setChanges(isSame ? 1 : 2);
      if (!isSame && process.env.REPLACES !== undefined) response.setReplacesList([process.env.REPLACES]);
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
      if (existsSync(`${process.env.CALLS}.gone`)) return;
      response.setId(request.getId());
      response.setProperties(Struct.fromJavaScript({ owner: "ada" }));
      response.setInputs(Struct.fromJavaScript({ owner: "ada" }));
    }),
  delete: ({ request }) => (tell(`delete ${request.getId()}`), new Empty()),
  cancel: () => new Empty(),
};

const server = new Server();
const handlers = Object.entries(calls).map(([name, call]) => [
  name,
  (request, callback) => callback(null, call(request)),
]);
server.addService(ResourceProviderService, Object.fromEntries(handlers));
server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (_, port) => console.log(port));
