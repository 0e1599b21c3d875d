import type { ServiceDefinition } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";

/**
 * The service, of these methods alone. The generated table of all methods would load all messages before the
 * server has a port.
 */
export function serviceOf(methods: readonly string[]): ServiceDefinition {
  const generated = (name: string) => {
    const service: Partial<ServiceDefinition> = ResourceProviderService;
    const method = service[name];
    if (method === undefined) throw new Error(`Pulumi's protocol has no method ${name}.`);
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

/** Loads the messages of all calls. */
export function loadMessages(): object {
  return ResourceProviderService;
}
