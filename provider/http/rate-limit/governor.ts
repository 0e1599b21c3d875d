import { BucketEstimate, type BucketHeaders, type BucketTuning, type Ticket, TUNING } from "./bucket";
import { type Clock, systemClock } from "./clock";
import { Gate } from "./gate";
import { WaitNotices } from "./wait-notices";

/** The right to send one request. The first method called gives it back; the others then do nothing. */
export interface Turn {
  /** `headers`: undefined if the service doesn't send any. */
  answered(headers: BucketHeaders | undefined): void;
  /**
   * The answer was 429. The call goes back to its place in the queue, before all that came later, and gets
   * its next turn as from `acquire`. Undefined if it gives up: its wait ends before `retryAfterMs`.
   */
  refused(
    headers: BucketHeaders | undefined,
    retryAfterMs: number | undefined,
  ): Promise<Turn | undefined> | undefined;
  /** There was no answer, or none from the service; or nothing was sent. */
  lost(): void;
}

interface GovernorOptions {
  /** For experiments. Default: `TUNING`. */
  tuning?: BucketTuning;
  clock?: Clock;
  /** From 0 to 1. Default: `Math.random`. */
  random?: () => number;
  tenant: string;
  /** Prints long waits, in words for a person. */
  tell: (text: string) => void;
}

/** A call from its first wait to its last answer. */
interface QueuedCall {
  group: string;
  /** Calls are numbered as they come; the queue is in this order. */
  number: number;
  waitsUntil: number;
  signal: AbortSignal | undefined;
}

interface Waiter extends QueuedCall {
  grant: (turn: Turn) => void;
}

/** An endpoint group's limit, known once one of its requests was answered. */
type Meter = BucketEstimate | "unmetered";

/**
 * Decides when a request may start: one per tenant and process. It paces by the service's own headers before
 * the limit is hit, keeps the reserve free, and caps concurrency and, on request, requests per second.
 *
 * Endpoints can have buckets of their own, with different `X-RateLimit-Limit`. Requests name their group. The
 * first of a group goes alone, and its answer shows the bucket. A group that is refused without headers also
 * gets a gate.
 */
export class RateLimitGovernor {
  readonly #buckets = new Map<number, BucketEstimate>();
  readonly #meters = new Map<string, Meter>();
  /** For each endpoint group that was refused without headers. */
  readonly #gates = new Map<string, Gate>();
  readonly #scouts = new Set<string>();
  readonly #queue: Waiter[] = [];
  readonly #clock: Clock;
  readonly #notices: WaitNotices;
  readonly #tuning: BucketTuning;
  readonly #random: () => number;
  #calls = 0;
  #inFlight = 0;
  #mostWaiting = 0;
  #nextStart = -Infinity;
  #cancelTimer: () => void = () => undefined;

