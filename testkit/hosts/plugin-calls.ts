import { Server, ServerCredentials } from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { type LogRequest } from "@pulumi/pulumi/proto/engine_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { type Struct } from "google-protobuf/google/protobuf/struct_pb";
import {
  FOUND_NAMES,
  PROVIDER_TEXT,
  QUALIFIED_NAME,
  qualifiedName,
  READ_ONLY,
  secretNames,
  STACK,
  WRITTEN,
} from "../../provider/pulumi/hidden-inputs";
import { LISTING } from "../../provider/resources/role-group-assignment/listing";
import { secret, unmark } from "../../provider/pulumi/plugin/values";
import { EXPLICIT_PROVIDER_KEY } from "../../provider/pulumi/settings";
import { HandlerError, ProviderCalls, structOf, type Values } from "./host";

/** What a host leaves in state. */
const KEPT = new Set([WRITTEN, READ_ONLY, STACK]);
/** What only classes send. */
const OF_CLASSES = new Set([LISTING, FOUND_NAMES]);

/**
 * The engine's calls of the plugin. They take the dynamic provider's arguments, and send those of a program
 * in another language: the URN, marks of secrets, and nothing that only our classes add.
 */
export abstract class PluginCalls extends ProviderCalls {
  /** `listings`: true for the classes of `/plugin`, whose assignments come with their program's listing. */
  protected constructor(private readonly listings: boolean) {
    super();
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
      .filter(([name]) => !name.startsWith("__") || KEPT.has(name) || (OF_CLASSES.has(name) && this.listings))
      .map(([name, value]) => [name, secrets.includes(name) ? secret(value) : value]);
    return structOf(Object.fromEntries(entries) as Values);
  }

  protected override received(struct: Struct | undefined, of: Values): Values {
    const { values } = unmark(struct?.toJavaScript() ?? {});
    return { ...values, ...keptOf(of) };
  }

  override create(inputs: Values): Promise<{ id: string; properties: Values }> {
    return withText(inputs, super.create(inputs));
  }

  override update(id: string, olds: Values, news: Values): Promise<Values> {
    return withText(news, super.update(id, olds, news));
  }
}

/** The engine keeps the URN, and the double only inputs and outputs. This door doesn't need the text. */
function keptOf(of: Values): Values {
  const name = qualifiedName(of);
  return { [PROVIDER_TEXT]: of[PROVIDER_TEXT], ...(name !== undefined && { [QUALIFIED_NAME]: name }) };
}

/** A failure's resource has them, too. */
async function withText<Answer>(of: Values, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof HandlerError && error.partial !== undefined)
      Object.assign(error.partial.properties, keptOf(of));
    throw error;
  }
}

export interface ShownLine {
  urn: string;
  text: string;
}

/** The engine's side of the protocol: it shows lines. */
export class LineServer {
  lines: ShownLine[] = [];

  private constructor(
    private readonly server: Server,
    /** E.g. `127.0.0.1:43117`. */
    readonly address: string,
  ) {
    server.addService(EngineService, {
      log: ({ request }: { request: LogRequest }, answer: (error: null, empty: Empty) => void) => {
        this.lines.push({ urn: request.getUrn(), text: request.getMessage() });
        answer(null, new Empty());
      },
    });
  }

  static async start(): Promise<LineServer> {
    const server = new Server();
    return new LineServer(server, `127.0.0.1:${await listen(server)}`);
  }

  stop(): void {
    this.server.forceShutdown();
  }
}

/** Returns the port. */
function listen(server: Server): Promise<number> {
  return new Promise((bound, failed) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
      error === null ? bound(port) : failed(error),
    ),
  );
}
