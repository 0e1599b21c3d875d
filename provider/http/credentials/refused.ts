import { AuthenticationError, type CallName, ConfigurationError, type RequestOutcome } from "../errors";
import { TokenCacheError } from "../token-cache";
import { type TenantSettings } from "../settings";
import { credentialNames } from "./credentials";

/** The tenant refuses the credentials, or there are none where they are said to be kept. */
type Refusal = AuthenticationError | ConfigurationError;

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof AuthenticationError || error instanceof ConfigurationError;
}

/**
 * Remembers, for the life of its client, that the tenant refuses the credentials, or that they can't be read,
 * so that not each of a hundred resources finds out by itself: the first gets the whole story, and those
 * after it a short error without a request.
 */
export class RefusedCredentials {
  #refusal: { error: Refusal; isTold: boolean } | undefined;

  constructor(private readonly settings: TenantSettings) {}

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  remember(error: Refusal): void {
    this.#refusal ??= { error, isTold: false };
  }

  /** Throws while a refusal is remembered: nothing is to be sent. */
  check(call: CallName): void {
    if (this.#refusal !== undefined) throw this.tell(call, this.#refusal.error, "not sent");
  }

  /** The error for one of those whom a refusal concerns: in full for the first, short for the others. */
  tell(call: CallName, error: Refusal, outcome = error.outcome): Refusal {
    if (this.#refusal === undefined) return error;
    if (this.#refusal.isTold) return this.#short(call, error, outcome);
    this.#refusal.isTold = true;
    return error;
  }

  #short(call: CallName, error: Refusal, outcome: RequestOutcome): Refusal {
    const name = `${call.method} ${call.path}`;
    if (error instanceof TokenCacheError)
      return new TokenCacheError(
        `${name} was not sent: ${this.settings.nameOf("tokenCache")} could not be used before in this run, see the first message.`,
      );
    const advice = `see the first message. Check ${credentialNames(this.settings).join(" and ")}.`;
    if (error instanceof ConfigurationError) {
      return new ConfigurationError(
        `${name} was not sent: the credentials could not be read before in this run, ${advice}`,
      );
    }
    return new AuthenticationError(
      call,
      { status: 401, outcome },
      "",
      `${name} was ${outcome === "not sent" ? outcome : "refused"}: the tenant refused the credentials before in this ` +
        `run, ${advice}`,
    );
  }
}
