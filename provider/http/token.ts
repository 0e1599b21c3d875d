import { createPrivateKey, randomUUID } from "node:crypto";
import * as z from "../zod";
import { unlessAborted } from "./token-command";
import { type Border } from "../border";
import { requestIdOf } from "./answer";
import { readCredentials } from "./credential-source";
import {
  apiError,
  AuthenticationError,
  type ErrorAnswer,
  IdentityError,
  UnexpectedAnswerError,
  withOutcome,
} from "./errors";
import { type LoggedRequest } from "./debug-log";
import { retryAfterMs } from "./rate-limit/headers";
import { isRefusal, type RefusedCredentials } from "./refused-credentials";
import { type AttemptResult, noAnswer, type Retry } from "./retry";
import { credentialNames, type GivenCredentials, looksLikePath, type TenantSettings } from "./settings";
import { parseJson } from "./shape";
import { type TokenFacts, tokenFacts } from "./token-facts";
import { type HttpAnswer, type UndiciTransport } from "./transport";

const tokenAnswer = z.looseObject({
  // Anything else can't be sent in a header.
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive().optional(),
  scope: z.string().optional().catch(undefined),
});
const oauthError = z.looseObject({ error: z.string().optional(), error_description: z.string().optional() });

/** Assumed when the service does not say how long a token lives. */
const DEFAULT_LIFETIME_SECONDS = 3600;
/** A token is used for at least so long, or tokens of a very short life would be asked for without end. */
const SHORTEST_USE_SECONDS = 5;
/** A token is renewed this long before it ends, so that none expires on its way. */
const LEEWAY_SECONDS = 60;
const ASSERTION_LIFETIME_SECONDS = 120;

const WRONG_PATH: ReadonlySet<number> = new Set([301, 302, 307, 308, 404, 405]);
const WRONG_AUDIENCE: ReadonlySet<number> = new Set([400, 403]);

type ClientCredentials = Exclude<GivenCredentials, { kind: "access-token" }>;

interface Refusal {
  path: string;
  answer: HttpAnswer;
}

interface CachedToken {
  value: string;
  /** What its answer said. */
  scope: string | undefined;
  /** By the clock given, milliseconds. */
  renewAt: number;
}

export interface TokenSourceOptions {
  /** Learns each token, so that no message shows it. */
  border: Border;
  /** Learns of it when the tenant refuses the credentials. */
  refusals: RefusedCredentials;
  /** Told of each token request. */
  onRequest?: (path: string) => void;
  /** Told of each answer to one. */
  onAnswer?: ((answer: HttpAnswer) => void) | undefined;
  /** Told of how each ended. */
  onEnd?: (request: LoggedRequest) => void;
  /** Ends what was not sent yet. */
  cancelled?: AbortSignal;
  /** Milliseconds. Default: the time of day, which goes on while the machine sleeps. */
  now?: () => number;
}

/** Supplies the bearer token of one tenant: the given one, or one that is asked for once and shared by all requests. */
export class TokenSource {
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  #path: string | undefined;
  #audience: string | undefined;
  /** Whether the token before this one was refused, and none was accepted since. */
  #lastWasRefused = false;

  constructor(
    private readonly settings: TenantSettings,
    private readonly transport: UndiciTransport,
    private readonly retry: Retry,
    private readonly options: TokenSourceOptions,
  ) {}

