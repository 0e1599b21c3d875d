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
  plugin: typeof plugin;
  /** For errors. */
  status: typeof status & typeof any;
  google: typeof empty & typeof struct;
}

/**
 * Finds the protocol of providers in the installed `@pulumi/pulumi`, without the SDK itself. It's looked up
 * from the SDK's folder: messages of two copies don't mix, and some package managers hide from us what the
 * SDK depends on. Its paths are no part of its interface; tried with 3.248.0. Each part is loaded on first
 * use: the engine waits for the port, and that needs no message.
 */
export function loadProtocol(from = __filename): Protocol {
  const sdk = createRequire(createRequire(from).resolve("@pulumi/pulumi/package.json"));
  const load = (...names: string[]) =>
    Object.assign({}, ...names.map((name) => sdk(name) as object)) as object;
  return lazily({
    grpc: () => sdk("@grpc/grpc-js") as object,
    provider: () => load("./proto/provider_pb", "./proto/provider_grpc_pb"),
    // Most runs show no line.
    engine: () => load("./proto/engine_pb", "./proto/engine_grpc_pb"),
    plugin: () => load("./proto/plugin_pb"),
    status: () => load("./proto/status_pb", "google-protobuf/google/protobuf/any_pb"),
    google: () =>
      load("google-protobuf/google/protobuf/empty_pb", "google-protobuf/google/protobuf/struct_pb"),
  }) as Protocol;
}

function lazily(loaders: Readonly<Record<string, () => object>>): object {
  const parts = {};
  for (const [name, load] of Object.entries(loaders)) {
    const get = () => {
      const value = load();
      Object.defineProperty(parts, name, { value });
      return value;
    };
    Object.defineProperty(parts, name, { get, configurable: true });
  }
  return parts;
}

/**
 * The service, of these methods alone. The generated table of all methods would load all messages before the
 * server has a port.
 */
export function serviceOf(protocol: Protocol, methods: readonly string[]): grpc.ServiceDefinition {
  const generated = (name: string) => {
    const service: Partial<grpc.ServiceDefinition> = protocol.provider.ResourceProviderService;
    const method = service[name];
    if (method === undefined) throw new Error(`The installed @pulumi/pulumi has no method ${name}.`);
    return method;
  };
  return Object.fromEntries(
    methods.map((name) => [
      name,
      {
        path: `/pulumirpc.ResourceProvider/${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        requestStream: false,
        responseStream: false,
        requestSerialize: (message: object) => generated(name).requestSerialize(message),
        requestDeserialize: (bytes: Buffer) => generated(name).requestDeserialize(bytes) as unknown,
        responseSerialize: (message: object) => generated(name).responseSerialize(message),
        responseDeserialize: (bytes: Buffer) => generated(name).responseDeserialize(bytes) as unknown,
      },
    ]),
  );
}
