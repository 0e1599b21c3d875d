import { count, say, type Sentence, tail } from "../sentence";

/*
 * Decides when an assignment ends. It needs only a text and a moment, so the program, the handlers, the
 * review and the answers of `access` all agree.
 */

const MINUTE_MS = 60 * 1000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** Previews, reviews and answers warn this long before the end. */
const SOON_MS = 14 * DAY_MS;

const UNTIL_PATTERN =
  /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

const UNTIL_RULE =
  'must be a day, as in "2026-12-31", which ends in UTC, or an instant with its zone, as in "2026-12-31T18:00:00+01:00"';

/** How Pulumi's CLI hands over a day or a time that stands without quotes in a stack's configuration file. */
const UNQUOTED = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d+)? [+-]\d{4} \S+$/;

/** Returns the rule that an end date breaks; undefined if it breaks none. */
export function untilProblem(until: string): string | undefined {
  if (endOfUntil(until) !== undefined) return undefined;
  return UNQUOTED.test(until)
    ? "must be in quotes in the stack's configuration file, since Pulumi rewrites a plain day or time"
    : UNTIL_RULE;
}

/** The moment from which groups no longer have the role; undefined if the text isn't a date. */
export function endOfUntil(until: string): number | undefined {
  const [, day = "", time] = UNTIL_PATTERN.exec(until) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // Date takes February 30th for a day in March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  return time === undefined ? midnight + DAY_MS : Date.parse(until);
}

export function isPast(until: string, moment: number): boolean {
  const end = endOfUntil(until);
  return end !== undefined && moment >= end;
}

/** True if a group has a role only because no run has revoked it since its end. */
export function isExpired({ status, by }: { status: string; by: readonly { expired: boolean }[] }): boolean {
  return status === "managed" && by.every(({ expired }) => expired);
}

/** True if an end is no later than another; undefined is no end. */
export function isWithin(until: string | undefined, latest: string | undefined): boolean {
  if (latest === undefined) return true;
  const [end, last] = [endOfUntil(until ?? ""), endOfUntil(latest)];
  return end !== undefined && last !== undefined && end <= last;
}

/** How an end moves: the grant lasts longer, or not as long. */
export type EndChange = "later" | "earlier";

/** Returns how an end moves; undefined if it stays. Undefined ends are none. */
export function endChange(before: string | undefined, after: string | undefined): EndChange | undefined {
  if (before === after) return undefined;
  if (!isWithin(after, before)) return "later";
  return isWithin(before, after) ? undefined : "earlier";
}

/** `now ends on 2026-12-31 (had no end)`; empty if it stays. */
export function endSentence({ ends, until, untilBefore }: MovedEnd): Sentence {
  if (ends === undefined) return say``;
  const was = tail`was ${untilBefore}`.or(say`had no end`);
  return say`${tail`now ends on ${until}`.or(say`now without an end`)} (${was})`;
}

interface MovedEnd {
  ends?: EndChange | undefined;
  until?: string | undefined;
  untilBefore?: string | undefined;
}

/** Returns the last of several ends; undefined if one of them has none. */
export function latestOf(ends: readonly (string | undefined)[]): string | undefined {
  if (!ends.every((until) => until !== undefined)) return undefined;
  return [...ends].sort((one, other) => (endOfUntil(one) ?? 0) - (endOfUntil(other) ?? 0)).at(-1);
}

/** True if the end is at most this many milliseconds away, or past. */
export function endsWithin(until: string, moment: number, ms: number): boolean {
  const end = endOfUntil(until);
  return end !== undefined && end - moment <= ms;
}

/** Returns `in 9 days` for an end that is near; undefined if it's far off, or past. */
export function nearEnd(until: string, moment: number): string | undefined {
  if (isPast(until, moment) || !endsWithin(until, moment, SOON_MS)) return undefined;
  return awayText(until, moment);
}

/** `in 9 days`, `in 5 hours`, `less than a minute ago` */
export function awayText(until: string, moment: number): string {
  const away = (endOfUntil(until) ?? moment) - moment;
  const units = [DAY_MS, HOUR_MS, MINUTE_MS].map((unit) => Math.floor(Math.abs(away) / unit));
  const [days = 0, hours = 0, minutes = 0] = units;
  const [time = "less than a minute"] = [
    ...(days > 0 ? [count(days, "day")] : []),
    ...(hours > 0 ? [count(hours, "hour")] : []),
    ...(minutes > 0 ? [count(minutes, "minute")] : []),
  ];
  return away > 0 ? `in ${time}` : `${time} ago`;
}
