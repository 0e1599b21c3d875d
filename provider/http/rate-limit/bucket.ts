import { Pause } from "./pause";

/** The headers of an answer about the bucket that its request was taken from. */
export interface BucketHeaders {
  /** `X-RateLimit-Limit`: the most tokens the bucket can hold. */
  limit: number;
  /** `X-RateLimit-Remaining`: whole tokens left after this request. */
  remaining: number;
  rejected: boolean;
  /** If rejected: milliseconds until the next token, by `Retry-After` or `X-RateLimit-Reset`. */
  resetInMs: number;
}

/** A request taken from a bucket that hasn't ended. */
export interface Ticket {
  sequence: number;
  sentAt: number;
  /** Requests that had ended when this one was sent. */
  endedBefore: number;
  /** True if the request had to wait for tokens. */
  paced: boolean;
  /** True if it was sent without a token, by what the answers had said until then. */
  early: boolean;
}

interface Observation extends Ticket {
  at: number;
  remaining: number;
  /** Requests that had been sent when this one was answered. */
  sentByThen: number;
}

/** The numbers behind the estimate. README.md has the reasons for each. */
export const TUNING = {
  /**
   * Seconds in which the slowest known plan fills its bucket, plus a margin: the refill rate assumed at
   * first.
   */
  slowestFillSeconds: 6,
  /** Tokens per second to hope for even if others take all. */
  minimumRate: 0.25,
  /** Ask again after this long however busy the bucket is: only an answer reveals free tokens. */
  longestWaitMs: 3_000,
  /** Answers in a row to early requests, all with the same rest, until the headers aren't believed. */
  contradictions: 8,
  /**
   * The time span of answers used for the refill rate. Longer is steadier, shorter adapts faster to others.
   */
  rateWindowMs: 5_000,
  /** Answers closer together than this say nothing new about the rate. */
  rateSampleMs: 50,
  /** Processes that may see the same full bucket at the same time, as the pipelines of one push do. */
  simultaneousStarts: 10,
  /** Growth of the refill estimate each time the bucket is full although requests waited. */
  fullBucketGrowth: 1.25,
  /** How much the refill estimate drops after a refusal. */
  refusalBackoff: 0.7,
  /** Share of the bucket that may go missing before we assume that others compete for it. */
  competitionShare: 0.05,
} as const;

export type BucketTuning = Readonly<Record<keyof typeof TUNING, number>>;

interface BucketOptions {
  /** Share of the bucket that we never spend. */
  reserve: number;
  /** From 0 to 1. */
  random: () => number;
  /** Default: `TUNING`. */
  tuning?: BucketTuning;
}

/**
 * An estimate of one token bucket of the service, from the answers' headers. Pure: each call brings the time
 * in milliseconds.
 *
 * It errs on the low side. Requests in flight count as spent, fractions of tokens are ignored, and the refill
 * rate is the lowest that explains the answers. A low estimate costs nothing in the long run: the next answer
 * reveals the tokens it missed.
 *
 * Tolerance: alone, no request is refused unless the network bunches up more requests than the reserve. With
 * others, only an answer shows what they took. Until then each process may overdraw the bucket by its
 * requests in flight; that number grows with each answer, and falls when others are noticed. A bucket that
 * others keep empty is still tried every `longestWaitMs`, and may refuse.
 */
export class BucketEstimate {
  readonly limit: number;
  private readonly reserve: number;
  private readonly tuning: BucketTuning;
  /** Tokens per second that come in, minus those that others take. */
  rate: number;
  #level: number;
  #levelAt: number;
  readonly #pause: Pause;
  #sent = 0;
  #ended = 0;
  #inFlightLimit: number;
  #competed = false;
  #remaining: number;
  /** Answers in a row that show no token spent and none come in, though a request was let through. */
  #contradicted = 0;
  #recent: Observation[] = [];
  /** The highest possible refill rate, by the answers since the bucket was last full. */
  #ceiling = Infinity;

  constructor(now: number, first: BucketHeaders, { reserve, random, tuning = TUNING }: BucketOptions) {
    this.reserve = reserve;
    this.tuning = tuning;
    this.#pause = new Pause(random);
    this.limit = first.limit;
    this.rate = Math.max(this.tuning.minimumRate, first.limit / this.tuning.slowestFillSeconds);
    this.#level = first.remaining;
    this.#remaining = first.remaining;
    this.#levelAt = now;
    const spare = first.remaining - reserve * first.limit;
    this.#inFlightLimit = Math.max(1, spare / this.tuning.simultaneousStarts);
    if (first.rejected) this.#refused(now, first);
  }

