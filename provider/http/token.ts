import { isRefusal, type RefusedCredentials } from "./credentials/refused";
import { readCredentials } from "./credentials/source";
import { IdentityError, withOutcome } from "./errors";
import { type Retry, unlessAborted } from "./retry";
import { type TenantSettings } from "./settings";
import { type CachedToken, TokenCache } from "./token-cache";
import { type Asked, type GrantedToken, TokenEndpoint, type TokenEndpointOptions } from "./token-endpoint";
import * as z from "../zod";

/** A token is used for at least so long, or tokens of a very short life would be asked for without end. */
const SHORTEST_USE_SECONDS = 5;
/** A token is renewed this long before it ends, so that none expires on its way. */
const LEEWAY_SECONDS = 60;

interface TokenSourceOptions extends TokenEndpointOptions {
  /** Learns of it when the tenant refuses the credentials. */
  refusals: RefusedCredentials;
}

/** The given token, or one asked for once and shared: by all requests and, with `tokenCache`, processes. */
export class TokenSource {
  #cached: CachedToken | undefined;
  #pending: Promise<CachedToken> | undefined;
  /** Whether the token before this one was refused, and none was accepted since. */
  #lastWasRefused = false;
  #file: TokenCache | undefined;
  /** Whether the file is only written to: what it holds was refused, or the tenant itself is to be asked. */
  #asksAnew = false;
  #toldOfFile = false;
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
      this.#pending = this.#fetchForCall().finally(() => (this.#pending = undefined));
      this.#pending.catch(() => undefined);
    }
    // One caller that gives up must not take the token from the others.
    return (await unlessAborted(this.#pending, signal)).value;
  }

  /** What is known of a token that this process has asked for; rejects as `token` does. */
  async facts(): Promise<TokenFacts> {
    this.#asksAnew = true;
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
    this.#asksAnew = true;
    this.#file?.drop(token);
    const mayBeRenewed = !this.#lastWasRefused;
    this.#lastWasRefused = true;
    return mayBeRenewed;
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
    const { settings, options } = this;
    const { credentials, tokenCache } = settings;
    const read = () => readCredentials(settings, options);
    // The file knows a token by the secret that proves the client now, but that of a command by its words.
    const proof = credentials.kind === "access-token-command" ? undefined : await read();
    this.#file =
      tokenCache === undefined ? undefined : new TokenCache(tokenCache, proof ?? credentials, settings);
    const kept = this.#file?.read(Date.now());
    if (kept !== undefined && !this.#asksAnew) {
      options.border.secrets.renew(kept.value);
      return (this.#cached = kept);
    }
    const given = proof ?? (await read());
    this.#cached =
      given.kind === "access-token"
        ? await this.#printed(given.accessToken)
        : this.#granted(await this.#endpoint.ask(given));
    this.#keep(this.#cached);
    return this.#cached;
  }

  /** A token that a command has printed. It is used until it is refused, or says that it has ended. */
  async #printed(value: string): Promise<CachedToken> {
    // Only what is kept for others has to be known that well.
    const facts = this.#file && (await tokenFacts(value, undefined, undefined));
    const lifetime = facts?.expiresAt === undefined ? 0 : (facts.expiresAt - Date.now()) / 1000;
    return { value, renewAt: lifetime > 0 ? this.#renewAt(lifetime) : Infinity };
  }

  #granted({ value, scope, lifetimeSeconds }: GrantedToken): CachedToken {
    return { value, scope, renewAt: this.#renewAt(lifetimeSeconds) };
  }

  #renewAt(lifetimeSeconds: number): number {
    const leeway = Math.min(LEEWAY_SECONDS, lifetimeSeconds / 10);
    return Date.now() + Math.max(lifetimeSeconds - leeway, SHORTEST_USE_SECONDS) * 1000;
  }

  #keep(token: CachedToken): void {
    if (token.renewAt === Infinity) return;
    const problem = this.#file?.write(token, Date.now());
    if (problem === undefined || this.#toldOfFile) return;
    this.#toldOfFile = true;
    const name = this.settings.nameOf("tokenCache");
    this.options.border.print(`${name}: ${problem}, so that each process asks for a token of its own.`);
  }
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
