import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { ConfigurationError, NetworkError, TimeoutError, UnexpectedAnswerError } from "./errors";
import { isLoopback, type TenantSettings } from "./settings";

export interface HttpRequest {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** Path and query, percent-encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string | undefined>>;
  body: string;
}

export interface Transport {
  send(request: HttpRequest): Promise<HttpAnswer>;
  close(): Promise<void>;
}

/** No documented answer comes near this; it keeps a wrong host from filling the memory. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const LONGEST_CONNECT_SECONDS = 10;

export const USER_AGENT = `pulumi-identity/${packageVersion()}`;

/** HTTP to one origin with keep-alive. Redirects are never followed, so the bearer header goes to no other host. */
export class UndiciTransport implements Transport {
  readonly #dispatcher: Dispatcher;

  constructor(private readonly settings: TenantSettings) {
    this.#dispatcher = dispatcherFor(settings);
  }

  send(request: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const { signal } = request;
      if (signal?.aborted === true) {
        reject(signal.reason as Error);
        return;
      }
      const exchange = new Exchange(
        (answer) => {
          finish();
          resolve(answer);
        },
        (error, started) => {
          finish();
          reject(this.#explain(request, error, started));
        },
      );
      const abort = () => exchange.abort(signal?.reason as Error);
      const timer = setTimeout(
        () => exchange.abort(new AnswerTooLate()),
        this.settings.limits.requestTimeoutSeconds * 1000,
      );
      const finish = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      signal?.addEventListener("abort", abort);
      try {
        this.#dispatcher.dispatch(
          {
            origin: this.settings.origin,
            path: request.path,
            method: request.method,
            headers: { "user-agent": USER_AGENT, accept: "application/json", ...request.headers },
            body: request.body ?? null,
          },
          exchange,
        );
      } catch (error) {
        exchange.onResponseError(undefined, error as Error);
      }
    });
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  #explain({ method, path, signal }: HttpRequest, error: Error, maybeReceived: boolean): Error {
    if (signal?.aborted === true && error === signal.reason) return error;
    const { limits, nameOf, origin } = this.settings;
    const call = `${method} ${path.split("?")[0]} on ${origin}`;
    if (error instanceof AnswerTooLong) {
      return new UnexpectedAnswerError(
        `${call} answered more than ${MAX_ANSWER_BYTES / 1024 / 1024} MiB. Check ${nameOf("domain")}.`,
      );
    }
    const { code = "" } = error as { code?: string };
    if (error instanceof AnswerTooLate || code === "UND_ERR_CONNECT_TIMEOUT") {
      const what = maybeReceived ? "got no complete answer" : "could not be sent: no connection was made";
      const seconds =
        code === "" ? limits.requestTimeoutSeconds : connectSeconds(limits.requestTimeoutSeconds);
      return new TimeoutError(
        `${call} ${what} within ${seconds} s. Check ${nameOf("domain")} and the network` +
          `${code === "" ? `, or raise ${nameOf("requestTimeoutSeconds")}` : ""}.`,
        maybeReceived,
      );
    }
    return new NetworkError(
      `${call} failed: ${reason(code, error.message, nameOf("domain"))}`,
      maybeReceived,
    );
  }
}

class AnswerTooLate extends Error {}
class AnswerTooLong extends Error {}

/** One request and its answer. undici tells `onRequestStart` right before it writes to an open connection. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #ended = false;
  #status = 0;
  #headers: HttpAnswer["headers"] = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    private readonly succeed: (answer: HttpAnswer) => void,
    private readonly fail: (error: Error, started: boolean) => void,
  ) {}

  abort(reason: Error): void {
    this.onResponseError(undefined, reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It was given up while the connection was still being made: nothing is written any more.
    if (this.#ended) controller.abort(new Error("given up"));
    else this.#controller = controller;
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: object): void {
    this.#status = status;
    this.#headers = headers as HttpAnswer["headers"];
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > MAX_ANSWER_BYTES) this.abort(new AnswerTooLong());
  }

  onResponseEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    const body = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.succeed({ status: this.#status, headers: this.#headers, body: body.toString() });
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.#ended) return;
    this.#ended = true;
    this.fail(error, this.#controller !== undefined);
  }
}

function dispatcherFor({ origin, limits, nameOf }: TenantSettings): Dispatcher {
  const options = {
    connections: limits.maxConcurrency,
    // One time-out for the whole answer is kept by `send`.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectSeconds(limits.requestTimeoutSeconds) * 1000 },
  };
  if (isLoopback(new URL(origin).hostname)) return new Agent(options);
  try {
    return new EnvHttpProxyAgent(options);
  } catch {
    throw new ConfigurationError(
      `The proxy for ${nameOf("domain")} is not usable: HTTPS_PROXY or HTTP_PROXY of the environment must be a URL ` +
        "such as http://proxy.example.com:3128.",
    );
  }
}

function connectSeconds(requestTimeoutSeconds: number): number {
  return Math.min(requestTimeoutSeconds, LONGEST_CONNECT_SECONDS);
}

function reason(code: string, message: string, domain: string): string {
  if (code === "ECONNREFUSED") return `the connection was refused. Check ${domain}.`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return `the host name could not be resolved. Check ${domain} and the network.`;
  }
  if (/certificate|CERT|self.signed/i.test(`${code} ${message}`)) {
    return (
      `the host's certificate is not trusted (${code}). Check ${domain}; if a certificate authority of your ` +
      "own signed it, name its file in NODE_EXTRA_CA_CERTS."
    );
  }
  if (/^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)) {
    return `the host does not speak TLS as expected (${code}). Check ${domain}.`;
  }
  const proxy = /Proxy response \((\d+)\)/.exec(message)?.[1];
  if (proxy !== undefined) {
    return `the proxy refused the connection with ${proxy}. Check HTTPS_PROXY, and NO_PROXY if the host needs none.`;
  }
  if (code === "ECONNRESET" || code === "UND_ERR_SOCKET" || code === "EPIPE") {
    return "the connection broke before an answer came. Check the network and run this again.";
  }
  return `${code === "" ? "no connection" : code}. Check ${domain}, the network and, where one is used, the proxy.`;
}

function packageVersion(): string {
  // The built file and the source file are equally deep below the package's folder.
  const manifest = JSON.parse(readFileSync(join(__dirname, "../../package.json"), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
