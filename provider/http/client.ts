import { z } from "zod";
import {
  apiError,
  type CallName,
  type ErrorAnswer,
  type IdentityError,
  RateLimitedError,
  sentence,
  UnexpectedAnswerError,
} from "./errors";
import { RateLimitGovernor } from "./rate-limit/governor";
import { bucketHeaders, retryAfterMs } from "./rate-limit/headers";
import { pathSegment } from "./ids";
import { printable } from "./redact";
import { noAnswer, type Outcome, Retry } from "./retry";
import { secretsOf, type TenantSettings } from "./settings";
import { parseJson, TokenSource } from "./token";
import { type HttpAnswer, type HttpRequest, type Transport, UndiciTransport } from "./transport";

/** One call of the API. */
export interface Call<Answer> {
  method: HttpRequest["method"];
  /** Below `/api/v2`, with `{name}` for each id: `/connection-profiles/{id}`. */
  path: string;
  /** Ids for the path; percent-encoded here. */
  ids?: Record<string, string>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  /** Shape of a 2xx answer; undefined when its body does not matter. */
  answer?: z.ZodType<Answer>;
  /** Scopes of which one is needed, for the message when none is granted. */
  scopes: readonly string[];
}

/** What the client tells its surroundings; texts hold no secret. */
export interface ClientHooks {
  /** Something that a person who waits should know. */
  notice?: (text: string) => void;
  /** One line per request; undefined: not wanted. */
  debug?: ((text: string) => void) | undefined;
}

export interface ClientStatistics {
  /** Calls that have not ended yet. */
  running: number;
  requests: number;
  retries: number;
  /** Milliseconds that requests waited for the rate limit, added up. */
  waitedMs: number;
}

/** A call in progress, from its first attempt to its last. */
interface Operation {
  call: Call<unknown>;
  name: CallName;
  target: string;
  body: string | undefined;
  signal: AbortSignal | undefined;
  startedAt: number;
  /** Whether a new token was asked for: once is enough. */
  renewed: boolean;
}

const API_PATH = "/api/v2";
/** Waits that a person would wonder about. */
const LONG_WAIT_MS = 5_000;

const errorBody = z.looseObject({
  statusCode: z.number().optional(),
  message: z.string().optional(),
  errorCode: z.string().optional(),
});

/** The one authenticated client of a tenant: token, rate limit, retry and errors for every call. */
export class IdentityClient {
  readonly statistics: ClientStatistics = { running: 0, requests: 0, retries: 0, waitedMs: 0 };
  /** Host name, with the port where there is one: what a person calls the tenant. */
  readonly tenant: string;
  readonly #transport: Transport;
  readonly #token: TokenSource;
  readonly #governor: RateLimitGovernor;
  readonly #retry: Retry;
  #toldWait = false;

