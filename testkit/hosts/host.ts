import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export type Values = Record<string, unknown>;

const repository = resolve(__dirname, "../..");
const START_MS = 20_000;
/** Longer than a create whose answer is lost, which looks for half a minute. */
const CALL_MS = 60_000;
/** For a warm process: each run leaves 10 MB behind, because it loads the host and the package anew. */
const MOST_RUNS = 100;

export interface HostOptions {
  /** Environment besides PATH and HOME; IDENTITY_* is not inherited. */
  env?: Record<string, string>;
  /** The program's folder. Default: the repository. */
  folder?: string;
  /** Address of the engine, for `Host.start`. Default: one without a listener. */
  engine?: string;
}

export interface CheckAnswer {
  inputs: Values;
  failures: { property: string; reason: string }[];
}

export interface DiffAnswer {
  changes: "none" | "some" | "unknown";
  replaces: string[];
  /** The changed inputs, if the provider names them. */
  diffs: string[];
  deleteBeforeReplace: boolean;
}

export interface ReadAnswer {
  id: string;
  properties: Values;
  inputs: Values | undefined;
}

/** The error that a failed handler returns to the engine. */
export class HandlerError extends Error {
  constructor(
    message: string,
    /** Set if the resource exists although the handler failed. */
    readonly partial: { id: string; properties: Values; reasons: string[] } | undefined,
  ) {
    super(message);
  }
}

/** The parts of a provider host that the engine needs. */
export type ProviderHost = Pick<
  Host,
  Exclude<keyof Host, "call" | "disconnect" | "isRunning" | "kill" | "leave">
> &
  Partial<Pick<Host, "kill">>;

/** The engine's calls about a resource. Each door adds URNs and secrets in its own way. */
export abstract class ProviderCalls {
  /** Calls any method. Rejects with the handler's error for the engine. */
  abstract call<Answer>(method: string, request: unknown): Promise<Answer>;

  /** The dynamic provider gets no URN. */
  protected urnOf(_values: Values): string {
    return "";
  }

  protected sent(values: Values): Struct {
    return structOf(values);
  }

  /** `of`: the values sent. */
  protected received(struct: Struct | undefined, _of: Values): Values {
    return valuesOf(struct);
  }

  async check(olds: Values, news: Values): Promise<CheckAnswer> {
    const request = new rpc.CheckRequest();
    request.setUrn(this.urnOf(news));
    request.setOlds(this.sent(olds));
    request.setNews(this.sent(news));
    const answer = await this.call<rpc.CheckResponse>("check", request);
    return {
      inputs: this.received(answer.getInputs(), news),
      failures: answer
        .getFailuresList()
        .map((failure) => ({ property: failure.getProperty(), reason: failure.getReason() })),
    };
  }

  /** `ignoreChanges`: the option. The dynamic provider's handlers get neither that nor the old inputs. */
  async diff(
    id: string,
    olds: Values,
    news: Values,
    ignoreChanges: readonly string[] = [],
    oldInputs: Values = {},
  ): Promise<DiffAnswer> {
    const request = new rpc.DiffRequest();
    request.setUrn(this.urnOf(news));
    request.setId(id);
    request.setOlds(this.sent(olds));
    request.setOldInputs(this.sent(oldInputs));
    request.setNews(this.sent(news));
    request.setIgnorechangesList([...ignoreChanges]);
    const answer = await this.call<rpc.DiffResponse>("diff", request);
    const changes = (["unknown", "none", "some"] as const)[answer.getChanges()];
    return {
      changes: changes ?? "unknown",
      replaces: answer.getReplacesList(),
      diffs: answer.getDiffsList(),
      deleteBeforeReplace: answer.getDeletebeforereplace(),
    };
  }

  async create(inputs: Values): Promise<{ id: string; properties: Values }> {
    const request = new rpc.CreateRequest();
    request.setUrn(this.urnOf(inputs));
    request.setProperties(this.sent(inputs));
    const answer = await this.call<rpc.CreateResponse>("create", request);
    return { id: answer.getId(), properties: this.received(answer.getProperties(), inputs) };
  }

  /** `inputs`: of state, in a refresh. */
  async read(id: string, properties: Values, inputs?: Values): Promise<ReadAnswer> {
    const request = new rpc.ReadRequest();
    request.setUrn(this.urnOf(properties));
    request.setId(id);
    request.setProperties(this.sent(properties));
    if (inputs !== undefined) request.setInputs(this.sent(inputs));
    const answer = await this.call<rpc.ReadResponse>("read", request);
    return {
      id: answer.getId(),
      properties: this.received(answer.getProperties(), properties),
      inputs: answer.hasInputs() ? this.received(answer.getInputs(), properties) : undefined,
    };
  }

