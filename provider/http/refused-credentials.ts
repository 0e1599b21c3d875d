import { AuthenticationError, type CallName } from "./errors";
import { type TenantSettings } from "./settings";
import { credentialNames } from "./credentials";

/**
 * Remembers for the client's lifetime that the tenant refuses the credentials, so a hundred resources don't
 * each find out. The first gets the whole story; the rest get a short error without a request.
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

  /** Throws if a refusal is remembered, before anything is sent. */
  check(call: CallName): void {
    if (this.#refusal !== undefined) throw this.tell(call, this.#refusal.error, "not sent");
  }

  /** Returns the error of a refusal: in full the first time, short afterwards. */
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
        `earlier in this run: see the first message. Check ${credentialNames(this.settings).join(" and ")}.`,
    );
  }
}
