import { NetworkError, outcomeOf, type RequestOutcome } from "./errors";
import { type Clock, systemClock } from "./rate-limit/clock";
import { retryAfterMs } from "./rate-limit/headers";
import { type HttpAnswer } from "./transport";

export interface Failure {
  outcome: RequestOutcome;
  /** Undefined if there was no answer. */
  status?: number;
  /** The pause that the service asks for; undefined if it names none. */
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

/** True for statuses of gateways that didn't reach the service: the next attempt may. */
function isPassing(status: number): boolean {
  return status === 408 || (status >= 502 && status <= 504) || (status >= 520 && status <= 529);
}

/**
 * Returns the milliseconds until a failed attempt may be repeated; `undefined` means never. POST and PATCH
 * are repeated only if the service certainly did nothing.
 */
export function retryDelay(
  method: string,
  { outcome, status, retryAfterMs: askedMs = 0 }: Failure,
  /**
   * Failed attempts of this kind so far, this one included. 429 has its own count, for tokens and code hosts:
   * the governor repeats the tenant's other calls.
   */
  failedAttempts: number,
  random: () => number,
): number | undefined {
  const limited = status === 429;
  if (!limited && failedAttempts >= RETRY_POLICY.maxAttempts) return undefined;
  const lost = status === undefined || isPassing(status);
  const safe = limited || (lost && (outcome === "not sent" || IDEMPOTENT.has(method)));
  if (!safe) return undefined;
  const jittered = random() * Math.min(RETRY_POLICY.capMs, RETRY_POLICY.baseMs * 2 ** (failedAttempts - 1));
  return Math.max(askedMs, jittered);
}

/** The end of one attempt. Anything an attempt throws is final. */
export type AttemptResult<T> = { value: T } | { failure: Failure; error: Error };

/** Wraps the error of an attempt that got no answer; rethrows any other. */
export function noAnswer(error: unknown): { failure: Failure; error: NetworkError } {
  if (!(error instanceof NetworkError)) throw error;
  return { failure: { outcome: error.outcome }, error };
}

/** The result of an attempt whose answer means this error. */
export function failedBy(
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  error: Error,
): { failure: Failure; error: Error } {
  return { failure: { outcome: outcomeOf(error), status, retryAfterMs: retryAfterMs(headers) }, error };
}

interface RetryOptions {
  /** Milliseconds that one operation may take, including all attempts and waits. */
  maxWaitMs: number;
  clock?: Clock;
  random?: () => number;
}

interface RetryRunOptions {
  /** Ends the run between attempts; an attempt handles its own end. */
  signal?: AbortSignal | undefined;
  /** Called before the wait for each repeated attempt. */
  onRetry?: () => void;
}

export class Retry {
  constructor(private readonly options: RetryOptions) {}

  /** Resolves to the first value; rejects with the last attempt's error, or the signal's reason. */
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
      onRetry?.();
      await sleep(clock, delay, signal);
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

/** Waits for a promise until the signal fires, then rejects with its reason; the promise itself goes on. */
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
