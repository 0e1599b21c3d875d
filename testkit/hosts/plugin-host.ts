import { credentials } from "@grpc/grpc-js";
import { ResourceProviderClient } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { callOver, type ProviderHost } from "./host";
import { LineServer, PluginCalls, type ShownLine } from "./plugin-calls";

const repository = resolve(__dirname, "../..");
const CALL_MS = 25_000;
const PLUGIN = join(repository, "dist/provider/plugin.js");

export interface PluginOptions {
  env?: Record<string, string>;
  /** A script of Node.js, or an executable. Default: this repository's plugin. */
  plugin?: string;
  /** Flags in front of the engine's address. */
  flags?: string[];
  /** True for the classes of `/plugin`, whose assignments come with the listing of their program. */
  listings?: boolean;
  /** The time limit of one call. Default: 25,000. */
  callMs?: number;
}

/** The plugin in its own process, as the engine starts it. */
export class PluginHost extends PluginCalls implements ProviderHost {
  /** All of its output except the port. */
  output = "";
  stderr = "";
  #client: ResourceProviderClient | undefined;

  private constructor(
    private readonly child: ChildProcess,
    private readonly engine: LineServer,
    private readonly options: PluginOptions,
  ) {
    super(options.listings ?? false);
  }

  static async start(options: PluginOptions = {}): Promise<PluginHost> {
    const { env = {}, plugin = PLUGIN, flags = [] } = options;
    const engine = await LineServer.start();
    const { PATH, HOME } = process.env;
    const TMPDIR = mkdtempSync(join(tmpdir(), "plugin-"));
    const [command, ...script]: [string, ...string[]] = plugin.endsWith(".js")
      ? [process.execPath, plugin]
      : [plugin];
    const child = spawn(command, [...script, ...flags, engine.address], {
      env: { PATH, HOME, TMPDIR, TEMP: TMPDIR, PULUMI_CONFIG: "{}", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const host = new PluginHost(child, engine, options);
    try {
      await host.#connect();
    } catch (error) {
      engine.stop();
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
    this.#client = clientOf(port);
  }

  call<Answer>(method: string, request: unknown): Promise<Answer> {
    if (this.#client === undefined) throw new Error("The plugin has not started.");
    return callOver(this.#client, method, request, this.options.callMs ?? CALL_MS);
  }

  get lines(): readonly ShownLine[] {
    return this.engine.lines;
  }

  get messages(): string[] {
    return this.lines.map(({ text }) => text);
  }

  get processId(): number {
    return this.child.pid ?? -1;
  }

  /** Ends only the engine; resolves when the plugin has ended. */
  async endOfEngine(): Promise<void> {
    const ended = once(this.child, "exit");
    this.engine.stop();
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
    this.engine.stop();
  }
}

function clientOf(port: string | number): ResourceProviderClient {
  return new ResourceProviderClient(`127.0.0.1:${port}`, credentials.createInsecure(), {
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
}
