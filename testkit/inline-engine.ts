import {
  type sendUnaryData,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  status,
  type UntypedHandleCall,
} from "@grpc/grpc-js";
import { type PulumiFn } from "@pulumi/pulumi/automation";
import * as pulumi from "@pulumi/pulumi";
import * as automation from "@pulumi/pulumi/automation/server";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import * as engine from "@pulumi/pulumi/proto/engine_pb";
import * as language from "@pulumi/pulumi/proto/language_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import * as resource from "@pulumi/pulumi/proto/resource_pb";
import * as settings from "@pulumi/pulumi/runtime/settings";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";

type Closable = { close(): void };

/** The SDK doesn't export the types. */
const { LanguageServer } = automation as unknown as {
  LanguageServer: new (program: PulumiFn) => {
    run(call: { request: language.RunRequest }, callback: () => void): Promise<void>;
  };
};

interface InlineRun {
  stack: string;
  program: PulumiFn;
  config: Record<string, string>;
  isPreview: boolean;
}

export interface InlineOutcome {
  /** Names of the resources that the program declared, without the stack and its providers. */
  declared: string[];
  /** The inputs that it sent for each of them, with those that only handlers see. */
  inputs: Record<string, Record<string, unknown>>;
  outputs: Record<string, unknown>;
  /** Errors that the program sent to the engine. */
  errors: string[];
}

type Handler<Request, Response> = (request: Request) => Response;

function handler<Request, Response>(answer: Handler<Request, Response>): UntypedHandleCall {
  return (call: ServerUnaryCall<Request, Response>, callback: sendUnaryData<Response>) =>
    callback(null, answer(call.request));
}

/**
 * Runs an inline program like the Automation API, with the SDK's own language server and its gRPC. The
 * stand-in replaces the `pulumi` command: it registers each resource as if its handler had returned the
 * inputs.
 */
export async function runInline({ stack, program, config, isPreview }: InlineRun): Promise<InlineOutcome> {
  const outcome: InlineOutcome = { declared: [], inputs: {}, outputs: {}, errors: [] };
  const server = new Server({ "grpc.enable_channelz": 0 });
  const addService = (service: object, handlers: Record<string, UntypedHandleCall>) => {
    const missing = Object.keys(service).filter((name) => !(name in handlers));
    const refused = missing.map((name) => [name, refuse(name)] as const);
    server.addService(service as Parameters<Server["addService"]>[0], {
      ...Object.fromEntries(refused),
      ...handlers,
    });
  };
  addService(EngineService, {
    log: handler((request: engine.LogRequest) => {
      if (request.getSeverity() === engine.LogSeverity.ERROR) outcome.errors.push(request.getMessage());
      return new Empty();
    }),
    getRootResource: handler(() => new engine.GetRootResourceResponse()),
    setRootResource: handler(() => new engine.SetRootResourceResponse()),
  });
  addService(ResourceMonitorService, {
    supportsFeature: handler((request: resource.SupportsFeatureRequest) => {
      const response = new resource.SupportsFeatureResponse();
      response.setHassupport(["secrets", "resourceReferences", "outputValues"].includes(request.getId()));
      return response;
    }),
    registerResource: handler((request: resource.RegisterResourceRequest) => {
      const [type, name] = [request.getType(), request.getName()];
      if (type.includes("dynamic")) {
        outcome.declared.push(name);
        outcome.inputs[name] = request.getObject()?.toJavaScript() ?? {};
      }
      const response = new resource.RegisterResourceResponse();
      response.setUrn(`urn:pulumi:${stack}::soak::${type}::${name}`);
      if (request.getCustom()) response.setId(isPreview ? "" : `${name}-id`);
      response.setObject(request.getObject());
      return response;
    }),
    registerResourceOutputs: handler((request: resource.RegisterResourceOutputsRequest) => {
      outcome.outputs = request.getOutputs()?.toJavaScript() ?? {};
      return new Empty();
    }),
    signalAndWaitForShutdown: handler(() => new Empty()),
  });
  try {
    const address = await listening(server);
    const request = new language.RunRequest();
    request.setProject("soak");
    request.setStack(stack);
    request.setMonitorAddress(address);
    request.setArgsList([address]);
    request.setDryrun(isPreview);
    request.setParallel(16);
    for (const [key, value] of Object.entries(config)) request.getConfigMap().set(key, value);
    const connections: Closable[] = [];
    const observed: PulumiFn = () => {
      const engines = [pulumi.runtime.getMonitor(), settings.getEngine()] as unknown as Closable[];
      connections.push(...engines);
      return program();
    };
    await new Promise<void>((resolve) => {
      void new LanguageServer(observed).run({ request }, () => resolve());
    });
    // The SDK leaves these to a timer of half an hour, and they would hide other leaks.
    for (const connection of connections) connection.close();
  } finally {
    server.forceShutdown();
  }
  return outcome;
}

/** Acts like an engine that is older than the SDK. */
function refuse(name: string): UntypedHandleCall {
  return (_: unknown, callback: sendUnaryData<never>) =>
    callback({ code: status.UNIMPLEMENTED, details: `The stand-in has no ${name}.` }, null);
}

function listening(server: Server): Promise<string> {
  return new Promise((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(`127.0.0.1:${port}`) : reject(error),
    ),
  );
}
