/*
 * When an assignment ends. It needs nothing but a text and a moment, so that the program, the handlers, the
 * review and the answers of `access` tell alike.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
/** From so many days before the end on, previews, reviews and answers warn of it. */
const SOON_DAYS = 14;

const UNTIL_PATTERN =
  /^(\d{4}-\d{2}-\d{2})(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;

export const UNTIL_RULE =
  'must be a day, as in "2026-12-31", which ends in UTC, or an instant with its zone, as in "2026-12-31T18:00:00+01:00"';

/** The moment from which on groups don't have the role any more; undefined for what is no such text. */
export function endOfUntil(until: string): number | undefined {
  const [, day = "", time] = UNTIL_PATTERN.exec(until) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // February has no 30th, and Date takes it for one of March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  return time === undefined ? midnight + DAY_MS : Date.parse(until);
}

export function isPast(until: string, moment: number): boolean {
  const end = endOfUntil(until);
  return end !== undefined && moment >= end;
}

/** Whether an end is no later than another one; undefined is no end. */
export function isWithin(until: string | undefined, latest: string | undefined): boolean {
  if (latest === undefined) return true;
  const [end, last] = [endOfUntil(until ?? ""), endOfUntil(latest)];
  return end !== undefined && last !== undefined && end <= last;
}

/** The last of several ends; undefined where one is none. */
export function latestOf(ends: readonly (string | undefined)[]): string | undefined {
  if (!ends.every((until) => until !== undefined)) return undefined;
  return [...ends].sort((one, other) => (endOfUntil(one) ?? 0) - (endOfUntil(other) ?? 0)).at(-1);
}

/** `in 9 days`, `today`: how far the end is, where it is near; undefined where it is not, or past. */
export function nearEnd(until: string, moment: number): string | undefined {
  const end = endOfUntil(until);
  if (end === undefined || moment >= end || end - moment > SOON_DAYS * DAY_MS) return undefined;
  const days = Math.floor((end - moment) / DAY_MS);
  return days === 0 ? "in less than a day" : `in ${days} ${days === 1 ? "day" : "days"}`;
}
