import { AuthenticationError, type CallName } from "./errors";
import { type RequestOutcome } from "./outcome";
import { type TenantSettings } from "./settings";

/** A refusal is asked about again after this long: a process may outlive the run in which the tenant was mended. */
export const REFUSAL_MEMORY_MS = 5 * 60_000;

/**
 * Remembers that the tenant refuses the credentials, so that not each of a hundred resources finds out by itself: the
 * first gets the whole story, and those after it a short error without a request.
 */
export class RefusedCredentials {
  #refusal: { error: AuthenticationError; until: number; isTold: boolean } | undefined;

  constructor(
    private readonly settings: TenantSettings,
    /** Milliseconds. */
    private readonly now: () => number,
  ) {}

  /** Remembers a refusal by the error that explains it. */
  remember(error: AuthenticationError): void {
    if (this.#current === undefined) {
      this.#refusal = { error, until: this.now() + REFUSAL_MEMORY_MS, isTold: false };
    }
  }

  /** Throws while a refusal is remembered: nothing is to be sent. */
  check(call: CallName): void {
    const refusal = this.#current;
    if (refusal === undefined) return;
    throw refusal.isTold ? this.#short(call, "not sent") : this.tell(call, refusal.error);
  }

  /** The error for one of those whom a refusal concerns: the given one for the first, the short one for the others. */
  tell(call: CallName, error: AuthenticationError): AuthenticationError {
    const refusal = this.#current;
    if (refusal === undefined) return error;
    if (refusal.isTold) return this.#short(call, error.outcome);
    refusal.isTold = true;
    return error;
  }

  get #current() {
    return this.#refusal !== undefined && this.now() < this.#refusal.until ? this.#refusal : undefined;
  }

  #short(call: CallName, outcome: RequestOutcome): AuthenticationError {
    const { credentials, nameOf } = this.settings;
    const names = {
      "access-token": ["accessToken"],
      "client-secret": ["clientId", "clientSecret"],
      "private-key": ["clientId", "privateKey"],
    }[credentials.kind];
    return new AuthenticationError(
      call,
      { status: 401, outcome },
      "",
      `${call.method} ${call.path} was ${outcome === "not sent" ? outcome : "refused"}: the tenant refused the ` +
        `credentials before in this run, see the first message. Check ${names.map(nameOf).join(" and ")}.`,
    );
  }
}
