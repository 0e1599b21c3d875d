import { bucketHeaders, retryAfterMs } from "../../../provider/http/rate-limit/headers";

const DATE = "Tue, 14 Nov 2023 22:13:20 GMT";
const THEIR_SECONDS = 1_700_000_000;

describe("the rate limit of an answer", () => {
  const headers = (reset: string | undefined, more: object = {}) => ({
    "x-ratelimit-limit": "10",
    "x-ratelimit-remaining": "3",
    "x-ratelimit-reset": reset,
    date: DATE,
    ...more,
  });

  test("counts the reset by the service's own clock, however wrong that is", () => {
    expect(bucketHeaders(headers(String(THEIR_SECONDS + 7)), 429)).toEqual({
      limit: 10,
      remaining: 3,
      resetInMs: 7_000,
      rejected: true,
    });
  });

  test.each([
    ["in the past", String(THEIR_SECONDS - 5), 0],
    ["far away", String(THEIR_SECONDS + 86_400), 60_000],
    ["in another unit", String(THEIR_SECONDS * 1000), 60_000],
    ["missing", undefined, 1_000],
    ["no number", "soon", 1_000],
  ])("takes a reset that is %s for something usable", (_, reset, resetInMs) => {
    expect(bucketHeaders(headers(reset), 429)).toMatchObject({ resetInMs });
  });

  test("asks for no wait while nothing is refused", () => {
    expect(bucketHeaders(headers(String(THEIR_SECONDS + 7)), 200)).toMatchObject({
      resetInMs: 0,
      rejected: false,
    });
  });

  test("is refused on 429, and Retry-After wins", () => {
    expect(bucketHeaders(headers(String(THEIR_SECONDS + 7), { "retry-after": "2" }), 429)).toMatchObject({
      resetInMs: 2_000,
      rejected: true,
    });
  });

  test.each([
    { "x-ratelimit-remaining": "3" },
    { "x-ratelimit-limit": "10" },
    { "x-ratelimit-limit": "0", "x-ratelimit-remaining": "0" },
    { "x-ratelimit-limit": "many", "x-ratelimit-remaining": "3" },
    { "x-ratelimit-limit": "10", "x-ratelimit-remaining": "-1" },
  ])("is unknown from %j", (incomplete: Record<string, string | undefined>) => {
    expect(bucketHeaders(incomplete, 200)).toBeUndefined();
  });
});

test.each([
  ["5", 5_000],
  ["0", 0],
  ["Tue, 14 Nov 2023 22:13:35 GMT", 15_000],
  ["Tue, 14 Nov 2023 22:13:00 GMT", 0],
  ["later", undefined],
  ["", undefined],
  [undefined, undefined],
])("Retry-After %p", (value, expected) => {
  expect(retryAfterMs({ "retry-after": value, date: DATE })).toBe(expected);
});