  /** Milliseconds from `now` until a request may be sent; undefined if one must end first. */
  delay(now: number): number | undefined {
    if (this.#inFlight >= Math.floor(this.#inFlightLimit)) return undefined;
    const refilledAt = now + this.refillMs(now, 1);
    return Math.max(Math.min(refilledAt, this.#levelAt + this.#longestWaitMs) - now, this.blockedMs(now));
  }

  /** Headers that are wrong time after time count for less with each request that is let through. */
  get #longestWaitMs(): number {
    const { longestWaitMs, contradictions } = this.tuning;
    return longestWaitMs / 2 ** Math.max(0, this.#contradicted - contradictions);
  }

  /** The rest of the pause since the service last refused a request, in milliseconds from `now`. */
  blockedMs(now: number): number {
    return this.#pause.leftMs(now);
  }

  /** Milliseconds from `now` until there are tokens for this many requests. */
  refillMs(now: number, requests: number): number {
    // A bucket of two tokens must still give one away.
    const needed = requests + Math.min(this.reserve * this.limit, this.limit - 1);
    return (Math.max(0, needed - this.#levelNow(now)) / this.rate) * 1000;
  }

  send(now: number, paced: boolean): Ticket {
    const early = this.refillMs(now, 1) > 0;
    this.#setLevel(now, this.#levelNow(now) - 1);
    return { sequence: ++this.#sent, sentAt: now, endedBefore: this.#ended, paced, early };
  }

  /** Records that a request ended without an answer, or came from another bucket after all. */
  lost(): void {
    this.#ended++;
  }

  observed(now: number, headers: BucketHeaders): void {
    if (headers.rejected) {
      this.#refused(now, headers);
      return;
    }
    this.#pause.letThrough();
    this.#setLevel(now, Math.min(this.#levelNow(now) - 1, headers.remaining));
  }

  answered(ticket: Ticket, now: number, headers: BucketHeaders): void {
    this.#ended++;
    if (headers.rejected) {
      this.#refused(now, headers);
      return;
    }
    this.#pause.letThrough();
    this.#contradicted = ticket.early && headers.remaining === this.#remaining ? this.#contradicted + 1 : 0;
    this.#remaining = headers.remaining;
    this.#adaptInFlight(ticket, now, headers.remaining);
    const sentAfter = this.#sent - ticket.sequence;
    // The service may have taken any overlapping request of ours after this one.
    const overlapping = this.#sent - 1 - ticket.endedBefore;
    const least = Math.max(headers.remaining - overlapping, -this.#inFlight);
    const likely = headers.remaining - Math.min(this.#inFlight, sentAfter);
    this.#setLevel(now, Math.max(least, Math.min(likely, this.#levelNow(now))));
    // A full bucket overflows, so earlier intake only proves a lower bound of the rate.
    const full = headers.remaining >= this.limit - 1;
    const last = this.#recent.at(-1);
    if (!full && last !== undefined && now - last.at < this.tuning.rateSampleMs) return;
    this.#learnRate({ ...ticket, at: now, remaining: headers.remaining, sentByThen: this.#sent }, full);
  }

  get #inFlight(): number {
    return this.#sent - this.#ended;
  }

  #levelNow(now: number): number {
    const refilled = (this.rate * Math.max(0, now - this.#levelAt)) / 1000;
    return Math.min(this.#level + refilled, this.limit);
  }

  #setLevel(now: number, level: number): void {
    this.#level = level;
    this.#levelAt = now;
  }

  #refused(now: number, headers: BucketHeaders): void {
    this.#pause.refused(now, headers.resetInMs);
    // Other refused requests wait for the same tokens, so tokens until then don't count.
    this.#setLevel(now + this.blockedMs(now), 0);
    this.rate = Math.max(this.tuning.minimumRate, this.rate * this.tuning.refusalBackoff);
    this.#inFlightLimit = 1;
    this.#competed = true;
    this.#contradicted = 0;
    this.#recent = [];
  }

  /** Allows more requests in flight, quickly while there is no sign of others, and fewer once there is. */
  #adaptInFlight(ticket: Ticket, now: number, remaining: number): void {
    const most = remaining + 1 + (this.rate * (now - ticket.sentAt)) / 1000;
    if (this.#levelNow(now) - most > this.limit * this.tuning.competitionShare) {
      this.#competed = true;
      this.#inFlightLimit = Math.max(1, this.#inFlightLimit / 2);
      return;
    }
    const growth = this.#competed ? 0.25 / this.#inFlightLimit : 1;
    this.#inFlightLimit = Math.min(this.#inFlightLimit + growth, Math.max(1, this.limit / 2));
  }

  #learnRate(newest: Observation, full: boolean): void {
    const oldest = this.#recent[0];
    const proven = Math.max(0, ...this.#recent.map((older) => provenRate(older, newest)));
    const conclusive = oldest !== undefined && newest.at - oldest.at >= this.tuning.rateWindowMs;
    if (proven > this.rate || (conclusive && !full)) this.rate = Math.max(this.tuning.minimumRate, proven);
    if (full) {
      if (newest.paced && this.rate < this.#ceiling) {
        this.rate = Math.min(this.rate * this.tuning.fullBucketGrowth, this.#ceiling);
      }
      this.#recent = [];
    } else if (oldest !== undefined) {
      this.#ceiling = Math.min(...this.#recent.map((older) => possibleRate(older, newest)));
    }
    this.#recent.push(newest);
    while (this.#recent[1] !== undefined && newest.at - this.#recent[1].at >= this.tuning.rateWindowMs) {
      this.#recent.shift();
    }
  }
}

/**
 * The least tokens per second that came in between two answers: the difference in what remained, plus the
 * requests that the service certainly took in between. It rounds down, so one token may be due to rounding.
 */
function provenRate(older: Observation, newer: Observation): number {
  // The service may have taken requests that overlap in either order.
  if (newer.sentAt < older.at) return 0;
  const takenBetween = 1 + Math.max(0, newer.endedBefore - older.sentByThen);
  const refilled = newer.remaining - older.remaining + takenBetween - 1;
  return (refilled / (newer.at - older.sentAt)) * 1000;
}

/** The most tokens per second that came in between two answers, unless the bucket was full in between. */
function possibleRate(older: Observation, newer: Observation): number {
  if (newer.sentAt <= older.at) return Infinity;
  const takenBetween = newer.sentByThen - older.endedBefore - 1;
  const refilled = newer.remaining - older.remaining + takenBetween + 1;
  return (refilled / (newer.sentAt - older.at)) * 1000;
}
