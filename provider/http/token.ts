import { createPrivateKey, randomUUID } from "node:crypto";
import { z } from "zod";
import { aborted } from "./abort";
import {
  apiError,
  AuthenticationError,
  type ErrorAnswer,
  NetworkError,
  UnexpectedAnswerError,
} from "./errors";
import { retryAfterMs } from "./rate-limit/headers";
import { printable } from "./redact";
import { noAnswer, type Outcome, type Retry } from "./retry";
import { secretsOf, type TenantSettings } from "./settings";
import { type HttpAnswer, type Transport } from "./transport";

const tokenAnswer = z.looseObject({
  // Anything else can't be sent in a header.
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  expires_in: z.number().positive().optional(),
});
const oauthError = z.looseObject({ error: z.string().optional(), error_description: z.string().optional() });

/** Assumed when the service does not say how long a token lives. */
const DEFAULT_LIFETIME_SECONDS = 3600;
/** A token is renewed this long before it ends, so that none expires on its way. */
const LEEWAY_SECONDS = 60;
const ASSERTION_LIFETIME_SECONDS = 120;

const WRONG_PATH = new Set([301, 302, 307, 308, 404, 405]);
const WRONG_AUDIENCE = new Set([400, 403]);

interface Refusal {
  path: string;
  answer: HttpAnswer;
}

interface CachedToken {
  value: string;
  /** By the clock given, milliseconds. */
  renewAt: number;
}

/** Supplies the bearer token of one tenant: the given one, or one fetched once and shared by all requests. */
export class TokenSource {
  /** Token requests sent so far. */
  requests = 0;
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  #path: string | undefined;
  #audience: string | undefined;

  constructor(
    private readonly settings: TenantSettings,
    private readonly transport: Transport,
    private readonly retry: Retry,
    /** Told of each token request. */
    private readonly onAnswer: (path: string, status: number) => void = () => undefined,
    private readonly now: () => number = Date.now,
  ) {}

  /** False for a given token: a new one can't be had. */
  get renewable(): boolean {
    return this.settings.credentials.kind !== "access-token";
  }