  /** The token; whatever the error, the call that needs the token was not sent. */
  async token(signal?: AbortSignal): Promise<string> {
    const { credentials } = this.settings;
    if (credentials.kind === "access-token") return credentials.accessToken;
    if (this.#cached !== undefined && this.#isCurrent(this.#cached.value)) return this.#cached.value;
    if (this.#pending === undefined) {
      this.#pending = this.#fetchForCall().finally(() => (this.#pending = undefined));
      this.#pending.catch(() => undefined);
    }
    // One caller that gives up must not take the token from the others.
    return (await unlessAborted(this.#pending, signal)).value;
  }

  /** What is known of the token; rejects as `token` does. */
  async facts(): Promise<TokenFacts> {
    const token = await this.token();
    const [path, audience] = [this.#path, this.#audience];
    const asked = path === undefined || audience === undefined ? undefined : { path, audience };
    return tokenFacts(token, asked, this.#cached?.scope);
  }

  /** Whether a token may still be sent. */
  #isCurrent(token: string): boolean {
    if (this.settings.credentials.kind === "access-token") return true;
    return this.#cached?.value === token && this.#now() < this.#cached.renewAt;
  }

  accepted(): void {
    this.#lastWasRefused = false;
  }

  /**
   * Forgets a token that the service answered with 401. True when another one is worth a try: there may be a newer one
   * already, and one new token is asked for; not when that is refused as well.
   */
  refused(token: string): boolean {
    if (!this.#isCurrent(token)) return true;
    this.#cached = undefined;
    if (this.#lastWasRefused || this.settings.credentials.kind === "access-token") return false;
    this.#lastWasRefused = true;
    return true;
  }

  #now(): number {
    return (this.options.now ?? Date.now)();
  }

  async #fetchForCall(): Promise<CachedToken> {
    try {
      return await this.#fetch();
    } catch (error) {
      if (isRefusal(error)) this.options.refusals.remember(error);
      throw error instanceof IdentityError ? withOutcome(error, "not sent") : error;
    }
  }

  async #fetch(): Promise<CachedToken> {
    const credentials = await readCredentials(this.settings, this.options);
    if (credentials.kind === "access-token") {
      // How long a command's token lives is not known: it is used until it is refused.
      this.#cached = { value: credentials.accessToken, scope: undefined, renewAt: Infinity };
      return this.#cached;
    }
    const answer = await this.#request(credentials);
    const parsed = tokenAnswer.safeParse(parseJson(answer.body));
    if (!parsed.success) {
      throw new UnexpectedAnswerError(
        `POST ${this.#path} on ${this.settings.origin} answered ${answer.status} without a usable access_token. ` +
          `Check that ${this.settings.nameOf("domain")} is the tenant's own host name.`,
      );
    }
    const lifetime = parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS;
    const leeway = Math.min(LEEWAY_SECONDS, lifetime / 10);
    this.options.border.secrets.renew(parsed.data.access_token);
    const useSeconds = Math.max(lifetime - leeway, SHORTEST_USE_SECONDS);
    this.#cached = {
      value: parsed.data.access_token,
      scope: parsed.data.scope,
      renewAt: this.#now() + useSeconds * 1000,
    };
    return this.#cached;
  }

  /**
   * The source document gives the token path and the audience as constants that deployed tenants want in another
   * form: without the slash, and resolved on the tenant. That form is tried first, then the constant as written.
   */
  async #request(credentials: ClientCredentials): Promise<HttpAnswer> {
    const paths = this.#path === undefined ? ["/oauth/token", "/oauth/token/"] : [this.#path];
    const configured = this.settings.audience ?? this.#audience;
    const audiences =
      configured === undefined ? [`${this.settings.origin}/api/v2/`, "/api/v2/"] : [configured];
    let refusal: Refusal | undefined;
    for (const path of paths) {
      for (const audience of audiences) {
        const answer = await this.#post(credentials, path, audience);
        if (answer.status === 200) {
          this.#path = path;
          this.#audience = audience;
          return answer;
        }
        // An existing path explains more than a missing one, and the first audience is the one that tenants want.
        if (refusal === undefined || WRONG_PATH.has(refusal.answer.status)) refusal = { path, answer };
        if (WRONG_PATH.has(answer.status)) break;
        // Any other audience is refused as well unless it was the audience that was refused.
        if (!WRONG_AUDIENCE.has(answer.status) || audience === audiences.at(-1)) throw this.#explain(refusal);
      }
    }
    throw this.#explain(refusal as Refusal);
  }

  /** Asking for a token twice does no harm, so a lost answer is no reason to give up. */
  #post(credentials: ClientCredentials, path: string, audience: string): Promise<HttpAnswer> {
    const attempt = (number: number) => this.#attempt(credentials, path, audience, number);
    return this.retry.run("GET", attempt, { signal: this.options.cancelled });
  }

