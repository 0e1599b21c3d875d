import { type Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import {
  attemptOutcome,
  ConfigurationError,
  NetworkError,
  TimeoutError,
  UnexpectedAnswerError,
} from "./errors";
import { PACKAGE_VERSION } from "./package-version";
import { isLoopback, type TenantSettings } from "./settings";
import { type SystemError, wantsCertificate, whyNoAnswer } from "./why-no-answer";

export interface HttpRequest {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path and query, percent-encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Ends the request at any stage. */
  signal?: AbortSignal | undefined;
  /** Ends the request only while nothing of it was written; after that, it continues to its answer. */
  unsentSignal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  /** By lower-case name; if a header came several times, the first value that isn't blank. */
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

type TransportSettings = Pick<TenantSettings, "origin" | "limits" | "nameOf">;

/** No documented answer comes near this; it keeps a wrong host from filling the memory. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const LONGEST_CONNECT_SECONDS = 10;

export const USER_AGENT = `pulumi-identity/${PACKAGE_VERSION}`;

/** HTTP to one origin with keep-alive. Redirects aren't followed, so the token reaches no other host. */
export class UndiciTransport {
  #opened: Dispatcher | undefined;
  /** By TLS: undici's error for the request says only that the other side closed. */
  #wantsCertificate = false;

  constructor(private readonly settings: TransportSettings) {
    // Reports an unusable proxy before the first request.
    if (proxyVariable() !== undefined) this.#dispatcher();
  }

  /** Created with the first request: a run without one never loads undici. */
  #dispatcher(): Dispatcher {
    return (this.#opened ??= dispatcherFor(this.settings, (error) => {
      this.#wantsCertificate ||= /ALERT_CERTIFICATE_REQUIRED$/.test(error.code ?? "");
    }));
  }

  /** Rejects with a `NetworkError`, an `UnexpectedAnswerError`, or a signal's reason. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { path, method, headers, body, signal, unsentSignal } = request;
    signal?.throwIfAborted();
    unsentSignal?.throwIfAborted();
    const exchange = new Exchange();
    const abort = () => exchange.abort(signal?.reason as Error);
    const abortUnsent = () => {
      if (!exchange.isSent) exchange.abort(unsentSignal?.reason as Error);
    };
    const timer = setTimeout(
      () => exchange.abort(new AnswerTooLate()),
      this.settings.limits.requestTimeoutSeconds * 1000,
    );
    signal?.addEventListener("abort", abort);
    unsentSignal?.addEventListener("abort", abortUnsent);
    try {
      this.#dispatcher().dispatch(
        {
          origin: this.settings.origin,
          path,
          method,
          headers: { "user-agent": USER_AGENT, accept: "application/json", ...headers },
          body: body ?? null,
        },
        exchange,
      );
      return await exchange.answer;
    } catch (error) {
      throw this.#explain(request, error as Error, exchange.isSent);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
      unsentSignal?.removeEventListener("abort", abortUnsent);
    }
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  #explain({ method, path, signal, unsentSignal }: HttpRequest, error: Error, isSent: boolean): Error {
    if ([signal, unsentSignal].some((given) => given?.aborted === true && error === given.reason))
      return error;
    const outcome = attemptOutcome({ isSent });
    const { limits, nameOf, origin } = this.settings;
    const call = `${method} ${path.split("?")[0]} on ${origin}`;
    if (error instanceof AnswerTooLong) {
      return new UnexpectedAnswerError(
        `${call} answered more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB. Check ${nameOf("domain")}.`,
        outcome,
      );
    }
    const { code = "" } = error as { code?: string };
    if (isDefect(error, code)) return error;
    if (error instanceof AnswerTooLate || code === "UND_ERR_CONNECT_TIMEOUT") {
      const what = isSent ? "got no complete answer" : "could not be sent: no connection was made";
      const seconds =
        code === "" ? limits.requestTimeoutSeconds : connectSeconds(limits.requestTimeoutSeconds);
      return new TimeoutError(
        `${call} ${what} within ${seconds} s. Check ${this.#way(isSent)}` +
          `${code === "" ? `, or raise ${nameOf("requestTimeoutSeconds")}` : ""}.`,
        outcome,
      );
    }
    return new NetworkError(`${call} failed: ${this.#reason(error)}`, outcome, code === "ENOTFOUND");
  }

  #reason(error: Error): string {
    const { origin, nameOf } = this.settings;
    const variable = proxyVariable() ?? "HTTPS_PROXY";
    const proxy = `${variable}, and NO_PROXY if the host needs none`;
    if (error instanceof ProxyFailure)
      return `no connection to the proxy ${error.host}: ${whyNoAnswer(error.cause, { setting: proxy, origin })}`;
    const refusal = /Proxy response \((\d+)\)/.exec(error.message)?.[1];
    if (refusal !== undefined) {
      const advice = refusal === "407" ? `Put user name and password into ${variable}` : `Check ${proxy}`;
      return `the proxy refused the connection with ${refusal}. ${advice}.`;
    }
    const setting = nameOf("domain");
    return this.#wantsCertificate ? wantsCertificate(setting) : whyNoAnswer(error, { setting, origin });
  }

  /** Returns what to check when no answer comes: once a connection stands, it isn't the proxy. */
  #way(isConnected: boolean): string {
    const { origin, nameOf } = this.settings;
    const domain = nameOf("domain");
    if (isConnected || isLoopback(new URL(origin).hostname)) return `${domain} and the network`;
    const proxy = proxyTo(origin);
    return proxy === undefined
      ? `${domain}, the network, and HTTPS_PROXY if there is a proxy`
      : `${domain}, the network and the proxy of ${proxy}`;
  }
}

