import { z } from "zod";
import { type Rate } from "./types";

export { type Rate };

/** Size and speed of a token bucket. */
export const rateSchema = z.strictObject({
  burst: z.number().int().min(1).describe("Requests the full bucket allows at once."),
  perSecond: z.number().positive().describe("Tokens that flow back per second; may be a fraction."),
}) satisfies z.ZodType<Rate, Rate>;

/** The service's view of a bucket after a request. */
export interface RateState {
  /** False if the bucket was empty, so the answer is 429. */
  allowed: boolean;
  /** Size of the bucket. */
  limit: number;
  /** Whole tokens left. */
  remaining: number;
  /** When the next token arrives, in epoch milliseconds; now, if the bucket is full. */
  resetAt: number;
}

/** Absorbs rounding: a token due now must not be short by 10⁻¹⁶. */
const EPSILON = 1e-9;

/**
 * A token bucket. Starts full.
 *
 * @param rate Size and speed.
 * @param now Clock in epoch milliseconds.
 * @param traffic Requests per second that others send, evenly spread; each takes a token if there is one.
 */
export class TokenBucket {
  #tokens: number;
  #at: number;
  #nextOther: number;

  constructor(
    readonly rate: Rate,
    private readonly now: () => number,
    private readonly traffic = 0,
  ) {
    this.#tokens = rate.burst;
    this.#at = now();
    this.#nextOther = this.#at + this.#interval;
  }

  /** Takes one token if there is one. */
  take(): RateState {
    const now = this.now();
    for (; this.#nextOther <= now; this.#nextOther += this.#interval) {
      this.#refill(this.#nextOther);
      if (this.#tokens >= 1 - EPSILON) this.#tokens -= 1;
    }
    this.#refill(now);
    const allowed = this.#tokens >= 1 - EPSILON;
    if (allowed) this.#tokens -= 1;
    const { burst, perSecond } = this.rate;
    const remaining = Math.max(0, Math.floor(this.#tokens + EPSILON));
    const missing = remaining >= burst ? 0 : remaining + 1 - this.#tokens;
    return { allowed, limit: burst, remaining, resetAt: now + (missing / perSecond) * 1000 };
  }

  get #interval(): number {
    return this.traffic > 0 ? 1000 / this.traffic : Infinity;
  }

  #refill(at: number): void {
    const elapsed = Math.max(0, at - this.#at);
    this.#tokens = Math.min(this.rate.burst, this.#tokens + (elapsed / 1000) * this.rate.perSecond);
    this.#at = at;
  }
}
