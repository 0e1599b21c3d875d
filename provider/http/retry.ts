import { type Clock, systemClock } from "./clock";
import { NetworkError } from "./errors";

/** How one attempt ended without success. */
export type Failure =
  | {
      kind: "status";
      status: number;
      /** What the service asks to wait; undefined: it doesn't say. */
      retryAfterMs: number | undefined;
    }
  | { kind: "no-answer"; maybeReceived: boolean };

export interface RetryPolicy {
  /** Attempts after failures other than 429, the first one included. */
  maxAttempts: number;
  /** First step of the back-off in milliseconds; doubles with each attempt. */
  baseMs: number;
  capMs: number;
}

export const RETRY_POLICY: RetryPolicy = { maxAttempts: 4, baseMs: 250, capMs: 8_000 };

const IDEMPOTENT = new Set(["GET", "DELETE"]);

/**
 * Decides whether a failed attempt may be repeated, and after how many milliseconds: `undefined` means no.
 * POST and PATCH are repeated only when it is certain that the service did nothing.
 */
export function retryDelay(
  method: string,
  failure: Failure,
  /** Failed attempts of this kind so far, this one included: 429 is counted apart from the rest. */
  failedAttempts: number,
  random: () => number,
  policy: RetryPolicy = RETRY_POLICY,
): number | undefined {
  const jittered = random() * Math.min(policy.capMs, policy.baseMs * 2 ** (failedAttempts - 1));
  const limited = failure.kind === "status" && failure.status === 429;
  if (!limited && failedAttempts >= policy.maxAttempts) return undefined;
  const safe =
    failure.kind === "status"
      ? limited || (IDEMPOTENT.has(method) && [502, 503, 504].includes(failure.status))
      : IDEMPOTENT.has(method) || !failure.maybeReceived;
  if (!safe) return undefined;
  return failure.kind === "status" ? Math.max(failure.retryAfterMs ?? 0, jittered) : jittered;
}

/** How one attempt ended. Whatever an attempt throws is final. */
export type Outcome<T> = { value: T } | { failure: Failure; error: Error };

/** The outcome of an attempt that got no answer; any other error is thrown again. */
export function noAnswer(error: unknown): { failure: Failure; error: Error } {
  if (!(error instanceof NetworkError)) throw error;
  return { failure: { kind: "no-answer", maybeReceived: error.maybeReceived }, error };
}

export interface RetryOptions {
  /** Milliseconds that one operation may take, all its attempts and waits together. */
  maxWaitMs: number;
  clock?: Clock;
  random?: () => number;
}

/** Repeats an attempt as `retryDelay` allows. */
export class Retry {
  constructor(private readonly options: RetryOptions) {}

  async run<T>(
    method: string,
    attempt: (number: number) => Promise<Outcome<T>>,
    signal?: AbortSignal,
    /** Told of every attempt that is going to be repeated. */
    onRetry?: (delayMs: number) => void,
  ): Promise<T> {
    const { maxWaitMs, clock = systemClock, random = Math.random } = this.options;
    const end = clock.now() + maxWaitMs;
    let failed = 0;
    let refused = 0;
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const outcome = await attempt(number);
      if ("value" in outcome) return outcome.value;
      const limited = outcome.failure.kind === "status" && outcome.failure.status === 429;
      const delay = retryDelay(method, outcome.failure, limited ? ++refused : ++failed, random);
      if (delay === undefined || clock.now() + delay > end) throw outcome.error;
      onRetry?.(delay);
      if (delay > 0) await sleep(clock, delay, signal);
    }
  }
}

function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal?.reason as Error);
    };
    const cancel = clock.after(ms, () => {
      signal?.removeEventListener("abort", abort);
      resolve();
    });
    signal?.addEventListener("abort", abort, { once: true });
  });
}