  constructor(
    private readonly limits: RateLimits,
    { clock = systemClock, tuning = TUNING, random = Math.random, tenant, tell }: GovernorOptions,
  ) {
    this.#random = random;
    this.#clock = clock;
    this.#tuning = tuning;
    this.#notices = new WaitNotices(clock, {
      tenant,
      tell,
      backlogMs: () => this.#backlogMs(),
      blockedMs: () => this.#blockedMs(),
    });
  }

  /** The most requests waiting at once since the last time none waited. */
  get mostWaiting(): number {
    return this.#mostWaiting;
  }

  /** Undefined if no turn came within `maxWaitMs`, or `signal` ended the wait. */
  async acquire(group: string, maxWaitMs: number, signal?: AbortSignal): Promise<Turn | undefined> {
    if (signal?.aborted === true) return undefined;
    const call = { group, number: ++this.#calls, waitsUntil: this.#clock.now() + maxWaitMs, signal };
    if (this.#queue.length === 0) {
      const turn = this.#tryStart(call, false);
      if (typeof turn === "object") return turn;
    }
    return this.#wait(call);
  }

  async #wait(call: QueuedCall): Promise<Turn | undefined> {
    const { number, waitsUntil, signal } = call;
    if (signal?.aborted === true) return undefined;
    return new Promise((resolve) => {
      const endWait = this.#notices.begin();
      const settle = (turn: Turn | undefined) => {
        cancelDeadline();
        signal?.removeEventListener("abort", leave);
        endWait();
        resolve(turn);
      };
      const waiter: Waiter = { ...call, grant: settle };
      const leave = () => {
        this.#queue.splice(this.#queue.indexOf(waiter), 1);
        if (this.#queue.length === 0) this.#cancelTimer();
        settle(undefined);
      };
      const cancelDeadline = this.#clock.after(waitsUntil - this.#clock.now(), leave);
      signal?.addEventListener("abort", leave, { once: true });
      this.#mostWaiting = this.#queue.length === 0 ? 1 : Math.max(this.#mostWaiting, this.#queue.length + 1);
      let place = this.#queue.length;
      while (place > 0 && (this.#queue[place - 1] as Waiter).number > number) place--;
      this.#queue.splice(place, 0, waiter);
      this.#pump();
    });
  }

  /**
   * Returns the bucket for a group's requests. Until the group's first answer reveals it, that's the tenant's
   * first known bucket.
   */
  #bucketOf(group: string): BucketEstimate | undefined {
    const meter = this.#meters.get(group);
    if (meter === "unmetered") return undefined;
    return meter ?? this.#buckets.values().next().value;
  }

  /** Returns a turn, or the milliseconds to wait; undefined if a request must end first. */
  #tryStart(call: QueuedCall, waited: boolean): Turn | number | undefined {
    const { group } = call;
    if (this.#inFlight >= this.limits.maxConcurrency || this.#waitsForScout(group)) return undefined;
    const now = this.#clock.now();
    const bucket = this.#bucketOf(group);
    const bucketDelay = bucket === undefined ? 0 : bucket.delay(now);
    const gate = this.#gates.get(group);
    const gateDelay = gate === undefined ? 0 : gate.delay(now);
    if (bucketDelay === undefined || gateDelay === undefined) return undefined;
    const delay = Math.max(bucketDelay, gateDelay, this.#nextStart - now);
    if (delay > 0) return delay;

    this.#pace(now);
    this.#inFlight++;
    if (!this.#meters.has(group)) this.#scouts.add(group);
    return this.#turn(call, bucket, bucket?.send(now, waited));
  }

  /** True if a request must wait for the first answer of its group or tenant, which reveals the bucket. */
  #waitsForScout(group: string): boolean {
    if (this.#meters.has(group)) return false;
    return this.#scouts.has(group) || (this.#buckets.size === 0 && this.#scouts.size > 0);
  }

  /** Keeps `maxRequestsPerSecond` by setting when the next request may start. */
  #pace(now: number): void {
    if (this.limits.maxRequestsPerSecond === undefined) return;
    const interval = 1000 / this.limits.maxRequestsPerSecond;
    // Timers fire late; counting from when a request was due makes up for it.
    const due = this.#nextStart + interval;
    this.#nextStart = due > now ? due : now + interval;
  }

  #turn(call: QueuedCall, bucket: BucketEstimate | undefined, ticket: Ticket | undefined): Turn {
    const { group, waitsUntil } = call;
    const gate = this.#gates.get(group);
    gate?.send();
    let isBack = false;
    const giveBack = (account: () => void) => {
      if (isBack) return;
      isBack = true;
      this.#inFlight--;
      this.#scouts.delete(group);
      gate?.ended();
      account();
      this.#pump();
    };
    return {
      answered: (headers) =>
        giveBack(() => {
          gate?.done();
          this.#notices.done();
          this.#account(group, bucket, ticket, headers);
        }),
      refused: (headers, retryAfterMs) => {
        const isLast = this.#clock.now() + (retryAfterMs ?? 0) > waitsUntil;
        let again: Promise<Turn | undefined> | undefined;
        giveBack(() => {
          if (headers === undefined) {
            bucket?.lost();
            this.#gateOf(group).refused(this.#clock.now(), retryAfterMs);
          } else this.#account(group, bucket, ticket, headers);
          // Before others can go.
          if (!isLast) again = this.#wait(call);
        });
        return again;
      },
      lost: () => giveBack(() => bucket?.lost()),
    };
  }

  #gateOf(group: string): Gate {
    const gate = this.#gates.get(group) ?? new Gate(this.#random);
    this.#gates.set(group, gate);
    return gate;
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
      // A proxy may have sent an answer without headers: keep what the service has shown before.
      if (!this.#meters.has(group)) this.#meters.set(group, "unmetered");
      return;
    }
    let actual = this.#buckets.get(headers.limit);
    if (actual !== undefined && actual === charged && ticket !== undefined) {
      charged.answered(ticket, now, headers);
    } else {
      charged?.lost();
      if (actual === undefined) {
        actual = new BucketEstimate(now, headers, {
          reserve: this.limits.rateLimitReserve,
          random: this.#random,
          tuning: this.#tuning,
        });
        this.#buckets.set(headers.limit, actual);
      } else {
        actual.observed(now, headers);
      }
    }
    this.#meters.set(group, actual);
  }

  /**
   * Starts every request that can start, in the order of the queue within a bucket, and sets the next timer.
   */
  #pump(): void {
    this.#cancelTimer();
    let shortest = Infinity;
    const blocked = new Set<string>();
    for (let i = 0; i < this.#queue.length && this.#inFlight < this.limits.maxConcurrency;) {
      const waiter = this.#queue[i] as Waiter;
      const outcome = blocked.has(waiter.group) ? undefined : this.#tryStart(waiter, true);
      if (typeof outcome === "object") {
        this.#queue.splice(i, 1);
        waiter.grant(outcome);
        continue;
      }
      blocked.add(waiter.group);
      if (outcome !== undefined) shortest = Math.min(shortest, outcome);
      i++;
    }
    if (shortest < Infinity) {
      this.#cancelTimer = this.#clock.after(Math.ceil(shortest), () => this.#pump());
    }
  }

  /** Estimates the milliseconds until the rate limit has room for the whole queue. */
  #backlogMs(): number {
    const now = this.#clock.now();
    const queued = new Map<BucketEstimate | undefined, number>();
    for (const { group } of this.#queue) {
      const bucket = this.#bucketOf(group);
      queued.set(bucket, (queued.get(bucket) ?? 0) + 1);
    }
    const waits = [...queued].map(([bucket, requests]) => bucket?.refillMs(now, requests) ?? 0);
    const { maxRequestsPerSecond } = this.limits;
    const capped =
      maxRequestsPerSecond === undefined ? 0 : (this.#queue.length / maxRequestsPerSecond) * 1000;
    return Math.max(0, capped, this.#blockedMs(), ...waits);
  }

  /** The longest pause that the service has asked somebody in the queue for. */
  #blockedMs(): number {
    const now = this.#clock.now();
    const groups = [...new Set(this.#queue.map(({ group }) => group))];
    const limits = groups.flatMap((group) => [this.#gates.get(group), this.#bucketOf(group)]);
    return Math.max(0, ...limits.map((limit) => limit?.blockedMs(now) ?? 0));
  }
}

export interface RateLimits {
  /** Share (0–0.9) of the rate-limit bucket reserved for the tenant's live traffic. */
  rateLimitReserve: number;
  maxConcurrency: number;
  /** Requests started per second; undefined: as many as the service allows. */
  maxRequestsPerSecond: number | undefined;
}
