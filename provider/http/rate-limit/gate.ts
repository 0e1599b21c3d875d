/** A pause further away is a wrong clock or unit: ask again after this long. */
export const LONGEST_PAUSE_MS = 60_000;
/** The pause after a refusal that names none. */
const DEFAULT_PAUSE_MS = 1_000;
/** A pause that was too short is followed by one of at least so long, which doubles. */
const STEP_MS = 250;
const LONGEST_STEP_MS = 8_000;
/** A random share that a pause is longer by: processes refused together must not come back together. */
const JITTER = 0.25;

/**
 * What is known of a limit that no header tells of, once it has refused a request: a gateway's, or a CDN's.
 * Nothing is sent until the pause is over that it asked for; then one request goes first, and with each that
 * is done one more may be in flight. Pure: the time, in milliseconds, comes in with each call.
 */
export class Gate {
  #blockedUntil = -Infinity;
  #inFlight = 0;
  #most = 1;
  #inARow = 0;

  constructor(private readonly random: () => number) {}

  /** Milliseconds from `now` until a request may be sent; undefined: not before one has ended. */
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
    // Those of a burst are refused together.
    const isNew = this.blockedMs(now) === 0;
    if (isNew) this.#inARow++;
    const backOff = this.#inARow < 2 ? 0 : Math.min(STEP_MS * 2 ** (this.#inARow - 2), LONGEST_STEP_MS);
    const ms = Math.max(Math.min(pauseMs, LONGEST_PAUSE_MS), backOff);
    if (isNew || now + ms > this.#blockedUntil) this.#blockedUntil = now + ms * (1 + JITTER * this.random());
  }
}
