import type * as z from "../../provider/zod";
import { Border } from "../../provider/border";
import { IdentityError, TimeoutError } from "../../provider/http/errors";
import { type AttemptResult, noAnswer, Retry } from "../../provider/http/retry";
import { retryAfterMs } from "../../provider/http/rate-limit/headers";
import { DEFAULT_LIMITS, isLoopback } from "../../provider/http/settings";
import { parseJson } from "../../provider/http/shape";
import { type HttpAnswer, type HttpRequest, UndiciTransport } from "../../provider/http/transport";
import { CodeHostError } from "./host";

export interface ApiOptions {
  /** The host's name in messages: `GitHub`. */
  host: string;
  /** The environment variables with the address and the token. */
  variables: { address: string; token: string };
  address: string;
  token: string;
  /** Seconds until we give up on a request without an answer, and on waiting for a rate limit. */
  seconds?: { request: number; wait: number } | undefined;
}

export interface ApiCall<Answer> {
  /** Its name in messages. Default: method and path. */
  name?: string;
  method: HttpRequest["method"];
  path: string;
  body?: unknown;
  answer: z.ZodType<Answer>;
  /** The permission that the token needs, as a sentence. */
  permission: string;
  /** True if it may be sent twice, although its method doesn't say so. */
  isRead?: boolean;
}

export interface ApiRefusal {
  cause: "token" | "permission" | "missing" | "redirect" | "limit" | "failure" | "other";
  status: string;
  quote: string;
}

/** JSON over HTTP with one token. Redirects aren't followed, so the token reaches only one host. */
export class Api {
  readonly #options: ApiOptions;
  readonly #border: Border;
  readonly #transport: UndiciTransport;
  readonly #retry: Retry;
  readonly #basePath: string;
  readonly #seconds: { request: number; wait: number };