  async update(id: string, olds: Values, news: Values): Promise<Values> {
    const request = new rpc.UpdateRequest();
    request.setUrn(this.urnOf(news));
    request.setId(id);
    request.setOlds(this.sent(olds));
    request.setNews(this.sent(news));
    const answer = await this.call<rpc.UpdateResponse>("update", request);
    return this.received(answer.getProperties(), news);
  }

  async delete(id: string, properties: Values): Promise<void> {
    const request = new rpc.DeleteRequest();
    request.setUrn(this.urnOf(properties));
    request.setId(id);
    request.setProperties(this.sent(properties));
    await this.call<unknown>("delete", request);
  }
}

/** Calls a method over the wire. `client`: of the host; `limitMs`: the time limit of the call. */
export function callOver<Answer>(
  client: ResourceProviderClient,
  method: string,
  request: unknown,
  limitMs: number,
): Promise<Answer> {
  type Method = (
    request: unknown,
    metadata: Metadata,
    options: { deadline: number },
    callback: (error: ServiceError | null, answer: Answer) => void,
  ) => void;
  const call = (client as unknown as Record<string, Method>)[method] as Method;
  return new Promise((resolve, reject) => {
    call.call(client, request, new Metadata(), { deadline: Date.now() + limitMs }, (error, answer) => {
      if (error === null) resolve(answer);
      else reject(handlerError(error));
    });
  });
}

/**
 * The SDK's own provider host, called as the engine does. `Host.start` starts a process for it; `Host.warm`
 * reuses one process, and loads the host and the package anew each time.
 */
export class Host extends ProviderCalls {
  private readonly client: ResourceProviderClient;

  private constructor(
    private readonly process: HostProcess,
    port: string,
    private readonly ownsProcess: boolean,
  ) {
    super();
    this.client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
    });
  }

  static async start(options: HostOptions = {}): Promise<Host> {
    const process = new HostProcess(
      [require.resolve("@pulumi/pulumi/cmd/dynamic-provider"), options.engine ?? "127.0.0.1:0"],
      options,
    );
    return new Host(process, await process.port(), true);
  }

  /**
   * `name`: the provider's; each has its own process, since one process serves one host at a time. `moment`:
   * the fixed time of its clock.
   */
  static async warm(name = "", engine = "127.0.0.1:0", moment?: number): Promise<Host> {
    let process = warmProcesses.get(name);
    if (process !== undefined && process.runs >= MOST_RUNS) await process.stop();
    if (process === undefined || !process.running) {
      process = new HostProcess([join(__dirname, "warm-host.cjs"), "127.0.0.1:0"], {});
      warmProcesses.set(name, process);
    }
    return new Host(process, await process.portOfNewHost(engine, moment), false);
  }

  call<Answer>(method: string, request: unknown): Promise<Answer> {
    return callOver(this.client, method, request, CALL_MS);
  }

  /** Lines from the handlers for the person at the CLI. */
  get messages(): string[] {
    return this.process.lines.slice();
  }

  get stderr(): string {
    return this.process.stderr;
  }

  get processId(): number {
    return this.process.id;
  }

  async configure(config: Record<string, string>): Promise<void> {
    const request = new rpc.ConfigureRequest();
    request.setArgs(structOf(config));
    await this.call<rpc.ConfigureResponse>("configure", request);
  }

  /** Closes the connection, as the engine does if nobody calls for half an hour. */
  disconnect(): void {
    this.client.close();
  }

  /** Closes the connection and the process's output pipes, as the engine's end does. */
  leave(): void {
    this.client.close();
    this.process.closeOutput();
  }

  get isRunning(): boolean {
    return this.process.running;
  }

  /** Kills the process at once. */
  kill(): void {
    this.process.kill();
  }

  async stop(): Promise<void> {
    this.client.close();
    if (!this.process.running) return;
    if (this.ownsProcess) await this.process.stop();
    else await this.process.endRun();
  }
}

/** Ends the processes of warm hosts; for `afterAll`. */
export async function stopWarmHost(): Promise<void> {
  await Promise.all([...warmProcesses.values()].map((process) => process.stop()));
  warmProcesses.clear();
}

const warmProcesses = new Map<string, HostProcess>();

