import type * as grpc from "@grpc/grpc-js";
import type * as services from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type Clean } from "../../border";
import { type Protocol } from "./protocol";

/** The engine that started this process. It shows lines, and when it is gone, the process ends. */
export class Engine {
  #opened: grpc.Channel | undefined;
  #services:
    (Pick<Protocol["engine"], "LogRequest" | "LogSeverity"> & { client: services.EngineClient }) | undefined;

  constructor(
    private readonly protocol: Protocol,
    private readonly address: string,
  ) {}

  get #channel(): grpc.Channel {
    const { credentials, Channel } = this.protocol.grpc;
    // The engine is on this machine: a proxy would only be in the way.
    const options = { "grpc.enable_http_proxy": 0 };
    return (this.#opened ??= new Channel(this.address, credentials.createInsecure(), options));
  }

  /** Shows a line under a resource; resolves once the engine has it, or can't be reached. */
  log(message: Clean, urn: string): Promise<void> {
    const { LogRequest, LogSeverity, client } = (this.#services ??= this.#load());
    const request = new LogRequest();
    request.setSeverity(LogSeverity.INFO);
    request.setMessage(message);
    request.setUrn(urn);
    return new Promise((resolve) => client.log(request, () => resolve()));
  }

  #load() {
    const { EngineClient, LogRequest, LogSeverity } = this.protocol.engine;
    const credentials = this.protocol.grpc.credentials.createInsecure();
    const client = new EngineClient(this.address, credentials, { channelOverride: this.#channel });
    return { client, LogRequest, LogSeverity };
  }

  /** Calls `onGone` when the engine is gone: then its address refuses the connection at once. */
  watch(onGone: () => void): void {
    const { TRANSIENT_FAILURE, SHUTDOWN } = this.protocol.grpc.connectivityState;
    const state = this.#channel.getConnectivityState(true);
    if (state === TRANSIENT_FAILURE || state === SHUTDOWN) onGone();
    else this.#channel.watchConnectivityState(state, Infinity, () => this.watch(onGone));
  }
}
