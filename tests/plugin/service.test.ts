import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { loadProtocol, serviceOf } from "../../provider/pulumi/plugin/protocol";
import { PluginServer } from "../../provider/pulumi/plugin/server";

const CONTENTS = { resources: {}, dataSources: {}, schema: () => "{}" };

test("the service has the protocol's methods, and is made without its messages", () => {
  const protocol = loadProtocol();
  const plugin = new PluginServer(protocol, CONTENTS, "127.0.0.1:9");
  const service = serviceOf(protocol, Object.keys(plugin.methods));

  const isLoaded = (part: string) => Object.getOwnPropertyDescriptor(protocol, part)?.get === undefined;
  expect(["provider", "engine", "plugin", "status", "google"].filter(isLoaded)).toEqual([]);
  const generated: typeof service = ResourceProviderService;
  for (const [name, { path, requestStream, responseStream }] of Object.entries(service))
    expect(generated[name]).toMatchObject({ path, requestStream, responseStream });
});
