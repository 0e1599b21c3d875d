import { NetworkError, type RequestOutcome } from "./errors";
import { type Clock, systemClock } from "./rate-limit/clock";

export interface Failure {
  outcome: RequestOutcome;
  /** Undefined: there was no answer. */
  status?: number;
  /** What the service asks to wait; undefined: it doesn't say. */
  retryAfterMs?: number | undefined;
}

export const RETRY_POLICY = {
  /** Attempts after failures other than 429, the first one included. */
  maxAttempts: 4,
  /** First step of the back-off in milliseconds; doubles with each attempt. */
  baseMs: 250,
  capMs: 8_000,
} as const;

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "DELETE"]);

/** Statuses of gateways that did not get the service's answer: the next attempt may. */
function isPassing(status: number): boolean {
  return status === 408 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

/**
 * Decides whether a failed attempt may be repeated, and after how many milliseconds: `undefined` means no.
 * POST and PATCH are repeated only when it is certain that the service did nothing.
 */
export function retryDelay(
  method: string,
  { outcome, status, retryAfterMs }: Failure,
  /** Failed attempts of this kind so far, this one included: 429 is counted apart from the rest. */
  failedAttempts: number,
  random: () => number,
): number | undefined {
  const limited = status === 429;
  if (!limited && failedAttempts >= RETRY_POLICY.maxAttempts) return undefined;
  const lost = status === undefined || isPassing(status);
  const safe = limited || (lost && (outcome === "not sent" || IDEMPOTENT.has(method)));
  if (!safe) return undefined;
  const jittered = random() * Math.min(RETRY_POLICY.capMs, RETRY_POLICY.baseMs * 2 ** (failedAttempts - 1));
  return Math.max(retryAfterMs ?? 0, jittered);
}

/** How one attempt ended. Whatever an attempt throws is final. */
export type AttemptResult<T> = { value: T } | { failure: Failure; error: Error };

/** The result of an attempt that got no answer; any other error is thrown again. */
export function noAnswer(error: unknown): { failure: Failure; error: NetworkError } {
  if (!(error instanceof NetworkError)) throw error;
  return { failure: { outcome: error.outcome }, error };
}

interface RetryOptions {
  /** Milliseconds that one operation may take, all its attempts and waits together. */
  maxWaitMs: number;
  clock?: Clock;
  random?: () => number;
}

interface RetryRunOptions {
  /** Ends the run between attempts; an attempt looks after itself. */
  signal?: AbortSignal | undefined;
  /** Told of every attempt that will be repeated, before the wait; what it returns is called after it. */
  onRetry?: (delayMs: number, failure: Failure) => () => void;
}

export class Retry {
  constructor(private readonly options: RetryOptions) {}

  /** The first value; rejects with the error of the last attempt, or the signal's reason. */
  async run<T>(
    method: string,
    attempt: (number: number) => Promise<AttemptResult<T>>,
    { signal, onRetry }: RetryRunOptions = {},
  ): Promise<T> {
    const { maxWaitMs, clock = systemClock, random = Math.random } = this.options;
    const end = clock.now() + maxWaitMs;
    let failed = 0;
    let limited = 0;
    for (let number = 1; ; number++) {
      signal?.throwIfAborted();
      const result = await attempt(number);
      if ("value" in result) return result.value;
      const count = result.failure.status === 429 ? ++limited : ++failed;
      const delay = retryDelay(method, result.failure, count, random);
      if (delay === undefined || clock.now() + delay > end) throw result.error;
      const ended = onRetry?.(delay, result.failure);
      await sleep(clock, delay, signal).finally(ended);
    }
  }
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  let cancel: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve);
  });
  await unlessAborted(over, signal).finally(cancel);
}

/** The result of a promise, which goes on when the signal comes first: then rejects with its reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  let abort: () => void = () => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
