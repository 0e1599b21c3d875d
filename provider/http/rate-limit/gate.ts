/** A longer pause means a wrong clock or unit: ask again after this long. */
export const LONGEST_PAUSE_MS = 60_000;
/** The pause after a refusal that names none. */
const DEFAULT_PAUSE_MS = 1_000;
/** If a pause was too short, the next one is at least this long, and doubles. */
const STEP_MS = 250;
const LONGEST_STEP_MS = 8_000;
/** A random extra share of a pause: processes refused together must not return together. */
const JITTER = 0.25;

/**
 * A limit without headers that has refused a request, such as a gateway's or a CDN's. Nothing is sent during
 * the pause it asked for. Then one request goes first, and each success allows one more in flight. Pure: each
 * call brings the time in milliseconds.
 */
export class Gate {
  #blockedUntil = -Infinity;
  #inFlight = 0;
  #most = 1;
  #inARow = 0;

  constructor(private readonly random: () => number) {}

  /** Milliseconds from `now` until a request may be sent; undefined if one must end first. */
  delay(now: number): number | undefined {
    return this.#inFlight >= Math.floor(this.#most) ? undefined : this.blockedMs(now);
  }

  blockedMs(now: number): number {
    return Math.max(0, this.#blockedUntil - now);
  }

  send(): void {
    this.#inFlight++;
  }

  ended(): void {
    this.#inFlight--;
  }

  done(): void {
    this.#inARow = 0;
    this.#most += 1 / Math.floor(this.#most);
  }

  refused(now: number, pauseMs = DEFAULT_PAUSE_MS): void {
    this.#most = 1;
    // A burst is refused together, and counts once.
    const isNew = this.blockedMs(now) === 0;
    if (isNew) this.#inARow++;
    const backOff = this.#inARow < 2 ? 0 : Math.min(STEP_MS * 2 ** (this.#inARow - 2), LONGEST_STEP_MS);
    const ms = Math.max(Math.min(pauseMs, LONGEST_PAUSE_MS), backOff);
    if (isNew || now + ms > this.#blockedUntil) this.#blockedUntil = now + ms * (1 + JITTER * this.random());
  }
}