  constructor(options: ApiOptions) {
    const { variables, address, token, seconds = { request: 15, wait: 60 } } = options;
    if (!/^[\x21-\x7e]+$/.test(token))
      throw new CodeHostError(`${variables.token} holds a character that no token has. Set it anew.`);
    const url = addressOf(address, variables.address);
    this.#options = options;
    this.#seconds = seconds;
    this.#border = new Border([token]);
    this.#basePath = url.pathname.replace(/\/$/, "");
    this.#retry = new Retry({ maxWaitMs: seconds.wait * 1000 });
    this.#transport = new UndiciTransport({
      origin: url.origin,
      limits: { ...DEFAULT_LIMITS, maxConcurrency: 1, requestTimeoutSeconds: seconds.request },
      nameOf: () => variables.address,
    });
  }

  async send<Answer>(call: ApiCall<Answer>): Promise<{ value: Answer; headers: HttpAnswer["headers"] }> {
    const { status, headers, body } = await this.#exchange(call);
    const value = call.answer.safeParse(status === 204 ? null : this.#parse(call, headers, body));
    if (value.success) return { value: value.data, headers };
    const [issue] = value.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "" : ` (${issue.path.join(".")})`;
    throw this.error(
      `${this.#options.host} answered ${requestName(call)} in a form that this release does not know${place}. Check ${this.#options.variables.address}.`,
    );
  }

  refused(call: Omit<ApiCall<unknown>, "answer">, refusal: ApiRefusal): CodeHostError {
    const { host, variables } = this.#options;
    const said = refusal.quote === "" ? "" : `: ${JSON.stringify(refusal.quote)}`;
    const permission = `The token in ${variables.token} may not do this, or it isn't there. ${call.permission}`;
    const advice: Record<ApiRefusal["cause"], string> = {
      token: `Check that the token in ${variables.token} is valid.`,
      permission,
      missing: permission,
      redirect: `It is not followed, so that the token goes to no other host. Check ${variables.address}.`,
      limit: "The rate limit of the token is used up. Run this again later.",
      failure: "Run this again later.",
      other: "Run this again, or report it.",
    };
    const message = `${host} answered ${refusal.status} to ${requestName(call)}${said}. ${advice[refusal.cause]}`;
    return this.error(message, refusal.cause === "missing");
  }

  error(message: string, isMissing = false): CodeHostError {
    return new CodeHostError(this.#border.clean(message), isMissing);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async #exchange(call: ApiCall<unknown>): Promise<HttpAnswer> {
    const { method, isRead = method === "GET" } = call;
    try {
      return await this.#retry.run(isRead ? "GET" : method, () => this.#attempt(call));
    } catch (error) {
      if (error instanceof TimeoutError)
        throw this.error(
          `${this.#options.host} did not answer ${requestName(call)} within ${this.#seconds.request} s. Run this again later.`,
        );
      throw error instanceof IdentityError ? this.error(error.message) : error;
    }
  }

  async #attempt(call: ApiCall<unknown>): Promise<AttemptResult<HttpAnswer>> {
    let answer: HttpAnswer;
    try {
      answer = await this.#transport.send(this.#request(call));
    } catch (error) {
      return noAnswer(error);
    }
    if (answer.status >= 200 && answer.status < 300) return { value: answer };
    const cause = causeOf(answer);
    const error = this.refused(call, { cause, status: `${answer.status}`, quote: this.#quote(answer.body) });
    const status = cause === "limit" ? 429 : answer.status;
    const outcome = cause === "failure" ? "unknown" : "refused";
    return { failure: { outcome, status, retryAfterMs: waitMs(answer) }, error };
  }

  #request({ method, path, body }: ApiCall<unknown>): HttpRequest {
    return {
      method,
      path: `${this.#basePath}${path}` || "/",
      headers: {
        authorization: `Bearer ${this.#options.token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
  }

  #parse(call: ApiCall<unknown>, headers: HttpAnswer["headers"], body: string): unknown {
    const json = parseJson(body);
    if (json !== undefined) return json;
    const { host, variables } = this.#options;
    const type = headers["content-type"] ?? "no content type";
    throw this.error(
      `The answer to ${requestName(call)} is not JSON (${type}): it does not come from ${host}'s API. Check ${variables.address}, and the proxy if there is one.`,
    );
  }

  #quote(body: string): string {
    try {
      const { message, error } = JSON.parse(body) as { message?: unknown; error?: unknown };
      const said = message ?? error;
      if (said !== undefined)
        return this.#border.quote(typeof said === "string" ? said : JSON.stringify(said));
    } catch {
      // A page of HTML has no helpful words.
    }
    return "";
  }
}

function requestName({ name, method, path }: Omit<ApiCall<unknown>, "answer">): string {
  return name ?? `${method} ${path.split("?")[0]}`;
}

function addressOf(text: string, variable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (url === undefined || !isSafe || url.username !== "" || url.search !== "")
    throw new CodeHostError(
      `${variable} must be an address such as https://api.example.com, without a user name or a query.`,
    );
  return url;
}

function causeOf({ status, headers }: HttpAnswer): ApiRefusal["cause"] {
  const isUsedUp = headers["retry-after"] !== undefined || headers["x-ratelimit-remaining"] === "0";
  // GitHub also uses 403 for its rate limit.
  if (status === 429 || (status === 403 && isUsedUp)) return "limit";
  if (status === 401) return "token";
  if (status === 403) return "permission";
  if (status === 404) return "missing";
  if (status < 400) return "redirect";
  return status >= 500 ? "failure" : "other";
}

function waitMs({ headers }: HttpAnswer): number | undefined {
  const asked = retryAfterMs(headers);
  if (asked !== undefined) return asked;
  const reset = Number(headers["x-ratelimit-reset"] ?? Number.NaN);
  if (headers["x-ratelimit-remaining"] !== "0" || !Number.isFinite(reset)) return undefined;
  return Math.max(0, reset * 1000 - Date.now());
}
