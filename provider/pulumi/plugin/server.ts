import { AsyncLocalStorage } from "node:async_hooks";
import * as grpc from "@grpc/grpc-js";
import type { dynamic } from "@pulumi/pulumi";
import { PluginInfo } from "@pulumi/pulumi/proto/plugin_pb";
import * as rpc from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { Border, type Clean } from "../../border";
import { PACKAGE_VERSION } from "../../http/package-version";
import { type RawInputs } from "../../review/raw-inputs";
import { type DataSource } from "../data-source-kind";
import { formatRegistration, IGNORED, REGISTRATION } from "../hidden-inputs";
import { type Door, type HostConfig } from "../host/door";
import { HandlerError, messageOf } from "../host/handler-error";
import { type Handlers } from "../host/lifecycle";
import { runOf } from "../host/run-of-host";
import { NAMESPACE, SECRET_NAMES } from "../settings-table";
import { isExistsName, parseUrn, type Urn } from "../urn";
import { configOf, misspelt, withSecrets } from "./configuration";
import { type Difference, differences } from "./differences";
import { Engine } from "./engine";
import { ask } from "./invoke";
import { mark, type Marks, merged, secretByOption, unmark, withSecretNames } from "./values";

/** The package's resources and data sources by name, e.g. `getRole`. Each is loaded on demand. */
export interface PackageContents {
  resources: Readonly<Record<string, (door: Door) => Handlers>>;
  dataSources: Readonly<Record<string, () => DataSource<object, unknown, unknown>>>;
  schema: () => string;
}

/** A call that is being answered. */
interface Call {
  urn: string;
  /** Settled once the engine has the lines of the call. */
  logged: Promise<void>;
}

/** The call that is being answered. One for all servers: in Node.js 20, each one slows down every promise. */
const calls = new AsyncLocalStorage<Call>();

/** Serves Pulumi's protocol for providers with the handlers that the SDK's host calls, too. */
export class PluginServer {
  readonly #handlers = new Map<string, Handlers>();
  readonly #cancels = new Set<(reason: string) => void>();
  readonly #door: Door;
  /** For messages of no run. */
  readonly #border = new Border();
  #engine: Engine | undefined;
  #config: HostConfig = { get: () => undefined };

