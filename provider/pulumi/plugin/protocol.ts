import { createRequire } from "node:module";
import type * as grpc from "@grpc/grpc-js";
import type * as engine from "@pulumi/pulumi/proto/engine_pb";
import type * as engineServices from "@pulumi/pulumi/proto/engine_grpc_pb";
import type * as plugin from "@pulumi/pulumi/proto/plugin_pb";
import type * as provider from "@pulumi/pulumi/proto/provider_pb";
import type * as providerServices from "@pulumi/pulumi/proto/provider_grpc_pb";
import type * as status from "@pulumi/pulumi/proto/status_pb";
import type * as any from "google-protobuf/google/protobuf/any_pb";
import type * as empty from "google-protobuf/google/protobuf/empty_pb";
import type * as struct from "google-protobuf/google/protobuf/struct_pb";

export interface Protocol {
  grpc: typeof grpc;
  provider: typeof provider & typeof providerServices;
  engine: typeof engine & typeof engineServices;
  PluginInfo: typeof plugin.PluginInfo;
  Status: typeof status.Status;
  Any: typeof any.Any;
  Empty: typeof empty.Empty;
  Struct: typeof struct.Struct;
}

/**
 * Loads the protocol of providers from the installed `@pulumi/pulumi`, without the SDK itself. It's looked up
 * from the SDK's folder: messages of two copies don't mix, and some package managers hide from us what the
 * SDK depends on.
 */
export function loadProtocol(from = __filename): Protocol {
  const sdk = createRequire(createRequire(from).resolve("@pulumi/pulumi/package.json"));
  const load = (name: string) => sdk(name) as object;
  return {
    grpc: load("@grpc/grpc-js"),
    provider: { ...load("./proto/provider_pb"), ...load("./proto/provider_grpc_pb") },
    // Most runs show no line.
    get engine() {
      return { ...load("./proto/engine_pb"), ...load("./proto/engine_grpc_pb") };
    },
    ...load("./proto/plugin_pb"),
    ...load("./proto/status_pb"),
    ...load("google-protobuf/google/protobuf/any_pb"),
    ...load("google-protobuf/google/protobuf/empty_pb"),
    ...load("google-protobuf/google/protobuf/struct_pb"),
  } as Protocol;
}
