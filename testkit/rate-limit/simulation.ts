import { type BucketTuning, TUNING } from "../../provider/http/rate-limit/bucket";
import { RateLimitGovernor, type Turn } from "../../provider/http/rate-limit/governor";
import { bucketHeaders } from "../../provider/http/rate-limit/headers";
import { type ClientLimits, DEFAULT_LIMITS } from "../../provider/http/settings";
import { type Rate, type RateState, TokenBucket } from "../../simulator/rate-limit";
import { VirtualTime } from "./virtual-time";

export interface Service {
  rate: Rate;
  /** Requests per second from others. */
  traffic?: number;
  /** Seconds by which the service's clock is ahead. */
  skew?: number;
}

interface Load {
  requests: number;
  processes?: number;
  /** Round-trip milliseconds to the service, drawn for each request. */
  there: () => number;
  back: () => number;
  limits?: Partial<ClientLimits>;
  tuning?: Partial<BucketTuning>;
  /** Gets the notices, with the milliseconds since the start. */
  tell?: (text: string, at: number) => void;
}

const EPOCH = 1_700_000_000_000;

/**
 * Sends requests through governors, one for each process, to a true token bucket, and repeats refused ones.
 */
export async function run(service: Service, load: Load) {
  const time = new VirtualTime();
  const start = time.now();
  const bucket = new TokenBucket(service.rate, () => time.now(), service.traffic);
  const random = drawn(11, 0, 1);
  const served: { at: number; allowed: boolean; remaining: number }[] = [];

  async function request(governor: RateLimitGovernor): Promise<void> {
    let queued = governor.acquire("POST things", Infinity);
    for (;;) {
      const turn = (await queued) as Turn;
      await time.sleep(load.there());
      const state = bucket.take();
      served.push({ at: time.now() - start, allowed: state.allowed, remaining: state.remaining });
      const headers = rateHeaders(state, time.now(), service.skew);
      await time.sleep(load.back());
      const read = bucketHeaders(headers, state.allowed ? 201 : 429);
      if (state.allowed) return turn.answered(read);
      queued = turn.refused(read, undefined) as typeof queued;
    }
  }

  const processes = load.processes ?? 1;
  const work = Array.from({ length: processes }, () => {
    const governor = new RateLimitGovernor(
      { ...DEFAULT_LIMITS, ...load.limits },
      {
        clock: time,
        tuning: { ...TUNING, ...load.tuning },
        random,
        tenant: "tenant.example.com",
        tell: (text) => load.tell?.(text, time.now() - start),
      },
    );
    return Array.from({ length: Math.ceil(load.requests / processes) }, () => request(governor));
  });
  await time.run(Promise.all(work.flat()));
  const sent = served.length;
  const refused = served.filter(({ allowed }) => !allowed).length;
  const least = Math.min(...served.map(({ remaining }) => remaining));
  return { elapsedMs: time.now() - start, sent, refused, served, least };
}

/** Returns the service's headers for a bucket, with a clock that is `skew` seconds ahead. */
function rateHeaders(state: RateState, now: number, skew = 0): Record<string, string> {
  const theirClock = (ms: number) => EPOCH + ms + skew * 1000;
  return {
    "x-ratelimit-limit": String(state.limit),
    "x-ratelimit-remaining": String(state.remaining),
    "x-ratelimit-reset": String(Math.ceil(theirClock(state.resetAt) / 1000)),
    date: new Date(theirClock(now)).toUTCString(),
  };
}

/** The minimum milliseconds for the requests, by the bucket alone. */
export function minimumMs({ rate, traffic = 0 }: Service, requests: number): number {
  return (Math.max(0, requests - rate.burst) / (rate.perSecond - traffic)) * 1000;
}

/** Seeded random numbers, so that a failure can be repeated. */
export function drawn(seed: number, least: number, most: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return least + (state / 2 ** 32) * (most - least);
  };
}
