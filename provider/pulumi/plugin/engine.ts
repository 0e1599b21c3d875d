import { Channel, connectivityState, credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import { type Clean } from "../../border";

/** The engine that started this process. It shows lines, and when it is gone, the process ends. */
export class Engine {
  #opened: Channel | undefined;
  #client: EngineClient | undefined;

  constructor(private readonly address: string) {}

  get #channel(): Channel {
    // The engine is on this machine: a proxy would only be in the way.
    const options = { "grpc.enable_http_proxy": 0 };
    return (this.#opened ??= new Channel(this.address, credentials.createInsecure(), options));
  }

  /** Shows a line under a resource; resolves once the engine has it, or can't be reached. */
  log(message: Clean, urn: string): Promise<void> {
    const client = (this.#client ??= new EngineClient(this.address, credentials.createInsecure(), {
      channelOverride: this.#channel,
    }));
    const request = new LogRequest();
    request.setSeverity(LogSeverity.INFO);
    request.setMessage(message);
    request.setUrn(urn);
    return new Promise((resolve) => client.log(request, () => resolve()));
  }

  /** Calls `onGone` when the engine is gone: then its address refuses the connection at once. */
  watch(onGone: () => void): void {
    const { TRANSIENT_FAILURE, SHUTDOWN } = connectivityState;
    const state = this.#channel.getConnectivityState(true);
    if (state === TRANSIENT_FAILURE || state === SHUTDOWN) onGone();
    else this.#channel.watchConnectivityState(state, Infinity, () => this.watch(onGone));
  }
}
