import { AuthenticationError, type CallName, ConfigurationError } from "./errors";
import { type RequestOutcome } from "./outcome";
import { credentialNames, type TenantSettings } from "./settings";

/** A refusal is asked about again after this long: a process may outlive the run in which the tenant was mended. */
export const REFUSAL_MEMORY_MS = 5 * 60_000;

/** The tenant refuses the credentials, or there are none where they are said to be kept. */
export type Refusal = AuthenticationError | ConfigurationError;

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof AuthenticationError || error instanceof ConfigurationError;
}

/**
 * Remembers that the tenant refuses the credentials, or that they can't be read, so that not each of a hundred resources
 * finds out by itself: the first gets the whole story, and those after it a short error without a request.
 */
export class RefusedCredentials {
  #refusal: { error: Refusal; until: number; isTold: boolean } | undefined;

  constructor(
    private readonly settings: TenantSettings,
    /** Milliseconds. */
    private readonly now: () => number,
  ) {}

  /** Remembers a refusal by the error that explains it. */
  remember(error: Refusal): void {
    if (this.#current === undefined) {
      this.#refusal = { error, until: this.now() + REFUSAL_MEMORY_MS, isTold: false };
    }
  }

  /** Throws while a refusal is remembered: nothing is to be sent. */
  check(call: CallName): void {
    const refusal = this.#current;
    if (refusal === undefined) return;
    throw refusal.isTold ? this.#short(call, refusal.error, "not sent") : this.tell(call, refusal.error);
  }

  /** The error for one of those whom a refusal concerns: the given one for the first, the short one for the others. */
  tell(call: CallName, error: Refusal): Refusal {
    const refusal = this.#current;
    if (refusal === undefined) return error;
    if (refusal.isTold) return this.#short(call, error, error.outcome);
    refusal.isTold = true;
    return error;
  }

  get #current() {
    return this.#refusal !== undefined && this.now() < this.#refusal.until ? this.#refusal : undefined;
  }

  #short(call: CallName, error: Refusal, outcome: RequestOutcome): Refusal {
    const name = `${call.method} ${call.path}`;
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