  async token(signal?: AbortSignal): Promise<string> {
    const { credentials } = this.settings;
    if (credentials.kind === "access-token") return credentials.accessToken;
    if (this.#cached !== undefined && this.now() < this.#cached.renewAt) return this.#cached.value;
    // A failure is not kept: the next caller asks again.
    this.#pending ??= this.#fetch().finally(() => (this.#pending = undefined));
    // One caller that gives up must not take the token from the others.
    return (await Promise.race([this.#pending, ...aborted(signal)])).value;
  }

  /** Forgets a token that the service refused, unless a newer one is already there. */
  refused(token: string): void {
    if (this.#cached?.value === token) this.#cached = undefined;
  }

  async #fetch(): Promise<CachedToken> {
    const answer = await this.#request();
    const parsed = tokenAnswer.safeParse(parseJson(answer.body));
    if (!parsed.success) {
      throw new UnexpectedAnswerError(
        `POST ${this.#path} on ${this.settings.origin} answered ${answer.status} without a usable access_token. ` +
          `Check that ${this.settings.nameOf("domain")} is the tenant's own host name.`,
      );
    }
    const lifetime = parsed.data.expires_in ?? DEFAULT_LIFETIME_SECONDS;
    const leeway = Math.min(LEEWAY_SECONDS, lifetime / 10);
    this.#cached = { value: parsed.data.access_token, renewAt: this.now() + (lifetime - leeway) * 1000 };
    return this.#cached;
  }

  /**
   * The source document gives the token path and the audience as constants that deployed tenants want in another
   * form: without the slash, and resolved on the tenant. That form is tried first, then the constant as written.
   */
  async #request(): Promise<HttpAnswer> {
    const paths = this.#path === undefined ? ["/oauth/token", "/oauth/token/"] : [this.#path];
    const configured = this.settings.audience ?? this.#audience;
    const audiences =
      configured === undefined ? [`${this.settings.origin}/api/v2/`, "/api/v2/"] : [configured];
    let refusal: Refusal | undefined;
    for (const path of paths) {
      for (const audience of audiences) {
        const answer = await this.#post(path, audience);
        if (answer.status === 200) {
          this.#path = path;
          this.#audience = audience;
          return answer;
        }
        // What a path says that exists tells more, and of the audiences the first is the one that tenants want.
        if (refusal === undefined || WRONG_PATH.has(refusal.answer.status)) refusal = { path, answer };
        if (WRONG_PATH.has(answer.status)) break;
        // Any other audience is refused as well unless it was the audience that was refused.
        if (!WRONG_AUDIENCE.has(answer.status) || audience === audiences.at(-1)) throw this.#explain(refusal);
      }
    }
    throw this.#explain(refusal as Refusal);
  }

  /** Asking for a token twice does no harm, so a lost answer is no reason to give up. */
  async #post(path: string, audience: string): Promise<HttpAnswer> {
    try {
      return await this.retry.run("GET", () => this.#attempt(path, audience));
    } catch (error) {
      // Of the call that needs the token nothing was sent.
      if (error instanceof NetworkError) Object.assign(error, { maybeReceived: false });
      throw error;
    }
  }

  async #attempt(path: string, audience: string): Promise<Outcome<HttpAnswer>> {
    // A client assertion may be used once: each attempt has its own.
    const form = new URLSearchParams({
      grant_type: "client_credentials",
      ...(await this.#proof()),
      audience,
    });
    this.requests++;
    let answer: HttpAnswer;
    try {
      answer = await this.transport.send({
        method: "POST",
        path,
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: form.toString(),
      });
    } catch (error) {
      return noAnswer(error);
    }
    this.onAnswer(path, answer.status);
    const { status } = answer;
    if (status !== 429 && status < 500) return { value: answer };
    const error = this.#explain({ path, answer });
    return { failure: { kind: "status", status, retryAfterMs: retryAfterMs(answer.headers) }, error };
  }

  async #proof(): Promise<Record<string, string>> {
    const { credentials, origin } = this.settings;
    if (credentials.kind === "client-secret") {
      return { client_id: credentials.clientId, client_secret: credentials.clientSecret };
    }
    if (credentials.kind === "access-token") throw new TypeError("a given access token is never fetched");
    // Loaded on demand: few programs need it, and it takes longer to load than all the rest of the client.
    const { SignJWT } = await import("jose");
    const now = Math.floor(this.now() / 1000);
    const assertion = await new SignJWT()
      .setProtectedHeader({ alg: credentials.algorithm, typ: "JWT" })
      .setIssuer(credentials.clientId)
      .setSubject(credentials.clientId)
      .setAudience(`${origin}/`)
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
    const { credentials, nameOf, origin, rotation } = this.settings;
    const parsed = oauthError.safeParse(parseJson(answer.body));
    const secrets = secretsOf(credentials);
    const error: ErrorAnswer = { status: answer.status };
    if (parsed.success) {
      const { error: code, error_description: message } = parsed.data;
      if (code !== undefined) error.code = printable(code, secrets);
      if (message !== undefined) error.message = printable(message, secrets);
    }
    const call = { method: "POST", path };
    if (answer.status === 429 || answer.status >= 500) return apiError(call, error, [], "");
    if (WRONG_PATH.has(answer.status)) {
      return new AuthenticationError(
        call,
        error,
        `There is no token endpoint on ${origin}: check ${nameOf("domain")}.`,
      );
    }
    const proof = nameOf(credentials.kind === "private-key" ? "privateKey" : "clientSecret");
    return new AuthenticationError(
      call,
      error,
      `The tenant ${origin} gave no token: check ${nameOf("clientId")} and ${proof}, that the client may use the ` +
        `client credentials grant for the management API, and ${nameOf("audience")} if the tenant wants another one. ` +
        rotation,
    );
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
