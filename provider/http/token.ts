import { type RefusedCredentials } from "./credentials/refused";
import { AuthenticationError, IdentityError, withOutcome } from "./errors";
import { type Retry, unlessAborted } from "./retry";
import { type TenantSettings } from "./settings";
import {
  type Asked,
  type ClientCredentials,
  TokenEndpoint,
  type TokenEndpointOptions,
} from "./token-endpoint";
import * as z from "../zod";

/** A token is used for at least so long, or tokens of a very short life would be asked for without end. */
const SHORTEST_USE_SECONDS = 5;
/** A token is renewed this long before it ends, so that none expires on its way. */
const LEEWAY_SECONDS = 60;

interface TokenSourceOptions extends TokenEndpointOptions {
  /** Learns of it when the tenant refuses the credentials. */
  refusals: RefusedCredentials;
}

interface CachedToken {
  value: string;
  /** What its answer said. */
  scope: string | undefined;
  /** From when on it is not used any more, in epoch milliseconds. */
  renewAt: number;
}

/** The given token, or one asked for once and shared by all requests. */
export class TokenSource {
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  /** Whether the token before this one was refused, and none was accepted since. */
  #lastWasRefused = false;
  readonly #endpoint: TokenEndpoint;

  constructor(
    private readonly settings: TenantSettings,
    retry: Retry,
    private readonly options: TokenSourceOptions,
  ) {
    this.#endpoint = new TokenEndpoint(settings, retry, options);
  }

  /** The token; whatever the error, the call that needs the token was not sent. */
  async token(signal?: AbortSignal): Promise<string> {
    const { credentials } = this.settings;
    if (credentials.kind === "access-token") return credentials.accessToken;
    if (this.#current !== undefined) return this.#current.value;
    if (this.#pending === undefined) {
      this.#pending = this.#fetchForCall(credentials).finally(() => (this.#pending = undefined));
      this.#pending.catch(() => undefined);
    }
    // One caller that gives up must not take the token from the others.
    return (await unlessAborted(this.#pending, signal)).value;
  }

  /** What is known of the token; rejects as `token` does. */
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
   * Forgets a token that the service answered with 401. True when another one is worth a try: there may be a
   * newer one already, and one new token is asked for; not when that is refused as well.
   */
  forget(token: string): boolean {
    if (this.settings.credentials.kind === "access-token") return false;
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

/** What is known of a token, for a person who wants to know whether the set-up is right. */
export interface TokenFacts {
  /** Where it was asked for, and for whom; undefined for one that was given. */
  asked: Asked | undefined;
  /** Undefined: not known. */
  scopes: string[] | undefined;
  /** Of a JSON Web Token: when it ends, in epoch milliseconds. */
  expiresAt: number | undefined;
  /** Of a JSON Web Token: for whom it is. */
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

/** `scope`: what the answer with the token said. */
export async function tokenFacts(
  token: string,
  asked: Asked | undefined,
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

/** Of a token that is none of the known kind, nothing. Who signed it is the tenant's business. */
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
