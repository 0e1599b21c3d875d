import { BucketEstimate } from "../../../provider/http/rate-limit/bucket";

test("a request that is sent in the very millisecond of an answer tells the rate, too", () => {
  const answer = (remaining: number) => ({ limit: 100, remaining, rejected: false, resetInMs: 0 });
  const bucket = new BucketEstimate(0, answer(10), { reserve: 0.02, random: () => 0 });

  const first = bucket.send(0, false);
  bucket.answered(first, 100, answer(5));
  const second = bucket.send(100, false);
  bucket.answered(second, 200, answer(20));

  // 15 tokens more than before, in the 200 ms since the first request was sent; one of them may be due to
  // rounding.
  expect(bucket.rate).toBe(75);
});