/** A node process that prints a host's port, and then everything the handlers print. */
class HostProcess {
  runs = 0;
  lines: string[] = [];
  stderr = "";
  readonly #child: ChildProcess;
  readonly #kill = () => this.#child.kill("SIGKILL");
  #waiting: ((line: string) => void) | undefined;
  #unfinished = "";
  /** True while waiting for the line that ends a run. */
  #end = false;

  constructor(args: string[], options: HostOptions) {
    const { PATH, HOME, JEST_WORKER_ID = "" } = process.env;
    // For tests that run at the same time, a host with a clock ahead would delete their files as yesterday's.
    const temporary = join(tmpdir(), `hosts-${JEST_WORKER_ID}`);
    mkdirSync(temporary, { recursive: true });
    this.#child = spawn(process.execPath, args, {
      cwd: options.folder ?? repository,
      env: { PATH, HOME, TMPDIR: temporary, TEMP: temporary, PULUMI_CONFIG: "{}", ...options.env },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    process.once("exit", this.#kill);
    this.#child.stdout?.setEncoding("utf8").on("data", (text: string) => this.#received(text));
    this.#child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
  }

  get id(): number {
    return this.#child.pid ?? -1;
  }

  get running(): boolean {
    // A killed process is still there for a moment, but takes no more messages.
    return this.#child.exitCode === null && this.#child.signalCode === null && !this.#child.killed;
  }

  portOfNewHost(engine: string, moment?: number): Promise<string> {
    this.runs++;
    this.lines = [];
    this.stderr = "";
    if (this.#waiting !== undefined) throw new Error("The warm host serves one run after the other.");
    const port = this.port();
    this.#child.send({ engine, moment });
    return port;
  }

  /** Waits for everything that the run has printed. */
  async endRun(): Promise<void> {
    const ended = this.#line("did not end the run");
    this.#end = true;
    this.#child.send("end");
    await ended;
  }

  port(): Promise<string> {
    return this.#line("did not start");
  }

  async #line(whatFailed: string): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    let ended = () => {};
    try {
      return await new Promise<string>((resolve, reject) => {
        const failed = (how: string) => reject(new Error(`The provider host ${how}.\n${this.stderr}`));
        timer = setTimeout(() => failed(`${whatFailed} within ${START_MS} ms`), START_MS);
        ended = () => failed("ended by itself");
        this.#child.once("exit", ended);
        this.#waiting = resolve;
      });
    } finally {
      clearTimeout(timer);
      this.#child.removeListener("exit", ended);
    }
  }

  kill(): void {
    this.#child.kill("SIGKILL");
  }

  closeOutput(): void {
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
  }

  async stop(): Promise<void> {
    process.removeListener("exit", this.#kill);
    if (!this.running) return;
    const closed = once(this.#child, "close");
    const timer = setTimeout(this.#kill, 2_000);
    this.#child.kill("SIGTERM");
    await closed;
    clearTimeout(timer);
  }

  #received(text: string): void {
    const lines = (this.#unfinished + text).split("\n");
    this.#unfinished = lines.pop() ?? "";
    for (const line of lines) {
      const awaited = this.#end ? line === "end" : true;
      if (this.#waiting !== undefined && awaited) {
        this.#waiting(line);
        this.#waiting = undefined;
        this.#end = false;
      } else {
        this.lines.push(line);
      }
    }
  }
}

export function handlerError(error: ServiceError): HandlerError {
  const [details] = error.metadata.get("grpc-status-details-bin");
  if (details === undefined) return new HandlerError(error.details, undefined);
  const status = Status.deserializeBinary(Buffer.from(details));
  const failure = status
    .getDetailsList()[0]
    ?.unpack(
      (bytes) => rpc.ErrorResourceInitFailed.deserializeBinary(bytes),
      "pulumirpc.ErrorResourceInitFailed",
    );
  if (!failure) throw new Error("The details of the error are not those of a partial failure.");
  return new HandlerError(error.details, {
    id: failure.getId(),
    properties: valuesOf(failure.getProperties()),
    reasons: failure.getReasonsList(),
  });
}

export function structOf(values: Values): Struct {
  return Struct.fromJavaScript(defined(values) as Parameters<typeof Struct.fromJavaScript>[0]);
}

function valuesOf(struct: Struct | undefined): Values {
  return struct?.toJavaScript() ?? {};
}

/**
 * The engine has no `undefined`, so such keys are missing. `Object.fromEntries` keeps even a key `__proto__`.
 */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, child]) => child !== undefined)
      .map(([key, child]) => [key, defined(child)]),
  );
}
