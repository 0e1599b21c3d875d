import { type RefusedCredentials } from "./refused-credentials";
import { AuthenticationError, IdentityError, withOutcome } from "./errors";
import { type Retry, unlessAborted } from "./retry";
import { type TenantSettings } from "./settings";
import {
  type TokenRequest,
  type ClientCredentials,
  TokenEndpoint,
  type TokenEndpointOptions,
} from "./token-endpoint";
import * as z from "../zod";

/** Tokens are used at least this long; very short-lived ones would otherwise be requested endlessly. */
const SHORTEST_USE_SECONDS = 5;
/** Tokens are renewed this long before they expire, so that none expires on its way. */
const LEEWAY_SECONDS = 60;

interface TokenSourceOptions extends TokenEndpointOptions {
  /** Learns when the tenant refuses the credentials. */
  refusals: RefusedCredentials;
}

interface CachedToken {
  value: string;
  /** The scope in the token endpoint's answer. */
  scope: string | undefined;
  /** When to stop using it, in epoch milliseconds. */
  renewAt: number;
}

/** The given token, or one that is requested once and shared by all requests. */
export class TokenSource {
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  /** True if the previous token was refused, and none has been accepted since. */
  #lastWasRefused = false;
  readonly #endpoint: TokenEndpoint;

  constructor(
    private readonly settings: TenantSettings,
    retry: Retry,
    private readonly options: TokenSourceOptions,
  ) {
    this.#endpoint = new TokenEndpoint(settings, retry, options);
  }

  /** Returns the token. If this fails, the call that needs the token was not sent. */
  async token(signal?: AbortSignal): Promise<string> {
    const { credentials } = this.settings;
    if (credentials.type === "access-token") return credentials.accessToken;
    if (this.#current !== undefined) return this.#current.value;
    if (this.#pending === undefined) {
      this.#pending = this.#fetchForCall(credentials).finally(() => (this.#pending = undefined));
      this.#pending.catch(() => undefined);
    }
    // A caller that gives up must not take the token from the others.
    return (await unlessAborted(this.#pending, signal)).value;
  }

  /** Returns the facts known about the token; rejects as `token` does. */
  async facts(): Promise<TokenFacts> {
    const token = await this.token();
    return tokenFacts(token, this.#endpoint.asked, this.#cached?.scope);
  }

  get #current(): CachedToken | undefined {
    return this.#cached !== undefined && Date.now() < this.#cached.renewAt ? this.#cached : undefined;
  }

  accepted(): void {
    this.#lastWasRefused = false;
  }

  /**
   * Drops a token that the service answered with 401. Returns true if another is worth a try: a newer one
   * that is already there, or one new token, unless that's refused as well.
   */
  forget(token: string): boolean {
    if (this.settings.credentials.type === "access-token") return false;
    if (this.#current?.value !== token) return true;
    this.#cached = undefined;
    const mayBeRenewed = !this.#lastWasRefused;
    this.#lastWasRefused = true;
    return mayBeRenewed;
  }

  async #fetchForCall(credentials: ClientCredentials): Promise<CachedToken> {
    try {
      const { value, scope, lifetimeSeconds } = await this.#endpoint.ask(credentials);
      return (this.#cached = { value, scope, renewAt: renewAt(lifetimeSeconds) });
    } catch (error) {
      if (error instanceof AuthenticationError) this.options.refusals.remember(error);
      throw error instanceof IdentityError ? withOutcome(error, "not sent") : error;
    }
  }
}

function renewAt(lifetimeSeconds: number): number {
  const leeway = Math.min(LEEWAY_SECONDS, lifetimeSeconds / 10);
  return Date.now() + Math.max(lifetimeSeconds - leeway, SHORTEST_USE_SECONDS) * 1000;
}

/** Facts about a token, for checking that the set-up is right. */
export interface TokenFacts {
  /** The path and audience it was requested with; undefined if the token was given. */
  asked: TokenRequest | undefined;
  /** Undefined if unknown. */
  scopes: string[] | undefined;
  /** Expiry of a JSON Web Token, in epoch milliseconds. */
  expiresAt: number | undefined;
  /** Audiences of a JSON Web Token. */
  audiences: string[];
}

const text = z.string().optional().catch(undefined);
const claims = z.object({
  scope: text,
  permissions: z.array(z.string()).optional().catch(undefined),
  exp: z.number().optional().catch(undefined),
  aud: z
    .union([z.string().transform((one) => [one]), z.array(z.string())])
    .optional()
    .catch(undefined),
});

/** `scope`: from the answer with the token. */
export async function tokenFacts(
  token: string,
  asked: TokenRequest | undefined,
  scope: string | undefined,
): Promise<TokenFacts> {
  const { scope: claimed, permissions, exp, aud = [] } = await claimsOf(token);
  const granted = scope ?? claimed;
  const scopes = [...words(granted), ...(scope === undefined ? (permissions ?? []) : [])];
  return {
    asked,
    scopes: granted === undefined && permissions === undefined ? undefined : [...new Set(scopes)],
    expiresAt: exp === undefined ? undefined : exp * 1000,
    audiences: aud,
  };
}

/** Empty for a token of an unknown kind. The signature is the tenant's business. */
async function claimsOf(token: string): Promise<z.infer<typeof claims>> {
  // Loaded on demand, as for a client assertion.
  const { decodeJwt } = await import("jose");
  try {
    return claims.parse(decodeJwt(token));
  } catch {
    return {};
  }
}

function words(list = ""): string[] {
  return list.split(/\s+/).filter((word) => word !== "");
}
