import { type BucketHeaders } from "./bucket";

type Headers = Readonly<Record<string, string | undefined>>;

/** Parses a non-negative number; if a proxy joined several by commas, the first. */
function numberOf(text: string | undefined): number | undefined {
  const digits = /^\s*(\d+(?:\.\d+)?)\s*(?:,|$)/.exec(text ?? "")?.[1];
  const number = Number(digits);
  return digits !== undefined && Number.isFinite(number) ? number : undefined;
}

/** `Retry-After`, in seconds or as a date by the service's own clock, as milliseconds from now. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers["retry-after"];
  const seconds = numberOf(value);
  if (seconds !== undefined) return seconds * 1000;
  const until = Date.parse(value ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until - serviceTime(headers));
}

/** Parses the rate-limit headers; undefined if the service, or a proxy before it, leaves them out. */
export function bucketHeaders(headers: Headers, status: number): BucketHeaders | undefined {
  const limit = numberOf(headers["x-ratelimit-limit"]);
  const remaining = numberOf(headers["x-ratelimit-remaining"]);
  if (limit === undefined || limit < 1 || remaining === undefined) return undefined;
  const rejected = status === 429;
  return { limit, remaining, rejected, resetInMs: rejected ? untilNextToken(headers) : 0 };
}

function untilNextToken(headers: Headers): number {
  const now = serviceTime(headers);
  const untilReset = Math.max(0, (resetTime(headers["x-ratelimit-reset"], now) ?? now + 1000) - now);
  return retryAfterMs(headers) ?? untilReset;
}

const DAY_MS = 86_400_000;
/** As seconds, September 2001. */
const LEAST_SINCE_1970 = 1e9;
/** As milliseconds, March 1973; as seconds, the year 5138. */
const LEAST_IN_MS = 1e11;
/** Of HTTP, or of ISO 8601 with a zone. `Date.parse` makes a date of nearly any other text, too. */
const DATE = /^(?:[A-Z][a-z]{2,8}, .+ GMT|\d{4}-\d\d-\d\dT.+(?:Z|[+-]\d\d:\d\d))$/;

/**
 * Returns the moment of a reset by the service's clock, in milliseconds. The source document doesn't show the
 * unit, so the size tells: seconds or milliseconds since 1970, or seconds from now. It may also be a date.
 */
function resetTime(text = "", now: number): number | undefined {
  const number = numberOf(text);
  if (number === undefined) {
    const date = DATE.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(date) ? undefined : date;
  }
  if (number >= LEAST_IN_MS) return number;
  // A service's clock may be in 1970.
  const isMoment = number >= LEAST_SINCE_1970 || Math.abs(number * 1000 - now) <= DAY_MS;
  return number * 1000 + (isMoment ? 0 : now);
}

function serviceTime(headers: Headers): number {
  const date = Date.parse(headers["date"] ?? "");
  return Number.isNaN(date) ? Date.now() : date;
}