  constructor(
    readonly settings: TenantSettings,
    private readonly hooks: ClientHooks = {},
  ) {
    const { limits } = settings;
    this.tenant = new URL(settings.origin).host;
    this.#transport = new UndiciTransport(settings);
    this.#retry = new Retry({ maxWaitMs: limits.maxWaitSeconds * 1000 });
    this.#token = new TokenSource(settings, this.#transport, this.#retry, (path, status) =>
      hooks.debug?.(`POST ${path} ${status}`),
    );
    this.#governor = new RateLimitGovernor(limits, {
      onWait: (ms, queued) => this.#tellWait(ms, `, with ${queued} request(s) queued`),
    });
  }

  /** Token requests sent so far. */
  get tokenRequests(): number {
    return this.#token.requests;
  }

  async send<Answer = undefined>(call: Call<Answer>, signal?: AbortSignal): Promise<Answer> {
    const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(call.ids?.[name]));
    const operation: Operation = {
      call,
      name: { method: call.method, path },
      target: API_PATH + path + queryText(call.query),
      body: call.body === undefined ? undefined : JSON.stringify(call.body),
      signal,
      startedAt: performance.now(),
      renewed: false,
    };
    const answer = await this.#run(operation);
    if (call.answer === undefined) return undefined as Answer;
    const parsed = call.answer.safeParse(parseJson(answer.body));
    if (parsed.success) return parsed.data;
    throw new UnexpectedAnswerError(
      `${call.method} ${path} answered ${answer.status} with an unexpected body: ${mismatches(parsed.error)}. ` +
        `Check that ${this.settings.nameOf("domain")} is an identity tenant; if it is, this package may be too old for it.`,
    );
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #run(operation: Operation): Promise<HttpAnswer> {
    this.statistics.running++;
    try {
      return await this.#retry.run(
        operation.call.method,
        (number) => this.#attempt(operation, number),
        operation.signal,
        (delayMs) => {
          this.statistics.retries++;
          this.#tellWait(delayMs, "");
        },
      );
    } finally {
      this.statistics.running--;
    }
  }

  async #attempt(operation: Operation, number: number): Promise<Outcome<HttpAnswer>> {
    for (;;) {
      const token = await this.#token.token(operation.signal);
      let answer: HttpAnswer;
      try {
        answer = await this.#request(operation, token, number);
      } catch (error) {
        return noAnswer(error);
      }
      const { status, headers } = answer;
      if (status >= 200 && status < 300) return { value: answer };
      if (status === 401 && this.#token.renewable && !operation.renewed) {
        operation.renewed = true;
        this.#token.refused(token);
        continue;
      }
      return {
        failure: { kind: "status", status, retryAfterMs: retryAfterMs(headers) },
        error: this.#error(operation, answer, token, number),
      };
    }
  }

  /** Sends one request when the rate limit has room for it. */
  async #request(operation: Operation, token: string, number: number): Promise<HttpAnswer> {
    const { call, name, target, body, signal, startedAt } = operation;
    const queuedAt = performance.now();
    const maxWaitMs = Math.max(0, this.settings.limits.maxWaitSeconds * 1000 - (queuedAt - startedAt));
    const permit = await this.#governor.acquire(endpointGroup(call), maxWaitMs, signal);
    const start = performance.now();
    if (permit === undefined) {
      signal?.throwIfAborted();
      throw new RateLimitedError(
        name,
        `${name.method} ${name.path} found no room in the tenant's rate limit within ${seconds(start - startedAt)}. ` +
          `Tried ${number - 1} time(s). ${this.#adviceOnLimit()}`,
      );
    }
    this.statistics.waitedMs += start - queuedAt;
    this.statistics.requests++;
    const debug = (result: string, remaining = "unknown") =>
      this.hooks.debug?.(
        `${call.method} ${call.path} ${result} ${Math.round(performance.now() - start)} ms, ` +
          `attempt ${number}, remaining ${remaining}`,
      );
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    let answer: HttpAnswer;
    try {
      answer = await this.#transport.send({ method: call.method, path: target, headers, body, signal });
    } catch (error) {
      permit.lost();
      debug("no answer");
      throw error;
    }
    const bucket = bucketHeaders(answer.headers, answer.status);
    // A gateway that answers for the service knows nothing of its limits.
    if (bucket === undefined && answer.status >= 500) permit.lost();
    else permit.answered(bucket);
    debug(String(answer.status), bucket && String(bucket.remaining));
    return answer;
  }

  #error(operation: Operation, answer: HttpAnswer, token: string, attempts: number): IdentityError {
    const { name, call, startedAt } = operation;
    const { credentials, nameOf, origin, rotation } = this.settings;
    const { status, headers } = answer;
    if (status >= 300 && status < 400) {
      return new UnexpectedAnswerError(
        `${name.method} ${name.path} on ${origin} answered ${status}, a redirect${redirectHost(headers["location"])}, ` +
          `which is not followed because the token must not go elsewhere. Set ${nameOf("domain")} to the tenant's own host name.`,
      );
    }
    const secrets = [token, ...secretsOf(credentials)];
    const parsed = errorBody.safeParse(parseJson(answer.body));
    const { statusCode, errorCode, message } = parsed.success ? parsed.data : {};
    if (status === 404 && statusCode !== 404) {
      // It would be taken for the end of an object, and its state would be given up.
      return new UnexpectedAnswerError(
        `${name.method} ${name.path} on ${origin} answered 404, but not in the words of the service: something before it, ` +
          `such as a gateway, does not know the path. Check ${nameOf("domain")}.`,
      );
    }
    const requestId = headers["x-request-id"] ?? headers["x-auth0-requestid"];
    const error: ErrorAnswer = {
      status,
      ...(errorCode !== undefined && { code: printable(errorCode, secrets) }),
      ...(message !== undefined && { message: printable(message, secrets) }),
      ...(requestId !== undefined && /^[\w-]{1,100}$/.test(requestId) && { requestId }),
    };
    if (status === 429) {
      const elapsed = seconds(performance.now() - startedAt);
      return new RateLimitedError(
        name,
        `${sentence(name, error)} Tried ${attempts} time(s) in ${elapsed}. ${this.#adviceOnLimit()}`,
      );
    }
    const used = credentials.kind === "access-token" ? nameOf("accessToken") : nameOf("clientId");
    return apiError(
      name,
      error,
      call.scopes,
      `The token was not accepted: it may have expired, or be another tenant's. Check ${used} and ${nameOf("domain")}. ${rotation}`,
    );
  }

  #adviceOnLimit(): string {
    const { nameOf } = this.settings;
    return (
      `Others use up the limit of ${this.tenant}: run this again later, lower ${nameOf("rateLimitReserve")}, ` +
      `or raise ${nameOf("maxWaitSeconds")}.`
    );
  }

  #tellWait(ms: number, circumstances: string): void {
    if (ms < LONG_WAIT_MS || this.#toldWait) return;
    this.#toldWait = true;
    this.hooks.notice?.(
      `Waiting about ${seconds(ms)} for the rate limit of ${this.tenant}${circumstances}; further waits are not reported.`,
    );
  }
}

/** Endpoints that may have a bucket of their own: `DELETE device-credentials`. */
function endpointGroup(call: Call<unknown>): string {
  return `${call.method} ${call.path.split("/")[1]}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

function queryText(query: Call<unknown>["query"]): string {
  const pairs = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  return pairs.length === 0
    ? ""
    : `?${new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, String(value)])).toString()}`;
}

/** What is wrong where; never the value itself. */
function mismatches(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.length === 0 ? "the body" : issue.path.join(".")}: ${issue.message}`)
    .join("; ");
}

function redirectHost(location: string | undefined): string {
  try {
    return ` to ${new URL(location ?? "").host}`;
  } catch {
    return "";
  }
}
