import { Server } from "@grpc/grpc-js";
import { type ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { hostsFilePath } from "../../provider/pulumi/hosts-file";
import { loadProtocol } from "../../provider/pulumi/plugin/protocol";
import { type PackageContents, PluginServer } from "../../provider/pulumi/plugin/server";
import { type ProviderHost } from "./host";
import { atMoment, ofItsOwn } from "./host-in-process";
import { KINDS } from "./kinds";
import { LineServer, listen, PluginCalls, type ShownLine } from "./plugin-calls";
import { clientOf } from "./plugin-host";

const CONTENTS: PackageContents = { resources: KINDS, dataSources: {}, schema: () => "{}" };

export interface InProcessOptions {
  /** See `PluginOptions`. */
  listings?: boolean;
  /** The fixed time of its clock. */
  moment?: number | undefined;
  /** The run: its hosts know each other. Default: one of its own. */
  engine?: string;
  /** Default: servers of its own. */
  servers?: Servers;
}

/**
 * The plugin's server in this process, called over gRPC all the same: tables have hundreds of runs, and each
 * would start a process.
 */
export class PluginInProcess extends PluginCalls implements ProviderHost {
  readonly stderr = "";
  readonly processId = process.pid;
  #isKilled = false;

  private constructor(
    private readonly plugin: PluginServer,
    private readonly wire: Wire,
    private readonly run: RunOfEngine,
    listings: boolean,
    private readonly leave: (isKilled: boolean) => Promise<void>,
  ) {
    super(listings);
  }

  static async start({
    listings = false,
    moment,
    engine = randomUUID(),
    servers,
  }: InProcessOptions = {}): Promise<PluginInProcess> {
    const all = servers ?? new Servers();
    const [wire, run] = await Promise.all([all.wire(), all.run(engine)]);
    const plugin = new PluginServer(loadProtocol(), CONTENTS, run.server.address);
    wire.served = { methods: plugin.methods, moment };
    return new PluginInProcess(plugin, wire, run, listings, async (isKilled) => {
      await all.leave(engine, wire, isKilled);
      if (servers === undefined) all.stop();
    });
  }

  protected get client(): ResourceProviderClient {
    return this.wire.client;
  }

  override configure(config: Record<string, string>): Promise<void> {
    return super.configure(ofItsOwn(config));
  }

  /** The lines of all hosts of the run, for the first one that asks. */
  get messages(): string[] {
    this.run.teller ??= this;
    return this.run.teller === this ? this.run.lines.map(({ text }) => text) : [];
  }

  kill(): void {
    this.#isKilled = true;
    this.plugin.cancel("the host was killed");
    this.wire.server.forceShutdown();
  }

  stop(): Promise<void> {
    return this.leave(this.#isKilled);
  }
}

interface Wire {
  server: Server;
  client: ResourceProviderClient;
  served?: { methods: PluginServer["methods"]; moment: number | undefined };
}

interface RunOfEngine {
  server: LineServer;
  lines: readonly ShownLine[];
  hosts: number;
  /** The host that has the lines. */
  teller?: PluginInProcess;
}

/** Servers that a host leaves to the next one: starting them takes longer than most runs. */
export class Servers {
  readonly #wires = new Set<Wire>();
  readonly #idleWires: Wire[] = [];
  readonly #lineServers = new Set<LineServer>();
  readonly #idleLineServers: LineServer[] = [];
  readonly #runs = new Map<string, Promise<RunOfEngine>>();

  async wire(): Promise<Wire> {
    const idle = this.#idleWires.pop();
    if (idle !== undefined) return idle;
    const server = new Server();
    const names = Object.keys(new PluginServer(loadProtocol(), CONTENTS, undefined).methods);
    type Method = (...given: unknown[]) => void;
    const methods = names.map((name) => [
      name,
      (...args: unknown[]) =>
        atMoment(wire.served?.moment, () => (wire.served?.methods[name] as Method)(...args)),
    ]);
    server.addService(ResourceProviderService, Object.fromEntries(methods) as PluginServer["methods"]);
    const wire: Wire = { server, client: clientOf(await listen(server)) };
    this.#wires.add(wire);
    return wire;
  }

  /** The hosts of a run share the engine. */
  async run(engine: string): Promise<RunOfEngine> {
    const running = this.#runs.get(engine) ?? this.#begin();
    this.#runs.set(engine, running);
    const run = await running;
    run.hosts++;
    return run;
  }

  async #begin(): Promise<RunOfEngine> {
    const server = this.#idleLineServers.pop() ?? (await LineServer.start());
    this.#lineServers.add(server);
    server.lines = [];
    return { server, lines: server.lines, hosts: 0 };
  }

  /** What was killed may still be answering, so nobody takes it over. */
  async leave(engine: string, wire: Wire, isKilled: boolean): Promise<void> {
    const run = await this.#runs.get(engine);
    if (!isKilled) this.#idleWires.push(wire);
    if (run === undefined || --run.hosts > 0) return;
    this.#runs.delete(engine);
    rmSync(hostsFilePath(run.server.address), { force: true });
    if (!isKilled) this.#idleLineServers.push(run.server);
  }

  stop(): void {
    for (const { client, server } of this.#wires) {
      client.close();
      server.forceShutdown();
    }
    for (const server of this.#lineServers) server.stop();
  }
}
