import { AuthenticationError, type CallName } from "../errors";
import { type TenantSettings } from "../settings";
import { credentialNames } from "./credentials";

/**
 * Remembers, for the life of its client, that the tenant refuses the credentials, so that not each of a
 * hundred resources finds out by itself: the first gets the whole story, and those after it a short error
 * without a request.
 */
export class RefusedCredentials {
  #refusal: { error: AuthenticationError; isTold: boolean } | undefined;

  constructor(private readonly settings: TenantSettings) {}

  get isRefused(): boolean {
    return this.#refusal !== undefined;
  }

  remember(error: AuthenticationError): void {
    this.#refusal ??= { error, isTold: false };
  }

  /** Throws while a refusal is remembered: nothing is to be sent. */
  check(call: CallName): void {
    if (this.#refusal !== undefined) throw this.tell(call, this.#refusal.error, "not sent");
  }

  /** The error for one of those whom a refusal concerns: in full for the first, short for the others. */
  tell(call: CallName, error: AuthenticationError, outcome = error.outcome): AuthenticationError {
    if (this.#refusal === undefined) return error;
    if (this.#refusal.isTold) return this.#short(call, outcome);
    this.#refusal.isTold = true;
    return error;
  }

  #short(call: CallName, outcome: AuthenticationError["outcome"]): AuthenticationError {
    return new AuthenticationError(
      call,
      { status: 401, outcome },
      "",
      `${call.method} ${call.path} was ${outcome === "not sent" ? outcome : "refused"}: the tenant refused the credentials ` +
        `before in this run, see the first message. Check ${credentialNames(this.settings).join(" and ")}.`,
    );
  }
}
