import * as z from "../zod";
import { type Border } from "../border";
import { clientAssertion, credentialNames, type Credentials, HEADER_TEXT } from "./credentials";
import { type LoggedRequest } from "./debug-log";
import { apiError, AuthenticationError, type ErrorAnswer, UnexpectedAnswerError } from "./errors";
import { type AttemptResult, failedBy, noAnswer, type Retry } from "./retry";
import { type TenantSettings } from "./settings";
import { parseJson } from "./shape";
import { type HttpAnswer, type HttpRequest } from "./transport";
import { wantsCertificate } from "./why-no-answer";
import { asksForCertificate, readWords } from "./words";

const tokenAnswer = z.looseObject({
  access_token: z.string().regex(HEADER_TEXT),
  expires_in: z.number().positive().optional(),
  scope: z.string().optional().catch(undefined),
});
type TokenAnswer = z.infer<typeof tokenAnswer>;
const oauthError = z.looseObject({ error: z.string(), error_description: z.string().optional() });

const DEFAULT_LIFETIME_SECONDS = 3600;

export type ClientCredentials = Exclude<Credentials, { type: "access-token" }>;

export interface TokenRequest {
  path: string;
  audience: string;
}

interface TokenRefusal {
  path: string;
  answer: HttpAnswer;
}

interface GrantedToken {
  value: string;
  /** Its scopes, separated by spaces; undefined if the answer has none. */
  scope: string | undefined;
  lifetimeSeconds: number;
}

export interface TokenEndpointOptions {
  /** Learns each token, and hides it in messages. */
  border: Border;
  send: (request: HttpRequest, logged: LoggedRequest) => Promise<HttpAnswer>;
  cancelled?: AbortSignal;
}

/** A tenant's token endpoint: OAuth's client credentials grant. */
export class TokenEndpoint {
  #asked: TokenRequest | undefined;

  constructor(
    private readonly settings: TenantSettings,
    private readonly retry: Retry,
    private readonly options: TokenEndpointOptions,
  ) {}

  /** The path and audience of the granted token; undefined before the first. */
  get asked(): TokenRequest | undefined {
    return this.#asked;
  }

  /** Requests a token; rejects with the last attempt's error, or with an `AuthenticationError`. */
  async ask(credentials: ClientCredentials): Promise<GrantedToken> {
    const { access_token: value, scope, expires_in } = await this.#request(credentials);
    this.options.border.renew(value);
    return { value, scope, lifetimeSeconds: expires_in ?? DEFAULT_LIFETIME_SECONDS };
  }

