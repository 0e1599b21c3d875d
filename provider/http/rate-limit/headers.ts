import { type BucketHeaders } from "./bucket";
import { LONGEST_PAUSE_MS } from "./gate";

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

/** Reset is in whole seconds of the service's clock, and only its own Date shows how far off that is. */
function untilNextToken(headers: Headers): number {
  const reset = numberOf(headers["x-ratelimit-reset"]);
  const untilReset = reset === undefined ? 1000 : Math.max(0, reset * 1000 - serviceTime(headers));
  return Math.min(retryAfterMs(headers) ?? untilReset, LONGEST_PAUSE_MS);
}

function serviceTime(headers: Headers): number {
  const date = Date.parse(headers["date"] ?? "");
  return Number.isNaN(date) ? Date.now() : date;
}
