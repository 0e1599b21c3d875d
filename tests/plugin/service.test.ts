import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { PluginServer } from "../../provider/pulumi/plugin/server";
import { serviceOf } from "../../provider/pulumi/plugin/service";

const CONTENTS = { resources: {}, dataSources: {}, schema: () => "{}" };

test("the service has the protocol's methods", () => {
  const plugin = new PluginServer(CONTENTS, "127.0.0.1:9");
  const service = serviceOf(Object.keys(plugin.methods));

  const generated: typeof service = ResourceProviderService;
  for (const [name, { path, requestStream, responseStream }] of Object.entries(service))
    expect(generated[name]).toMatchObject({ path, requestStream, responseStream });
});
