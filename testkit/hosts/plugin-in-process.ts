import { Metadata, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { DATA_SOURCES, RESOURCES } from "../../provider/contents";
import { hostsFilePath } from "../../provider/pulumi/hosts-file";
import { type PackageContents, PluginServer } from "../../provider/pulumi/plugin/server";
import { handlerError, type ProviderHost } from "./host";
import { atMoment } from "./host-in-process";
import { LineServer, PluginCalls, type ShownLine } from "./plugin-calls";

const CONTENTS: PackageContents = { resources: RESOURCES, dataSources: DATA_SOURCES, schema: () => "{}" };

interface InProcessOptions {
  /** See `PluginOptions`. */
  listings?: boolean;
  /** The fixed time of its clock. */
  moment?: number | undefined;
  /** The run: its hosts know each other. Default: one of its own. */
  engine?: string;
  /** Default: runs of its own. */
  runs?: RunsInProcess;
}

/**
 * The plugin's server in this process, called with messages as they are on the wire. There is no wire:
 * tables have hundreds of runs, and most of their time went into it. `PluginHost` has one.
 */
export class PluginInProcess extends PluginCalls implements ProviderHost {
  readonly stderr = "";
  readonly processId = process.pid;
  #fail: (error: Error) => void = () => {};
  readonly #killed = new Promise<never>((_, reject) => (this.#fail = reject));
  #isKilled = false;
  readonly #methods: Record<string, Method>;

  private constructor(
    private readonly plugin: PluginServer,
    private readonly run: RunOfEngine,
    private readonly moment: number | undefined,
    listings: boolean,
    private readonly leave: (isKilled: boolean) => Promise<void>,
  ) {
    super(listings);
    this.#methods = plugin.methods as Record<string, Method>;
    this.#killed.catch(() => undefined);
  }

  static async start({
    listings = false,
    moment,
    engine = randomUUID(),
    runs,
  }: InProcessOptions = {}): Promise<PluginInProcess> {
    const all = runs ?? new RunsInProcess();
    const run = await all.join(engine);
    const plugin = new PluginServer(CONTENTS, run.server.address);
    return new PluginInProcess(plugin, run, moment, listings, async (isKilled) => {
      await all.leave(engine, isKilled);
      if (runs === undefined) all.stop();
    });
  }

  override async call<Answer>(name: string, request: unknown): Promise<Answer> {
    const { requestSerialize, requestDeserialize, responseSerialize, responseDeserialize } = wireOf(name);
    const sent = requestDeserialize(requestSerialize(request));
    const answered = new Promise<Answer>((resolve, reject) =>
      atMoment(this.moment, () =>
        this.#methods[name]?.({ request: sent }, (error, answer) => {
          if (error === null) resolve(responseDeserialize(responseSerialize(answer)) as Answer);
          else reject(handlerError({ metadata: new Metadata(), ...error } as ServiceError));
        }),
      ),
    );
    return Promise.race([this.#killed, answered]);
  }

  /** The lines of all hosts of the run, for the first one that asks. */
  get messages(): string[] {
    this.run.teller ??= this;
    return this.run.teller === this ? this.run.lines.map(({ text }) => text) : [];
  }

  kill(): void {
    this.#isKilled = true;
    this.plugin.cancel("the host was killed");
    this.#fail(new Error("The host was killed."));
  }

  stop(): Promise<void> {
    return this.leave(this.#isKilled);
  }
}

type Method = (
  call: { request: unknown },
  answer: (error: Partial<ServiceError> | null, answer?: unknown) => void,
) => void;

interface WireFormat {
  requestSerialize: (request: unknown) => Buffer;
  requestDeserialize: (bytes: Buffer) => unknown;
  responseSerialize: (answer: unknown) => Buffer;
  responseDeserialize: (bytes: Buffer) => unknown;
}

function wireOf(name: string): WireFormat {
  const formats = ResourceProviderService as unknown as Record<string, WireFormat | undefined>;
  const format = formats[name];
  if (format === undefined) throw new Error(`Pulumi's protocol has no call ${name}.`);
  return format;
}

interface RunOfEngine {
  server: LineServer;
  lines: readonly ShownLine[];
  hosts: number;
  /** The host that has the lines. */
  teller?: PluginInProcess;
}

/** Runs, which leave the server of their lines to the next one: starting it takes longer than most runs. */
export class RunsInProcess {
  readonly #servers = new Set<LineServer>();
  readonly #idle: LineServer[] = [];
  readonly #runs = new Map<string, Promise<RunOfEngine>>();

  /** The hosts of a run share the engine. */
  async join(engine: string): Promise<RunOfEngine> {
    const running = this.#runs.get(engine) ?? this.#begin();
    this.#runs.set(engine, running);
    const run = await running;
    run.hosts++;
    return run;
  }

  async #begin(): Promise<RunOfEngine> {
    const server = this.#idle.pop() ?? (await LineServer.start());
    this.#servers.add(server);
    server.lines = [];
    return { server, lines: server.lines, hosts: 0 };
  }

  /** What was killed may still be answering, so nobody takes its server over. */
  async leave(engine: string, isKilled: boolean): Promise<void> {
    const run = await this.#runs.get(engine);
    if (run === undefined || --run.hosts > 0) return;
    this.#runs.delete(engine);
    rmSync(hostsFilePath(run.server.address), { force: true });
    if (!isKilled) this.#idle.push(run.server);
  }

  stop(): void {
    for (const server of this.#servers) server.stop();
  }
}