class AnswerTooLate extends Error {}
class AnswerTooLong extends Error {}

/** The proxy couldn't be reached, or broke off before it reached the host. */
class ProxyFailure extends Error {
  constructor(
    readonly host: string,
    override readonly cause: Error,
  ) {
    super(cause.message);
  }
}

/** undici's errors don't tell a proxy from the host behind it. */
function proxyPool(url: URL, options: object): Dispatcher {
  const pool = new Pool(url.origin, options);
  const connectTo = pool.connect.bind(pool) as (to: object) => Promise<Dispatcher.ConnectData>;
  const connect = (to: object) =>
    connectTo(to).catch((error: unknown) => {
      throw new ProxyFailure(url.host, error as Error);
    });
  return Object.assign(pool, { connect });
}

/** One request and its answer. undici calls `onRequestStart` right before it writes to an open connection. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpAnswer>;
  #succeed!: (answer: HttpAnswer) => void;
  #fail!: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isGivenUp = false;
  #status = 0;
  #headers: HttpAnswer["headers"] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor() {
    this.answer = new Promise((resolve, reject) => {
      this.#succeed = resolve;
      this.#fail = reject;
    });
  }

  get isSent(): boolean {
    return this.#controller !== undefined;
  }

  abort(cause: Error): void {
    this.#isGivenUp = true;
    this.#fail(cause);
    this.#controller?.abort(cause);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while still connecting, so nothing is written.
    if (this.#isGivenUp) controller.abort(new Error("given up"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHeaders): void {
    this.#status = status;
    this.#headers = singleHeaders(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) this.abort(new AnswerTooLong());
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#succeed({ status: this.#status, headers: this.#headers, body: body.toString() });
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }
}

type IncomingHeaders = Record<string, string | string[] | undefined>;

/** The service sends no header twice. If one does come twice, the first non-blank value counts. */
function singleHeaders(headers: IncomingHeaders): HttpAnswer["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      Array.isArray(value) ? (value.find((text) => text.trim() !== "") ?? value[0]) : value,
    ]),
  );
}

function dispatcherFor(
  { origin, limits, nameOf }: TransportSettings,
  onSocketError: (error: SystemError) => void,
): Dispatcher {
  const connectTo = connectorBuilder()({ timeout: connectSeconds(limits.requestTimeoutSeconds) * 1000 });
  const connect: buildConnector.connector = (options, done) =>
    connectTo(options, (...[error, socket]: Parameters<typeof done>) => {
      socket?.on("error", onSocketError);
      (done as (...result: unknown[]) => void)(error, socket);
    });
  const options = {
    connections: limits.maxConcurrency,
    // `send` keeps one time-out for the whole answer.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect,
  };
  if (proxyTo(origin) === undefined) {
    const Agent = agentClass();
    return new Agent(options);
  }
  try {
    return new EnvHttpProxyAgent({ ...options, clientFactory: proxyPool });
  } catch {
    throw new ConfigurationError(
      `The proxy for ${nameOf("domain")} is not usable: HTTPS_PROXY or HTTP_PROXY of the environment must be a URL ` +
        "such as http://proxy.example.com:3128.",
    );
  }
}

/** Where NO_PROXY has the host, undici passes the proxy by. */
function proxyTo(origin: string): string | undefined {
  return isLoopback(new URL(origin).hostname) ? undefined : proxyVariable();
}

/** Returns the variable that names the proxy for https, with undici's precedence; undefined if none does. */
function proxyVariable(): string | undefined {
  for (const names of [
    ["https_proxy", "HTTPS_PROXY"],
    ["http_proxy", "HTTP_PROXY"],
  ]) {
    const name = names.find((one) => process.env[one] !== undefined);
    if (name !== undefined && process.env[name] !== "") return name;
  }
  return undefined;
}

function connectSeconds(requestTimeoutSeconds: number): number {
  return Math.min(requestTimeoutSeconds, LONGEST_CONNECT_SECONDS);
}

/** True if the problem is here and not on the way, so a retry would fail too. */
function isDefect(error: Error, code: string): boolean {
  const isOwn = [TypeError, RangeError, ReferenceError, SyntaxError, ConfigurationError].some(
    (kind) => error instanceof kind,
  );
  return (isOwn && code === "") || code === "UND_ERR_INVALID_ARG";
}

/* eslint-disable @typescript-eslint/no-require-imports -- an import can't be tried */

/**
 * All of undici reroutes the process's `fetch`, which other providers in the host share, and takes 80 ms of
 * processor time to load in place of 24 (undici 7.30.2, Node.js 20). So load what is needed from its own
 * file, or from the whole if a release has moved it.
 */
function ofUndici<Part>(name: "Agent" | "buildConnector", loadFile: () => Part): Part {
  try {
    return loadFile();
  } catch {
    return (require("undici") as Record<typeof name, Part>)[name];
  }
}

function agentClass(): typeof Agent {
  return ofUndici("Agent", () => require("undici/lib/dispatcher/agent.js") as typeof Agent);
}

function connectorBuilder(): typeof buildConnector {
  return ofUndici("buildConnector", () => require("undici/lib/core/connect.js") as typeof buildConnector);
}
