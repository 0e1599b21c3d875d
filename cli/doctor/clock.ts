import { type Visit } from "./visit";

const LARGEST_CLOCK_ERROR_MS = 60_000;
const DAY_MS = 24 * 60 * 60_000;

/** How far the tenant's clock is ahead of this machine's, by the Date of its first answer; undefined if it has none. */
export function clockErrorMs({ answers }: Visit): number | undefined {
  const errors = answers.map(({ headers, at }) => Date.parse(headers["date"] ?? "") - at);
  return errors.find((error) => !Number.isNaN(error));
}

/** Dates of answers have whole seconds, and take a while to arrive. */
export function isClockOff(visit: Visit): boolean {
  return Math.abs(clockErrorMs(visit) ?? 0) > LARGEST_CLOCK_ERROR_MS;
}

/** `10 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / DAY_MS)} days`;
}
