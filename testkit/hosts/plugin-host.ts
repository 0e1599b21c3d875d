import { credentials, Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Struct } from "google-protobuf/google/protobuf/struct_pb";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import {
  PROVIDER_TEXT,
  QUALIFIED_NAME,
  qualifiedName,
  READ_ONLY,
  secretNames,
  WRITTEN,
} from "../../provider/pulumi/hidden-inputs";
import { LISTING } from "../../provider/resources/role-group-assignment/listing";
import { secret, unmark } from "../../provider/pulumi/plugin/values";
import { EXPLICIT_PROVIDER_KEY } from "../../provider/pulumi/settings";
import {
  type CheckAnswer,
  HandlerError,
  ProviderCalls,
  type ProviderHost,
  structOf,
  type Values,
} from "./host";

const repository = resolve(__dirname, "../..");
const PLUGIN = join(repository, "dist/provider/plugin.js");

const KEPT = new Set([WRITTEN, READ_ONLY]);

interface Line {
  urn: string;
  text: string;
}

export interface PluginOptions {
  env?: Record<string, string>;
  /** Default: this repository's plugin. */
  plugin?: string;
  /** Flags in front of the engine's address. */
  flags?: string[];
  /** True for the classes of `/plugin`, whose assignments come with the listing of their program. */
  listings?: boolean;
}

/**
 * The plugin, called as the engine does, with an engine that shows its lines. As a `ProviderHost` it takes
 * the dynamic provider's arguments, and sends those of a program in another language: the URN, marks of
 * secrets, and nothing that only our classes add.
 */
export class PluginHost extends ProviderCalls implements ProviderHost {
  protected override readonly callMs = 25_000;
  readonly lines: Line[] = [];
  /** All of its output except the port. */
  output = "";
  stderr = "";
  #client: ResourceProviderClient | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly engine: Server,
    private readonly listings: boolean,
  ) {
    super();
  }

  static async start({
    env = {},
    plugin = PLUGIN,
    flags = [],
    listings = false,
  }: PluginOptions = {}): Promise<PluginHost> {
    const engine = new Server();
    const address = `127.0.0.1:${await listen(engine)}`;
    const { PATH, HOME } = process.env;
    const TMPDIR = mkdtempSync(join(tmpdir(), "plugin-"));
    const child = spawn(process.execPath, [plugin, ...flags, address], {
      env: { PATH, HOME, TMPDIR, TEMP: TMPDIR, PULUMI_CONFIG: "{}", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const host = new PluginHost(child, engine, listings);
    engine.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, answer: (error: null, empty: Empty) => void) => {
        host.lines.push({ urn: request.getUrn(), text: request.getMessage() });
        answer(null, new Empty());
      },
    });
    try {
      await host.#connect();
    } catch (error) {
      engine.forceShutdown();
      throw error;
    }
    return host;
  }

  async #connect(): Promise<void> {
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => (this.stderr += text));
    const port = await new Promise<string>((found, failed) => {
      this.child.once("exit", (code) => failed(new Error(`The plugin ended with ${code}: ${this.stderr}`)));
      this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
        this.output += text;
        const [, first] = /^(\d+)\n/.exec(this.output) ?? [];
        if (first !== undefined) found(first);
      });
    });
    this.output = this.output.replace(/^\d+\n/, "");
    this.#client = new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
    });
  }

  protected override get client(): ResourceProviderClient {
    if (this.#client === undefined) throw new Error("The plugin has not started.");
    return this.#client;
  }

  get messages(): string[] {
    return this.lines.map(({ text }) => text);
  }

  get processId(): number {
    return this.child.pid ?? -1;
  }

  async configure(config: Record<string, string>): Promise<void> {
    const { [EXPLICIT_PROVIDER_KEY]: name = "default", ...settings } = config;
    const entries = Object.entries(settings).map(([key, value]) => [key.replace(/^identity:/, ""), value]);
    const request = new rpc.ConfigureRequest();
    request.setUrn(`urn:pulumi:test::test::pulumi:providers:identity::${name}`);
    request.setArgs(structOf(Object.fromEntries(entries) as Values));
    await this.call("configure", request);
  }

  /** Returns the URN of the resource for which the SDK would send these values. */
  protected override urnOf(values: Values): string {
    const [, kind = ""] = /runtime'\)\.(\w+)$/.exec(String(values[PROVIDER_TEXT])) ?? [];
    const [, parents, name] = /^(?:(.+)::)?(.*)$/s.exec(qualifiedName(values) ?? "nameless") ?? [];
    const types = [
      ...(parents ? [parents] : []),
      `identity:index:${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    ];
    return `urn:pulumi:test::test::${types.join("$")}::${name}`;
  }

  protected override sent(values: Values): Struct {
    const secrets = secretNames(values);
    const entries = Object.entries(values)
      .filter(([name]) => !name.startsWith("__") || KEPT.has(name) || (name === LISTING && this.listings))
      .map(([name, value]) => [name, secrets.includes(name) ? secret(value) : value]);
    return structOf(Object.fromEntries(entries) as Values);
  }

  protected override received(struct: Struct | undefined, of: Values): Values {
    const { values } = unmark(struct?.toJavaScript() ?? {});
    return { ...values, [PROVIDER_TEXT]: of[PROVIDER_TEXT] };
  }

  /** The engine keeps the URN, and the double only the inputs. */
  override async check(olds: Values, news: Values): Promise<CheckAnswer> {
    const answer = await super.check(olds, news);
    return { ...answer, inputs: { ...answer.inputs, [QUALIFIED_NAME]: qualifiedName(news) } };
  }

  override create(inputs: Values): Promise<{ id: string; properties: Values }> {
    return withText(inputs, super.create(inputs));
  }

  override update(id: string, olds: Values, news: Values): Promise<Values> {
    return withText(news, super.update(id, olds, news));
  }

  /** Ends only the engine; resolves when the plugin has ended. */
  async endOfEngine(): Promise<void> {
    const ended = once(this.child, "exit");
    this.engine.forceShutdown();
    this.#client?.close();
    await ended;
  }

  kill(): void {
    this.child.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#client?.close();
    const isRunning = this.child.exitCode === null && this.child.signalCode === null;
    if (isRunning) {
      const closed = once(this.child, "close");
      this.child.kill("SIGTERM");
      await closed;
    }
    this.engine.forceShutdown();
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((bound, failed) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? bound(port) : failed(error),
    ),
  );
}

/** A failure's resource also has the text that this door doesn't need. */
async function withText<Answer>(of: Values, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof HandlerError && error.partial !== undefined)
      error.partial.properties[PROVIDER_TEXT] = of[PROVIDER_TEXT];
    throw error;
  }
}
