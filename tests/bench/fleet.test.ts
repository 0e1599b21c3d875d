import fc from "../../testkit/properties";
import { type Fleet, simulate } from "../../bench/fleet/fleet";

/** A worker alone would need 102 s for the tenant's limit, and 102 s for its engine. */
const FLEET: Fleet = {
  stacks: 8,
  profiles: 210,
  workers: 4,
  profilesPerRequest: 1,
  parallel: 8,
  engine: { startMs: 3_000, profileMs: 60 },
  rate: { burst: 50, perSecond: 16 },
  latency: { least: 20, most: 80 },
  seed: 7,
};
const all = ({ stacks, profiles }: Fleet) => Array.from({ length: stacks * profiles }, (_, i) => i);
const sorted = (numbers: number[]) => [...numbers].sort((a, b) => a - b);

test("each profile is created once, never sooner than the tenant and the engines allow", async () => {
  const fleets = fc.record({
    stacks: fc.integer({ min: 1, max: 5 }),
    profiles: fc.integer({ min: 1, max: 40 }),
    workers: fc.integer({ min: 1, max: 6 }),
    parallel: fc.integer({ min: 1, max: 32 }),
    engine: fc.record({
      startMs: fc.integer({ min: 0, max: 5_000 }),
      profileMs: fc.integer({ min: 0, max: 300 }),
    }),
    rate: fc.record({ burst: fc.integer({ min: 2, max: 50 }), perSecond: fc.integer({ min: 2, max: 16 }) }),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fleets, async (drawn) => {
      const fleet = { ...FLEET, ...drawn };
      const { done, elapsedMs, leastMs, givenUp } = await simulate(fleet);
      expect(sorted(done)).toEqual(all(fleet));
      expect(givenUp).toBe(0);
      expect(elapsedMs).toBeGreaterThanOrEqual(leastMs);
      const { startMs, profileMs } = fleet.engine;
      const engineMs = fleet.stacks * (startMs + fleet.profiles * profileMs);
      expect(elapsedMs).toBeGreaterThanOrEqual(engineMs / fleet.workers - 1e-6);
    }),
    { numRuns: 25 },
  );
});

test("four workers use the tenant's limit almost to the full, and are hardly refused", async () => {
  const { elapsedMs, leastMs, refused, done } = await simulate(FLEET);
  expect(elapsedMs / leastMs).toBeLessThan(1.1);
  expect(refused / done.length).toBeLessThan(0.01);
});

test("sixteen workers that start at once are no storm", async () => {
  const { elapsedMs, leastMs, refused, done } = await simulate({ ...FLEET, stacks: 16, workers: 16 });
  expect(elapsedMs / leastMs).toBeLessThan(1.1);
  expect(refused / done.length).toBeLessThan(0.02);
});

test("one worker is held up by its own engine", async () => {
  const { elapsedMs, leastMs, engineShare, refused } = await simulate({
    ...FLEET,
    workers: 1,
    engine: { startMs: 3_000, profileMs: 200 },
  });
  expect(elapsedMs / leastMs).toBeGreaterThan(3);
  expect(engineShare).toBeGreaterThan(0.95);
  expect(refused).toBe(0);
});

test("pages of ten take a tenth of the requests", async () => {
  const { done, leastMs } = await simulate({ ...FLEET, profilesPerRequest: 10, parallel: 1 });
  expect(sorted(done)).toEqual(all(FLEET).filter((profile) => profile % 10 === 0));
  expect(leastMs).toBe(((168 - 50) / 16) * 1000);
});

test("the same seed gives the same result, another one another", async () => {
  const small = { ...FLEET, stacks: 2 };
  const [one, again, other] = await Promise.all([
    simulate(small),
    simulate(small),
    simulate({ ...small, seed: 8 }),
  ]);
  expect(again).toEqual(one);
  expect(other.elapsedMs).not.toBe(one.elapsedMs);
});