  constructor(
    private readonly contents: PackageContents,
    address: string | undefined,
  ) {
    this.#door = {
      engine: address,
      runs: new Map(),
      write: (line) => this.#tell(line),
      whenCancelled: (onCancel) => void this.#cancels.add(onCancel),
      namesResources: true,
    };
    if (address !== undefined) this.#attach(address);
  }

  /** Sends nothing more. Answers to what was sent still arrive. */
  cancel(reason: string): void {
    for (const cancel of this.#cancels) cancel(reason);
  }

  /** To any other call, the server answers UNIMPLEMENTED. */
  get methods(): grpc.UntypedServiceImplementation {
    return { ...this.#ofPlugin, ...this.#ofConfiguration, ...this.#ofPlans, ...this.#ofResources };
  }

  get #ofPlugin(): grpc.UntypedServiceImplementation {
    return {
      getPluginInfo: this.#method(() => {
        const info = new PluginInfo();
        info.setVersion(PACKAGE_VERSION);
        return info;
      }),
      getSchema: this.#method(() => {
        const answer = new rpc.GetSchemaResponse();
        answer.setSchema(this.contents.schema());
        return answer;
      }),
      attach: this.#method((request: { getAddress(): string }) => {
        this.#attach(request.getAddress());
        return new Empty();
      }),
      cancel: this.#method(() => {
        this.cancel("the run was cancelled");
        return new Empty();
      }),
    };
  }

  get #ofConfiguration(): grpc.UntypedServiceImplementation {
    return {
      checkConfig: this.#method((request: rpc.CheckRequest) => {
        const news = valuesOf(request.getNews());
        const answer = new rpc.CheckResponse();
        answer.setInputs(this.#struct(withSecrets(news)));
        const problems = misspelt(news, parseUrn(request.getUrn()));
        answer.setFailuresList(this.#failures(problems.map((problem) => this.#border.clean(problem))));
        return answer;
      }),
      // A changed provider replaces no resource: each checks its tenant itself.
      diffConfig: this.#method(() => new rpc.DiffResponse()),
      configure: this.#method((request: rpc.ConfigureRequest) => {
        const urn = parseUrn(request.getUrn() ?? "");
        this.#config = configOf(valuesOf(request.getArgs()), urn, process.env["PULUMI_CONFIG"]);
        this.#border.learn(...SECRET_NAMES.map((name) => this.#config.get(`${NAMESPACE}${name}`)));
        this.#handlers.clear();
        const answer = new rpc.ConfigureResponse();
        answer.setAcceptsecrets(true);
        return answer;
      }),
    };
  }

  /** Previews make these calls, too. */
  get #ofPlans(): grpc.UntypedServiceImplementation {
    return {
      check: this.#method(async (request: rpc.CheckRequest) => {
        const urn = parseUrn(request.getUrn());
        const { values, marks } = unmark(valuesOf(request.getNews()));
        const olds = unmark(valuesOf(request.getOlds())).values;
        const checked = await this.#handlersOf(urn).check(olds, named(values, urn));
        const answer = new rpc.CheckResponse();
        answer.setInputs(this.#struct(mark(checked.inputs, marks)));
        answer.setFailuresList(this.#failures(checked.failures.map(({ reason }) => reason)));
        return answer;
      }),
      diff: this.#method(async (request: rpc.DiffRequest) => {
        const urn = parseUrn(request.getUrn());
        const olds = unmark(valuesOf(request.getOlds())).values;
        const before = unmark(valuesOf(request.getOldInputs())).values;
        const news = unmark(valuesOf(request.getNews())).values;
        const result = await this.#handlersOf(urn).diff(request.getId(), olds, {
          ...named(withSecretNames(news, secretByOption(olds, before)), urn),
          [IGNORED]: request.getIgnorechangesList(),
        });
        // Most resources are unchanged, and then the handlers say so.
        if (result.changes !== undefined) return this.#diffResponse(result);
        return this.#diffResponse(result, differences(before, news));
      }),
      invoke: this.#method(async (request: rpc.InvokeRequest) => {
        const { values, marks } = unmark(valuesOf(request.getArgs()));
        const name = request.getTok().replace(/^identity:index:/, "");
        const { dataSources } = this.contents;
        const source = Object.hasOwn(dataSources, name) ? dataSources[name]?.() : undefined;
        if (source === undefined) throw new Error(unknownToken(request.getTok()));
        const run = runOf(this.#config, this.#door);
        const answer = new rpc.InvokeResponse();
        answer.setReturn(this.#struct(await ask(source, values, { run, isSecret: marks.secrets.size > 0 })));
        return answer;
      }),
    };
  }

  get #ofResources(): grpc.UntypedServiceImplementation {
    return {
      create: this.#method(async (request: rpc.CreateRequest) => {
        const urn = parseUrn(request.getUrn());
        const { values, marks } = unmark(valuesOf(request.getProperties()));
        const answer = new rpc.CreateResponse();
        if (request.getPreview()) {
          answer.setProperties(this.#struct(mark(values, marks)));
          return answer;
        }
        const made = await this.#marking(marks, () => this.#handlersOf(urn).create(named(values, urn)));
        answer.setId(made.id);
        answer.setProperties(this.#struct(mark(made.outs as object, marks)));
        return answer;
      }),
      read: this.#method(async (request: rpc.ReadRequest) => {
        const urn = parseUrn(request.getUrn());
        const handlers = this.#handlersOf(urn);
        const { values, marks } = unmark(valuesOf(request.getProperties()));
        const id = request.getId();
        // An import and a `get` send only the id, and the engine doesn't say which of them it is.
        const look = isExistsName(urn.name) ? handlers.exists : handlers.import;
        const found = await (Object.keys(values).length === 0 ? look(id) : handlers.read(id, values));
        const answer = new rpc.ReadResponse();
        answer.setId(found.id ?? "");
        if (found.id === undefined) return answer;
        answer.setProperties(this.#struct(mark(found.props as object, marks)));
        answer.setInputs(this.#struct(mark(found.inputs as object, marks)));
        return answer;
      }),
      update: this.#method(async (request: rpc.UpdateRequest) => {
        const urn = parseUrn(request.getUrn());
        const before = unmark(valuesOf(request.getOlds()));
        const { values, marks } = unmark(valuesOf(request.getNews()));
        const both = merged(before.marks, marks);
        const answer = new rpc.UpdateResponse();
        if (request.getPreview()) {
          answer.setProperties(this.#struct(mark(values, marks)));
          return answer;
        }
        const made = await this.#marking(both, () =>
          this.#handlersOf(urn).update(request.getId(), before.values, named(values, urn)),
        );
        answer.setProperties(this.#struct(mark(made.outs as object, marks)));
        return answer;
      }),
      delete: this.#method(async (request: rpc.DeleteRequest) => {
        const { values } = unmark(valuesOf(request.getProperties()));
        await this.#handlersOf(parseUrn(request.getUrn())).delete(request.getId(), values);
        return new Empty();
      }),
    };
  }

  /** `differs`: what to show if the handlers leave the comparison to the engine. */
  #diffResponse(
    { changes, replaces = [] }: dynamic.DiffResult,
    differs: ReadonlyMap<string, Difference> = new Map(),
  ): rpc.DiffResponse {
    const { DIFF_UNKNOWN, DIFF_NONE, DIFF_SOME } = rpc.DiffResponse.DiffChanges;
    const answer = new rpc.DiffResponse();
    answer.setReplacesList(replaces);
    if (differs.size === 0) {
      answer.setChanges(changes === undefined ? DIFF_UNKNOWN : changes ? DIFF_SOME : DIFF_NONE);
      return answer;
    }
    answer.setChanges(DIFF_SOME);
    answer.setHasdetaileddiff(true);
    const names = new Set<string>();
    for (const [path, difference] of differs) {
      const name = /^\w+/.exec(path)?.[0] ?? path;
      names.add(name);
      const { Kind } = rpc.PropertyDiff;
      const suffix = replaces.includes(name) ? "_REPLACE" : "";
      const property = new rpc.PropertyDiff();
      property.setKind(Kind[`${difference.toUpperCase()}${suffix}` as keyof typeof Kind]);
      property.setInputdiff(true);
      answer.getDetaileddiffMap().set(path, property);
    }
    answer.setDiffsList([...names]);
    return answer;
  }

  #struct(values: object): Struct {
    return Struct.fromJavaScript(values as Parameters<typeof Struct.fromJavaScript>[0]);
  }

  #attach(address: string): void {
    this.#engine = new Engine(address);
    this.#door.engine = address;
  }

  /** Calls `onGone` when the engine is gone. */
  watch(onGone: () => void): void {
    this.#engine?.watch(onGone);
  }

  /** An error fails its own call, and nothing else. */
  #method<Request, Answer>(answer: (request: Request) => Answer | Promise<Answer>) {
    return (
      { request }: grpc.ServerUnaryCall<Request, Answer>,
      callback: grpc.sendUnaryData<Answer>,
    ): void => {
      const urn = (request as { getUrn?: () => string }).getUrn?.() ?? "";
      const call: Call = { urn, logged: Promise.resolve() };
      const fail = (error: unknown) =>
        callback({ code: grpc.status.UNKNOWN, details: this.#messageOf(error) });
      calls
        .run(call, async () => answer(request))
        .then(
          (value) => call.logged.then(() => callback(null, value)),
          (error: unknown) => call.logged.then(() => callback(this.#serviceError(error))),
        )
        // Without an answer, the engine would wait forever.
        .catch(fail);
    };
  }

  #tell(line: Clean): void {
    const call = calls.getStore() ?? { urn: "", logged: Promise.resolve() };
    call.logged = call.logged.then(() => this.#engine?.log(line, call.urn));
  }

  #handlersOf({ type }: Urn): Handlers {
    const name = type.replace(/^identity:index:/, "");
    const known = this.#handlers.get(name);
    if (known !== undefined) return known;
    const make = Object.hasOwn(this.contents.resources, name) ? this.contents.resources[name] : undefined;
    if (make === undefined) throw new Error(unknownToken(type));
    const handlers = make(this.#door);
    void handlers.configure({ config: this.#config });
    this.#handlers.set(name, handlers);
    return handlers;
  }

  #failures(reasons: readonly Clean[]): rpc.CheckFailure[] {
    return reasons.map((reason) => {
      // With a property name, the engine would print the value.
      const failure = new rpc.CheckFailure();
      failure.setReason(reason);
      return failure;
    });
  }

  /** Marks the secrets in what a failure leaves behind. */
  async #marking<T>(marks: Marks, operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (error) {
      const { properties } = error as Partial<DoneInPart>;
      if (properties !== undefined) Object.assign(error as object, { properties: mark(properties, marks) });
      throw error;
    }
  }

  #messageOf(error: unknown): Clean {
    return error instanceof HandlerError ? error.message : this.#border.clean(messageOf(error));
  }

  /** After a change done in part, the error has the resource: or else the next `up` would make another. */
  #serviceError(error: unknown): Partial<grpc.ServiceError> {
    const message = this.#messageOf(error);
    const { id, properties, reasons = [message] } = error as Partial<DoneInPart>;
    const metadata = new grpc.Metadata();
    if (id !== undefined && properties !== undefined) {
      const detail = new rpc.ErrorResourceInitFailed();
      detail.setId(id);
      detail.setProperties(this.#struct(properties));
      detail.setReasonsList([...reasons]);
      const details = new Any();
      details.pack(detail.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
      const status = new Status();
      status.setCode(grpc.status.UNKNOWN);
      status.setMessage(message);
      status.addDetails(details);
      metadata.add("grpc-status-details-bin", Buffer.from(status.serializeBinary()));
    }
    return { code: grpc.status.UNKNOWN, details: message, metadata };
  }
}

/** The error of a create or update that was done in part. */
interface DoneInPart {
  id: string;
  properties: object;
  reasons: readonly Clean[];
}

/** Adds the name of the resource, as TypeScript programs send it. */
function named(values: RawInputs, { project, stack, parentTypes, name }: Urn): RawInputs {
  return { ...values, [REGISTRATION]: formatRegistration(`${project}/${stack}`, parentTypes, name) };
}

function valuesOf(struct: Struct | undefined): RawInputs {
  return struct?.toJavaScript() ?? {};
}

function unknownToken(token: string): string {
  return `pulumi-identity ${PACKAGE_VERSION} has no ${token}. Check its spelling, or update the package.`;
}
