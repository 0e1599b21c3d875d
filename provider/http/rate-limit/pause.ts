/** A longer pause means a wrong clock or unit: ask again after this long. */
const LONGEST_PAUSE_MS = 60_000;
/** If a pause was too short, the next one is at least this long, and doubles. */
const STEP_MS = 250;
const LONGEST_STEP_MS = 8_000;
/** A random extra share of a pause: processes refused together must not return together. */
const JITTER = 0.25;

/**
 * Until when a limit that has refused a request isn't asked again. Pure: each call brings the time in
 * milliseconds.
 */
export class Pause {
  #until = -Infinity;
  #inARow = 0;

  /** `random`: from 0 to 1. */
  constructor(private readonly random: () => number) {}

  leftMs(now: number): number {
    return Math.max(0, this.#until - now);
  }

  letThrough(): void {
    this.#inARow = 0;
  }

  /** `askedMs`: the pause that the service asks for. */
  refused(now: number, askedMs: number): void {
    // A burst is refused together, and counts once.
    const isNew = this.leftMs(now) === 0;
    if (isNew) this.#inARow++;
    const backOff = this.#inARow < 2 ? 0 : Math.min(STEP_MS * 2 ** (this.#inARow - 2), LONGEST_STEP_MS);
    const ms = Math.max(Math.min(askedMs, LONGEST_PAUSE_MS), backOff);
    if (isNew || now + ms > this.#until) this.#until = now + ms * (1 + JITTER * this.random());
  }
}
