import { RateLimitGovernor, type Turn } from "../../../provider/http/rate-limit/governor";
import { DEFAULT_LIMITS } from "../../../provider/http/settings";
import { run } from "../../../testkit/rate-limit/simulation";
import { VirtualTime } from "../../../testkit/rate-limit/virtual-time";

const latency = { there: () => 20, back: () => 20 };

async function noticesOf(rate: { burst: number; perSecond: number }, requests: number, traffic = 0) {
  const notices: { text: string; at: number }[] = [];
  const tell = (text: string, at: number) => notices.push({ text, at });
  const { elapsedMs } = await run({ rate, traffic }, { requests, ...latency, tell });
  return { notices, elapsedMs };
}

test("a wait is told after 5, 15 and 45 seconds and then every minute, with how much is done and left", async () => {
  const { notices } = await noticesOf({ burst: 10, perSecond: 2 }, 300);
  expect(notices.map(({ at }) => Math.round(at / 1000))).toEqual([5, 15, 45, 105]);
  for (const { text } of notices) {
    expect(text).toMatch(
      /^Waiting for the rate limit of tenant\.example\.com: about \d+ s for \d+ requests, \d+ done\.$/,
    );
  }
  const left = notices.map(({ text }) => Number(/for (\d+) requests/.exec(text)?.[1]));
  const done = notices.map(({ text }) => Number(/(\d+) done/.exec(text)?.[1]));
  for (const [i, waiting] of left.entries()) {
    // Everything neither waiting nor done is on its way.
    expect(300 - waiting - (done[i] as number)).toBeLessThanOrEqual(DEFAULT_LIMITS.maxConcurrency);
  }
});

test.each([
  [{ burst: 2, perSecond: 2 }, 150, 0],
  [{ burst: 10, perSecond: 2 }, 150, 0],
  [{ burst: 10, perSecond: 2.5 }, 200, 0],
  [{ burst: 10, perSecond: 2.5 }, 100, 1.2],
  [{ burst: 50, perSecond: 16 }, 1_000, 0],
])("what is announced comes true within a factor of two: %j, %i requests, others %d/s", async (...args) => {
  const { notices, elapsedMs } = await noticesOf(...args);
  expect(notices.length).toBeGreaterThan(1);
  for (const { text, at } of notices) {
    const announcedMs = Number(/about (\d+) s/.exec(text)?.[1]) * 1000;
    const actualMs = elapsedMs - at;
    expect(announcedMs).toBeGreaterThan(actualMs / 2 - 2_000);
    expect(announcedMs).toBeLessThan(actualMs * 2 + 2_000);
  }
});

test("short waits are not told", async () => {
  expect((await noticesOf({ burst: 50, perSecond: 16 }, 90)).notices).toEqual([]);
});

/** A governor with requests on their way, whose notices are recorded with their seconds. */
function governed(limits = {}) {
  const time = new VirtualTime();
  const notices: string[] = [];
  const governor = new RateLimitGovernor(
    { ...DEFAULT_LIMITS, ...limits },
    {
      clock: time,
      random: () => 0,
      tenant: "t",
      tell: (text) => notices.push(`${(time.now() - 1_000) / 1000}: ${text}`),
    },
  );
  return { time, governor, notices };
}

test("who waits for a slow service does not wait for the rate limit", async () => {
  const { time, governor, notices } = governed({ maxConcurrency: 1 });
  const first = await governor.acquire("GET things", 1);
  first?.answered({ limit: 100, remaining: 99, rejected: false, resetInMs: 0 });
  await governor.acquire("GET things", 1);
  expect(await time.run(governor.acquire("GET things", 60_000))).toBeUndefined();
  expect(notices).toEqual([]);
});

/** A request that the service refuses; resolves with its next turn. */
async function refused(governor: RateLimitGovernor, retryAfterMs: number): Promise<Turn | undefined> {
  const turn = await governor.acquire("GET things", Infinity);
  return turn?.refused(undefined, retryAfterMs);
}

test("a pause that the service asks for is told", async () => {
  const { time, governor, notices } = governed();
  const turn = await time.run(refused(governor, 40_000));
  turn?.answered(undefined);
  await time.run(time.sleep(3_600_000));
  expect(notices).toEqual([
    "5: Waiting for the rate limit of t: about 35 s for 1 request, 0 done.",
    "15: Waiting for the rate limit of t: about 25 s for 1 request, 0 done.",
  ]);
});

test("short waits one after the other are one wait, and after a while without any a new one begins", async () => {
  const { time, governor, notices } = governed();
  const waits = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const turn = await refused(governor, 4_000);
      turn?.answered(undefined);
      await time.sleep(100);
    }
  };
  await time.run(waits(5));
  await time.run(time.sleep(10_000));
  await time.run(waits(2));
  expect(notices.map((text) => text.split(":")[0])).toEqual(["5", "15", "35.5"]);
});

test("a pause is told in full, however quickly other endpoints answer", async () => {
  const { time, governor, notices } = governed();
  const waiting = refused(governor, 20_000);
  for (let i = 0; i < 10; i++) (await governor.acquire("GET others", Infinity))?.answered(undefined);
  (await time.run(waiting))?.answered(undefined);
  expect(notices).toEqual([
    "5: Waiting for the rate limit of t: about 15 s for 1 request, 10 done.",
    "15: Waiting for the rate limit of t: about 5 s for 1 request, 10 done.",
  ]);
});
