import { type Permit, RateLimitGovernor } from "../../provider/http/rate-limit/governor";
import { bucketHeaders } from "../../provider/http/rate-limit/headers";
import { DEFAULT_LIMITS } from "../../provider/http/settings";
import { drawn, minimumMs, rateHeaders } from "../../testkit/rate-limit/simulation";
import { VirtualTime } from "../../testkit/rate-limit/virtual-time";
import { type Rate, TokenBucket } from "../../simulator/rate-limit";
import { type EngineCost } from "./engine-cost";

/** Stacks of connection profiles on one tenant, and the workers that run them. */
export interface Fleet {
  stacks: number;
  /** In each stack. */
  profiles: number;
  /** Each runs one stack at a time, on its own machine. */
  workers: number;
  /** Profiles per request: 1 when each is created, 10 when pages are read. */
  profilesPerRequest: number;
  /** Simultaneous requests of the engine: `--parallel`. Pages are read one after the other. */
  parallel: number;
  engine: EngineCost;
  rate: Rate;
  /** Round-trip milliseconds, drawn evenly for each request. */
  latency: { least: number; most: number };
  seed: number;
}

export interface FleetResult {
  /** From the start of the first run to the end of the last. */
  elapsedMs: number;
  /** From the first request to the last answer. */
  sendingMs: number;
  /** The time that the bucket alone would take. */
  leastMs: number;
  /** Requests done by the tenant, by the number of each one's first profile. */
  done: number[];
  /** Answers 429. */
  refused: number;
  /** Operations that failed after all retries. */
  givenUp: number;
  /** Share of the workers' time in which their engines had their own work to do. */
  engineShare: number;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Runs a fleet in virtual time: with the package's governor, a true token bucket, and seeded randomness.
 */
export async function simulate(fleet: Fleet): Promise<FleetResult> {
  const time = new VirtualTime();
  const start = time.now();
  const tenant = new SimulatedTenant(fleet, time);
  const queue = Array.from({ length: fleet.stacks }, (_, stack) => stack);
  let givenUp = 0;
  const worker = async () => {
    for (let stack = queue.shift(); stack !== undefined; stack = queue.shift()) {
      givenUp += await runStack(fleet, stack, tenant, time);
    }
  };
  await time.run(Promise.all(Array.from({ length: fleet.workers }, worker)), 30 * DAY_MS);
  const elapsedMs = time.now() - start;
  const { startMs, profileMs } = fleet.engine;
  const engineMs = fleet.stacks * (startMs + fleet.profiles * profileMs);
  return {
    elapsedMs,
    sendingMs: tenant.lastAt - tenant.firstAt,
    leastMs: minimumMs(fleet, fleet.stacks * requestsOfStack(fleet)),
    done: tenant.done,
    refused: tenant.refused,
    givenUp,
    engineShare: engineMs / (fleet.workers * elapsedMs),
  };
}

function requestsOfStack({ profiles, profilesPerRequest }: Fleet): number {
  return Math.ceil(profiles / profilesPerRequest);
}

/**
 * Runs one command of the engine, with its own provider host and governor; returns the number of failed
 * operations.
 */
async function runStack(
  fleet: Fleet,
  stack: number,
  tenant: SimulatedTenant,
  time: VirtualTime,
): Promise<number> {
  const host = new SimulatedHost(tenant, time);
  const { startMs, profileMs } = fleet.engine;
  const slots = new Slots(fleet.parallel);
  let givenUp = 0;
  await time.sleep(startMs);
  for (let request = 0; request < requestsOfStack(fleet); request++) {
    const first = request * fleet.profilesPerRequest;
    await slots.take();
    // The engine prepares and records profiles one by one.
    await time.sleep(profileMs * Math.min(fleet.profilesPerRequest, fleet.profiles - first));
    void host
      .send(stack * fleet.profiles + first)
      .catch(() => givenUp++)
      .finally(() => slots.give());
  }
  await slots.all();
  return givenUp;
}

/** The part of a provider host that sends requests. */
class SimulatedHost {
  readonly #governor: RateLimitGovernor;

  constructor(
    private readonly tenant: SimulatedTenant,
    time: VirtualTime,
  ) {
    this.#governor = new RateLimitGovernor(DEFAULT_LIMITS, {
      clock: time,
      random: tenant.random,
      tenant: "tenant.example.com",
      tell: () => undefined,
    });
  }

  /** Sends the request that begins with a profile. */
  async send(profile: number): Promise<void> {
    let turn: ReturnType<Permit["refused"]> = this.#governor.acquire("POST things", MAX_WAIT_MS);
    for (;;) {
      const permit: Permit | undefined = await turn;
      if (permit === undefined) throw new Error("There was no room in the rate limit.");
      const { allowed, headers } = await this.tenant.answer(profile);
      const read = bucketHeaders(headers, allowed ? 201 : 429);
      if (allowed) return permit.answered(read);
      turn = permit.refused(read, undefined);
    }
  }
}

const MAX_WAIT_MS = DEFAULT_LIMITS.maxWaitSeconds * 1000;

class SimulatedTenant {
  readonly done: number[] = [];
  refused = 0;
  firstAt = Infinity;
  lastAt = 0;
  readonly random: () => number;
  readonly #bucket: TokenBucket;
  readonly #oneWay: () => number;

  constructor(
    { rate, latency, seed }: Fleet,
    private readonly time: VirtualTime,
  ) {
    this.#bucket = new TokenBucket(rate, () => time.now());
    this.#oneWay = drawn(seed, latency.least / 2, latency.most / 2);
    this.random = drawn(seed + 1, 0, 1);
  }

  async answer(profile: number): Promise<{ allowed: boolean; headers: Record<string, string> }> {
    await this.time.sleep(this.#oneWay());
    const now = this.time.now();
    const state = this.#bucket.take();
    this.firstAt = Math.min(this.firstAt, now);
    if (state.allowed) {
      this.done.push(profile);
      this.lastAt = now;
    } else this.refused++;
    await this.time.sleep(this.#oneWay());
    return { allowed: state.allowed, headers: rateHeaders(state, now) };
  }
}

/** Hands out this many slots at once. */
class Slots {
  #taken = 0;
  #wake: () => void = () => undefined;

  constructor(private readonly size: number) {}

  take(): Promise<void> {
    return this.#below(this.size).then(() => {
      this.#taken++;
    });
  }

  give(): void {
    this.#taken--;
    this.#wake();
  }

  /** Resolves once all have been given back. */
  all(): Promise<void> {
    return this.#below(1);
  }

  async #below(limit: number): Promise<void> {
    while (this.#taken >= limit) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}
