import { type Border } from "../border";
import { requestIdOf } from "./answer";
import { bucketHeaders } from "./rate-limit/headers";
import { type HttpAnswer } from "./transport";

/** Lines for people, or one JSON object a line. */
export type LogFormat = "debug" | "json";

export interface LoggedRequest {
  method: string;
  /** Path below the API's base address, ids percent-encoded, without the query. */
  path: string;
  /** The same path with `{id}` in place of each id. */
  route: string;
  attempt: number;
}

/** The summary is printed after this long without a request. */
const IDLE_MS = 20;

/**
 * Prints a line per request, and a summary after a quiet moment and at the end of the process. The engine
 * kills the dynamic provider host with a signal once it has no more use for it, so waiting for the end alone
 * isn't enough.
 */
export class DebugLog {
  #timer: NodeJS.Timeout | undefined;
  #printed = 0;
  #isWaiting = false;

  constructor(
    private readonly format: LogFormat,
    private readonly border: Border,
    private readonly tenant: string,
    private readonly statistics: ClientStatistics,
  ) {}

  /** Listens only while there is something to print, so that idle clients can be garbage-collected. */
  #waitForTheEnd(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    changeMaxListeners(1);
    process.once("exit", this.#summarise);
  }

  /** Logs a request and its result. docs/troubleshooting.md promises these fields. */
  request({ method, route, attempt, ...request }: LoggedRequest, ms: number, answer?: HttpAnswer): void {
    const path = request.path.replace(/[^/]+/g, (id) =>
      this.border.isSecret(decodeURIComponent(id)) ? "[secret]" : id,
    );
    const status = answer?.status ?? null;
    const durationMs = Math.round(ms);
    const remaining = (answer && bucketHeaders(answer.headers, answer.status)?.remaining) ?? null;
    const requestId = (answer && requestIdOf(answer.headers)) ?? null;
    this.#print(
      { event: "request", method, path, route, status, durationMs, attempt, remaining, requestId },
      `${method} ${path} ${status ?? "no answer"} ${durationMs} ms, attempt ${attempt}, ` +
        `remaining ${remaining ?? "unknown"}${requestId === null ? "" : `, request ${requestId}`}`,
    );
    this.#waitForTheEnd();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#summarise, IDLE_MS).unref();
  }

  readonly #summarise = (): void => {
    const { running, requests, retries, tokenRequests } = this.statistics;
    if (running > 0) return;
    if (this.#isWaiting) {
      this.#isWaiting = false;
      process.removeListener("exit", this.#summarise);
      changeMaxListeners(-1);
    }
    if (requests === this.#printed) return;
    this.#printed = requests;
    const waitedMs = Math.round(this.statistics.waitedMs);
    this.#print(
      { event: "summary", requests, retries, waitedMs, tokenRequests },
      `${this.tenant}: ${requests} requests, ${retries} retries, ${waitedMs} ms waited, ` +
        `${tokenRequests} token requests`,
    );
  };

  #print(
    { event, ...fields }: { event: string } & Record<string, string | number | null>,
    line: string,
  ): void {
    const time = new Date().toISOString();
    if (this.format === "json") this.border.printJson({ event, time, tenant: this.tenant, ...fields });
    else this.border.print(`identity: ${time} ${line}`);
  }
}

/** Each log with unprinted lines adds a listener, and Node.js warns above its limit; 0 is no limit. */
function changeMaxListeners(by: number): void {
  const most = process.getMaxListeners();
  if (most > 0) process.setMaxListeners(most + by);
}

export interface ClientStatistics {
  running: number;
  /** Requests sent, not counting those for tokens. */
  requests: number;
  retries: number;
  tokenRequests: number;
  /** Milliseconds spent waiting for the rate limit, over all requests. */
  waitedMs: number;
}