  /**
   * The source document gives the token path and audience as constants that deployed tenants want in another
   * form: without the slash, and resolved on the tenant. We try that form first, and the constants as written
   * before giving up, whatever came back until then.
   */
  async #request(credentials: ClientCredentials): Promise<TokenAnswer> {
    const refusals: TokenRefusal[] = [];
    for (const path of this.#paths()) {
      for (const audience of this.#audiences()) {
        const answer = await this.#post(credentials, { path, audience });
        const token = tokenIn(answer);
        if (token !== undefined) {
          this.#asked = { path, audience };
          return token;
        }
        refusals.push({ path, answer });
        if (isWrongPath(answer)) break;
        // A given audience has nothing left to try on a path that is there.
        if (isOfClient(answer) || this.settings.audience !== undefined) throw this.#explain({ path, answer });
      }
    }
    throw this.#explain(mostTelling(refusals));
  }

  #paths(): string[] {
    return this.#asked === undefined ? ["/oauth/token", "/oauth/token/"] : [this.#asked.path];
  }

  #audiences(): string[] {
    const audience = this.settings.audience ?? this.#asked?.audience;
    return audience === undefined ? [`${this.settings.origin}/api/v2/`, "/api/v2/"] : [audience];
  }

  /** Requesting a token twice does no harm, so retry after a lost answer. */
  #post(credentials: ClientCredentials, to: TokenRequest): Promise<HttpAnswer> {
    const attempt = (number: number) => this.#attempt(credentials, to, number);
    return this.retry.run("GET", attempt, { signal: this.options.cancelled });
  }

  async #attempt(
    credentials: ClientCredentials,
    { path, audience }: TokenRequest,
    number: number,
  ): Promise<AttemptResult<HttpAnswer>> {
    // A client assertion may be used only once, so each attempt makes its own.
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      ...(await this.#proof(credentials)),
      audience,
    });
    const method = "POST";
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    let answer: HttpAnswer;
    try {
      answer = await this.options.send(
        { method, path, headers, body: form.toString() },
        { method, path, route: path, attempt: number },
      );
    } catch (error) {
      return noAnswer(error);
    }
    if (!isTemporary(answer.status)) return { value: answer };
    return failedBy(answer, this.#explain({ path, answer }));
  }

  async #proof(credentials: ClientCredentials): Promise<Record<string, string>> {
    if (credentials.type === "client-secret")
      return { client_id: credentials.clientId, client_secret: credentials.clientSecret };
    return {
      client_id: credentials.clientId,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: await clientAssertion(credentials, `${this.settings.origin}/`, Date.now()),
    };
  }

  #explain({ path, answer }: TokenRefusal): Error {
    const { nameOf, origin, rotation } = this.settings;
    const { border } = this.options;
    const { status } = answer;
    if (status < 300) {
      return new UnexpectedAnswerError(
        `POST ${path} on ${origin} answered ${status} without a usable access_token. ` +
          `Check that ${nameOf("domain")} is the tenant's own host name.`,
      );
    }
    if (asksForCertificate(answer.body)) {
      return new UnexpectedAnswerError(
        `POST ${path} on ${origin} answered ${status}: ${wantsCertificate(nameOf("domain"))}`,
      );
    }
    const words = wordsOf(answer);
    const { code, message } = words;
    const error: ErrorAnswer = {
      status,
      outcome: "not sent",
      ...(code !== undefined && { code: border.quote(code) }),
      ...(message !== undefined && { message: border.quote(message) }),
    };
    const call = { method: "POST", path };
    if (isTemporary(status)) return apiError(call, error, { scopes: [], adviceOn401: "" });
    if (isOfAudience(words)) return new AuthenticationError(call, error, adviceOnAudience(this.settings));
    const advice = isWrongPath(answer)
      ? `There is no token endpoint on ${origin}: check ${nameOf("domain")}.`
      : `The tenant ${origin} gave no token: ${this.#adviceOnRefusal(status)} ${this.#adviceOnClock(answer)}${rotation()}`;
    return new AuthenticationError(call, error, advice);
  }

  #adviceOnRefusal(status: number): string {
    const names = credentialNames(this.settings).join(" and ");
    if (status === 401) return `check ${names}, because it knows no such pair.`;
    return (
      "authorize the client there for the management API, with at least one scope, and allow it the client credentials " +
      `grant. Otherwise check ${names}, and ${this.settings.nameOf("audience")} if the tenant wants another one.`
    );
  }

  /** A client assertion is valid for minutes, by the tenant's clock. */
  #adviceOnClock({ headers }: HttpAnswer): string {
    if (!("algorithm" in this.settings.credentials)) return "";
    const minutes = Math.round((Date.parse(headers["date"] ?? "") - Date.now()) / 60_000);
    if (Number.isNaN(minutes) || Math.abs(minutes) < 1) return "";
    return (
      `The tenant's clock is ${Math.abs(minutes)} min ${minutes > 0 ? "ahead of" : "behind"} this machine's, so that ` +
      "it takes what is signed here for expired or not valid yet: set the clock. "
    );
  }
}

/** True if the tenant refuses the token because of the audience. */
function isOfAudience({ code, message = "" }: Pick<ErrorAnswer, "code" | "message">): boolean {
  return /audience|service not enabled/i.test(message) && code !== "unauthorized_client";
}

function adviceOnAudience({ nameOf, origin }: TenantSettings): string {
  return (
    `Set ${nameOf("audience")} to the identifier of the tenant's management API. If ${origin} is a custom domain, that is ` +
    "https://<the tenant's own domain>/api/v2/."
  );
}

function tokenIn({ status, body }: HttpAnswer): TokenAnswer | undefined {
  return status < 300 ? tokenAnswer.safeParse(parseJson(body)).data : undefined;
}

/** In OAuth's words, or in any. */
function wordsOf({ status, body }: HttpAnswer): Pick<ErrorAnswer, "code" | "message"> {
  const oauth = oauthError.safeParse(parseJson(body)).data;
  if (oauth !== undefined) return { code: oauth.error, message: oauth.error_description };
  return readWords(body, status)?.said ?? {};
}

/** Another audience on this path would be answered in the same way. */
function isWrongPath({ status }: HttpAnswer): boolean {
  return (status >= 300 && status < 400) || [404, 405, 501].includes(status);
}

/** OAuth's codes for a client that no audience would help (RFC 6749, section 5.2). */
const OF_CLIENT: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "invalid_grant",
  "unsupported_grant_type",
]);

function isOfClient(answer: HttpAnswer): boolean {
  const words = wordsOf(answer);
  // The real service's words for a wrong secret. With 403 they are about much else.
  const isDenied = answer.status === 401 && words.code === "access_denied";
  return (isDenied || OF_CLIENT.has(words.code ?? "")) && !isOfAudience(words);
}

/** Tenants want the first form; a refusal in words from a path that is there explains the most. */
function mostTelling(refusals: readonly TokenRefusal[]): TokenRefusal {
  const here = refusals.filter(({ answer }) => !isWrongPath(answer));
  const inWords = here.filter(({ answer }) => wordsOf(answer).code !== undefined);
  return (inWords[0] ?? here[0] ?? refusals.at(-1)) as TokenRefusal;
}

/** True for statuses that say nothing about the credentials. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501);
}
