import { BucketEstimate, type BucketHeaders, type Ticket } from "./bucket";
import { type Clock, systemClock } from "../clock";
import { type ClientLimits } from "../settings";

/** The right to send one request. Exactly one of the two methods is to be called when it ended. */
export interface Permit {
  /** `headers`: undefined when the service does not send any. */
  answered(headers: BucketHeaders | undefined): void;
  lost(): void;
}

export interface GovernorOptions {
  clock?: Clock;
  /** Told how long the last in the queue is going to wait, as far as one can say. */
  onWait?: (waitMs: number, queued: number) => void;
}

interface Waiter {
  group: string;
  grant: (permit: Permit) => void;
}

/** What is known of an endpoint group once one of its requests was answered. */
type Meter = BucketEstimate | "unmetered";

/**
 * Decides when a request may start: one per tenant and process. It paces by the service's own headers before the
 * limit is hit, keeps the reserve free, and caps concurrency and, if asked, requests per second.
 *
 * Endpoints can have buckets of their own, told apart by their `X-RateLimit-Limit`. Requests name their group; the
 * first of a group goes alone, and its answer shows which bucket it was taken from.
 */
export class RateLimitGovernor {
  readonly #buckets = new Map<number, BucketEstimate>();
  readonly #meters = new Map<string, Meter>();
  readonly #scouts = new Set<string>();
  readonly #queue: Waiter[] = [];
  readonly #clock: Clock;
  #inFlight = 0;
  #nextStart = -Infinity;
  #cancelTimer: () => void = () => undefined;

  constructor(
    private readonly limits: ClientLimits,
    private readonly options: GovernorOptions = {},
  ) {
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Waits for the right to send a request of an endpoint group; undefined when it did not come within `maxWaitMs`
   * or before `signal` ended the wait.
   */
  async acquire(group: string, maxWaitMs: number, signal?: AbortSignal): Promise<Permit | undefined> {
    if (signal?.aborted === true) return undefined;
    if (this.#queue.length === 0) {
      const permit = this.#tryStart(group, false);
      if (typeof permit === "object") return permit;
    }
    return new Promise((resolve) => {
      const settle = (permit: Permit | undefined) => {
        cancelDeadline();
        signal?.removeEventListener("abort", leave);
        resolve(permit);
      };
      const waiter: Waiter = { group, grant: settle };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        settle(undefined);
      };
      const cancelDeadline = this.#clock.after(maxWaitMs, leave);
      signal?.addEventListener("abort", leave, { once: true });
      this.#queue.push(waiter);
      this.#pump();
    });
  }

  /** The bucket that a request of a group is counted against; until its first answer that is the tenant's first. */
  #bucketOf(group: string): BucketEstimate | undefined {
    const meter = this.#meters.get(group);
    if (meter === "unmetered") return undefined;
    return meter ?? this.#buckets.values().next().value;
  }

  /** A permit; or the milliseconds to wait; or undefined: until a request ends. */
  #tryStart(group: string, waited: boolean): Permit | number | undefined {
    if (this.#inFlight >= this.limits.maxConcurrency) return undefined;
    const unknown = !this.#meters.has(group);
    if (unknown && (this.#scouts.has(group) || (this.#buckets.size === 0 && this.#scouts.size > 0))) {
      return undefined;
    }
    const now = this.#clock.now();
    const bucket = this.#bucketOf(group);
    const bucketDelay = bucket === undefined ? 0 : bucket.delay(now);
    if (bucketDelay === undefined) return undefined;
    const delay = Math.max(bucketDelay, this.#nextStart - now);
    if (delay > 0) return delay;

    if (this.limits.maxRequestsPerSecond !== undefined) {
      const interval = 1000 / this.limits.maxRequestsPerSecond;
      // Timers are late: what they are late by is not lost.
      const due = this.#nextStart + interval;
      this.#nextStart = due > now ? due : now + interval;
    }
    this.#inFlight++;
    if (unknown) this.#scouts.add(group);
    const ticket = bucket?.send(now, waited);
    const ended = (account: () => void) => {
      this.#inFlight--;
      this.#scouts.delete(group);
      account();
      this.#pump();
    };
    return {
      answered: (headers) => ended(() => this.#account(group, bucket, ticket, headers)),
      lost: () => ended(() => bucket?.lost()),
    };
  }

  #account(
    group: string,
    charged: BucketEstimate | undefined,
    ticket: Ticket | undefined,
    headers: BucketHeaders | undefined,
  ): void {
    const now = this.#clock.now();
    if (headers === undefined) {
      charged?.lost();
      // An answer without headers may come from a proxy: it does not undo what the service has shown before.
      if (!this.#meters.has(group)) this.#meters.set(group, "unmetered");
      return;
    }
    let actual = this.#buckets.get(headers.limit);
    if (actual !== undefined && actual === charged && ticket !== undefined) {
      charged.answered(ticket, now, headers);
    } else {
      charged?.lost();
      if (actual === undefined) {
        actual = new BucketEstimate(now, headers, this.limits.rateLimitReserve);
        this.#buckets.set(headers.limit, actual);
      } else {
        actual.observed(now, headers);
      }
    }
    this.#meters.set(group, actual);
  }

  /** Starts what may start, first come first served within a bucket, and sets the timer for the next. */
  #pump(): void {
    this.#cancelTimer();
    let shortest = Infinity;
    const blocked = new Set<string>();
    for (let i = 0; i < this.#queue.length && this.#inFlight < this.limits.maxConcurrency;) {
      const waiter = this.#queue[i] as Waiter;
      const outcome = blocked.has(waiter.group) ? undefined : this.#tryStart(waiter.group, true);
      if (typeof outcome === "object") {
        this.#queue.splice(i, 1);
        waiter.grant(outcome);
        continue;
      }
      blocked.add(waiter.group);
      if (outcome !== undefined) shortest = Math.min(shortest, outcome);
      i++;
    }
    if (shortest === Infinity) return;
    this.#cancelTimer = this.#clock.after(Math.ceil(shortest), () => this.#pump());
    const last = this.#queue.at(-1) as Waiter;
    const rate = Math.min(
      this.#bucketOf(last.group)?.rate ?? Infinity,
      this.limits.maxRequestsPerSecond ?? Infinity,
    );
    const behind = ((this.#queue.length - 1) / rate) * 1000;
    this.options.onWait?.(shortest + behind, this.#queue.length);
  }
}
