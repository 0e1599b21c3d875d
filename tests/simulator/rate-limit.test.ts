import { TokenBucket } from "../../simulator/rate-limit";

function bucketAt(rate: { burst: number; perSecond: number }, traffic?: number) {
  const clock = { now: 1_000_000_000_000 };
  const bucket = new TokenBucket(rate, () => clock.now, traffic);
  return {
    clock,
    bucket,
    take: (times: number) => Array.from({ length: times }, () => bucket.take().allowed),
  };
}

test("a full bucket allows its burst at once, and then nothing", () => {
  const { take } = bucketAt({ burst: 3, perSecond: 2 });
  expect(take(5)).toEqual([true, true, true, false, false]);
});

test("tokens flow back one by one, never above the burst", () => {
  const { clock, take } = bucketAt({ burst: 2, perSecond: 2 });
  take(2);
  clock.now += 499;
  expect(take(1)).toEqual([false]);
  clock.now += 1;
  expect(take(2)).toEqual([true, false]);
  clock.now += 3_600_000;
  expect(take(3)).toEqual([true, true, false]);
});

test("a refused request takes nothing", () => {
  const { clock, take } = bucketAt({ burst: 1, perSecond: 1 });
  take(1);
  for (let tenth = 0; tenth < 9; tenth++) {
    clock.now += 100;
    expect(take(1)).toEqual([false]);
  }
  clock.now += 100;
  expect(take(1)).toEqual([true]);
});

test("the reset is when the next token arrives, not when the bucket is full", () => {
  const { clock, bucket } = bucketAt({ burst: 10, perSecond: 2.5 });
  expect(bucket.take()).toEqual({ allowed: true, limit: 10, remaining: 9, resetAt: clock.now + 400 });
  expect(bucket.take()).toEqual({ allowed: true, limit: 10, remaining: 8, resetAt: clock.now + 400 });
  clock.now += 300;
  expect(bucket.take()).toMatchObject({ remaining: 7, resetAt: clock.now + 100 });
});

test("the reset of an empty bucket is when a request is allowed again", () => {
  const { clock, bucket } = bucketAt({ burst: 1, perSecond: 3 });
  bucket.take();
  const { allowed, remaining, resetAt } = bucket.take();
  expect({ allowed, remaining }).toEqual({ allowed: false, remaining: 0 });
  clock.now = Math.floor(resetAt) - 1;
  expect(bucket.take().allowed).toBe(false);
  clock.now = Math.ceil(resetAt);
  expect(bucket.take().allowed).toBe(true);
});

test("no token is lost to rounding over many small steps", () => {
  const { clock, bucket } = bucketAt({ burst: 1, perSecond: 10 });
  bucket.take();
  let allowed = 0;
  for (let step = 0; step < 1000; step++) {
    clock.now += 10;
    if (bucket.take().allowed) allowed += 1;
  }
  expect(allowed).toBe(100);
});

test("the traffic of others takes tokens, while there are any", () => {
  const { clock, take, bucket } = bucketAt({ burst: 10, perSecond: 2 }, 4);
  take(1);
  clock.now += 1000;
  // 9 + 2 that flowed back − 4 by others, the first of which came when 9.5 were left.
  expect(bucket.take()).toMatchObject({ allowed: true, remaining: 6 });
  clock.now += 60_000;
  expect(take(1)).toEqual([false]);
});

test("a clock that is set back gives no tokens and takes none", () => {
  const { clock, take } = bucketAt({ burst: 2, perSecond: 1 });
  take(1);
  clock.now -= 60_000;
  expect(take(2)).toEqual([true, false]);
});
