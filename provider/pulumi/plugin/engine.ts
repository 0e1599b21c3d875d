import type * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type Protocol } from "./protocol";

/** The engine that started this process. It shows lines, and when it is gone, the process ends. */
export class Engine {
  readonly #client: services.EngineClient;

  constructor(
    private readonly protocol: Protocol,
    address: string,
  ) {
    const { grpc, engine } = protocol;
    this.#client = new engine.EngineClient(address, grpc.credentials.createInsecure(), {
      // The engine is on this machine: a proxy would only be in the way.
      "grpc.enable_http_proxy": 0,
    });
  }

  /** Shows a line under a resource; resolves once the engine has it, or can't be reached. */
  log(message: string, urn: string): Promise<void> {
    const { LogRequest, LogSeverity } = this.protocol.engine;
    const request = new LogRequest();
    request.setSeverity(LogSeverity.INFO);
    request.setMessage(message);
    request.setUrn(urn);
    return new Promise((resolve) => this.#client.log(request, () => resolve()));
  }

  /** Calls `onGone` when the engine is gone: then its address refuses the connection at once. */
  watch(onGone: () => void): void {
    const channel = this.#client.getChannel();
    const { TRANSIENT_FAILURE, SHUTDOWN } = this.protocol.grpc.connectivityState;
    const state = channel.getConnectivityState(true);
    if (state === TRANSIENT_FAILURE || state === SHUTDOWN) onGone();
    else channel.watchConnectivityState(state, Infinity, () => this.watch(onGone));
  }
}
