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
    ["far away", String(THEIR_SECONDS + 86_400), 86_400_000],
    ["missing", undefined, 1_000],
    ["in words", "soon", 1_000],
    ["below zero", "-1", 1_000],
    ["nothing", "", 1_000],
    ["a year", "2023", 2_023_000],
    ["a day", "2023-11-14", 1_000],
    ["a number without end", "1e999", 1_000],
  ])("takes a reset that is %s for something usable", (_, reset, resetInMs) => {
    expect(bucketHeaders(headers(reset), 429)).toMatchObject({ resetInMs });
  });

  // Section 8: the unit isn't shown.
  test.each([
    ["seconds since 1970", String(THEIR_SECONDS + 7), 7_000],
    ["seconds since 1970, with a fraction", `${THEIR_SECONDS + 7}.5`, 7_500],
    ["seconds since 1970, joined by a proxy", `${THEIR_SECONDS + 7}, ${THEIR_SECONDS + 9}`, 7_000],
    ["seconds from now", "7", 7_000],
    ["seconds from now, with a fraction", "0.5", 500],
    ["no seconds from now", "0", 0],
    ["an hour from now", "3600", 3_600_000],
    ["milliseconds since 1970", String((THEIR_SECONDS + 7) * 1000), 7_000],
    ["milliseconds since 1970, in the past", String((THEIR_SECONDS - 7) * 1000), 0],
    [
      "microseconds since 1970",
      String((THEIR_SECONDS + 7) * 1e6),
      (THEIR_SECONDS + 7) * 1e6 - THEIR_SECONDS * 1000,
    ],
    ["a date of HTTP", "Tue, 14 Nov 2023 22:13:27 GMT", 7_000],
    ["an older date of HTTP", "Tuesday, 14-Nov-23 22:13:27 GMT", 7_000],
    ["a date of HTTP, in the past", "Tue, 14 Nov 2023 22:13:00 GMT", 0],
    ["an instant of ISO 8601", "2023-11-14T22:13:27Z", 7_000],
    ["an instant with a zone", "2023-11-14T23:13:27.500+01:00", 7_500],
    ["an instant far away", "2099-11-14T22:13:27Z", 2_398_377_607_000],
  ])("reads a reset in %s", (_, reset, resetInMs) => {
    expect(bucketHeaders(headers(reset), 429)).toMatchObject({ resetInMs });
  });

  test("reads seconds since 1970 of a service whose clock is there, too", () => {
    const date = "Thu, 01 Jan 1970 01:00:00 GMT";
    expect(bucketHeaders(headers("3607", { date }), 429)).toMatchObject({ resetInMs: 7_000 });
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