  async #attempt(
    credentials: ClientCredentials,
    path: string,
    audience: string,
    number: number,
  ): Promise<AttemptResult<HttpAnswer>> {
    // A client assertion may be used once: each attempt has its own.
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      ...(await this.#proof(credentials)),
      audience,
    });
    this.options.onRequest?.(path);
    const start = performance.now();
    let answer: HttpAnswer | undefined;
    try {
      answer = await this.transport.send({
        method: "POST",
        path,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: form.toString(),
        unsentSignal: this.options.cancelled,
      });
    } catch (error) {
      return noAnswer(error);
    } finally {
      this.options.onEnd?.({
        method: "POST",
        path,
        route: path,
        status: answer?.status ?? null,
        durationMs: performance.now() - start,
        attempt: number,
        remaining: null,
        requestId: (answer && requestIdOf(answer.headers)) ?? null,
      });
    }
    const { status } = answer;
    this.options.onAnswer?.(answer);
    if (!isTemporary(status)) return { value: answer };
    const error = this.#explain({ path, answer });
    return { failure: { outcome: "unknown", status, retryAfterMs: retryAfterMs(answer.headers) }, error };
  }

  async #proof(credentials: ClientCredentials): Promise<Record<string, string>> {
    if (credentials.kind === "client-secret") {
      return { client_id: credentials.clientId, client_secret: credentials.clientSecret };
    }
    // Loaded on demand: few programs need it, and it takes longer to load than all the rest of the client.
    const { SignJWT } = await import("jose");
    const now = Math.floor(this.#now() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: credentials.algorithm, typ: "JWT" })
      .setIssuer(credentials.clientId)
      .setSubject(credentials.clientId)
      .setAudience(`${this.settings.origin}/`)
      .setIssuedAt(now)
      .setExpirationTime(now + ASSERTION_LIFETIME_SECONDS)
      .setJti(randomUUID())
      .sign(createPrivateKey(credentials.privateKey));
    return {
      client_id: credentials.clientId,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion,
    };
  }

  #explain({ path, answer }: Refusal): Error {
    const { nameOf, origin, rotation } = this.settings;
    const parsed = oauthError.safeParse(parseJson(answer.body));
    const error: ErrorAnswer = { status: answer.status, outcome: "not sent" };
    if (parsed.success) {
      const { error: code, error_description: message } = parsed.data;
      if (code !== undefined) error.code = this.options.border.quote(code);
      if (message !== undefined) error.message = this.options.border.quote(message);
    }
    const call = { method: "POST", path };
    if (isTemporary(answer.status)) return apiError(call, error, [], "");
    if (WRONG_PATH.has(answer.status)) {
      return new AuthenticationError(
        call,
        error,
        `There is no token endpoint on ${origin}: check ${nameOf("domain")}.`,
      );
    }
    return new AuthenticationError(
      call,
      error,
      `The tenant ${origin} gave no token: check ${credentialNames(this.settings).join(" and ")}, that the ` +
        `client may use the client credentials grant for the management API, and ${nameOf("audience")} if the tenant wants another one. ` +
        this.#adviceOnClock(answer) +
        this.#adviceOnPath() +
        rotation(),
    );
  }

  /** A client assertion is valid for minutes, by the tenant's clock. */
  #adviceOnClock({ headers }: HttpAnswer): string {
    if (!("algorithm" in this.settings.credentials)) return "";
    const minutes = Math.round((Date.parse(headers["date"] ?? "") - this.#now()) / 60_000);
    if (Number.isNaN(minutes) || Math.abs(minutes) < 1) return "";
    return (
      `The tenant's clock is ${Math.abs(minutes)} min ${minutes > 0 ? "ahead of" : "behind"} this machine's, so that ` +
      "it takes what is signed here for expired or not valid yet: set the clock. "
    );
  }

  #adviceOnPath(): string {
    const { credentials, nameOf } = this.settings;
    if (credentials.kind !== "client-secret" || !looksLikePath(credentials.clientSecret)) return "";
    return `What is given looks like the path of a file: that goes into ${nameOf("clientSecretFile")}. `;
  }
}

/** Statuses that say nothing of the credentials. */
function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}
