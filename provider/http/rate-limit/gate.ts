import { Pause } from "./pause";

/** The pause after a refusal that names none. */
const DEFAULT_PAUSE_MS = 1_000;

/**
 * A limit without headers that has refused a request, such as a gateway's or a CDN's. Nothing is sent during
 * the pause it asked for. Then one request goes first, and each success allows one more in flight. Pure: each
 * call brings the time in milliseconds.
 */
export class Gate {
  readonly #pause: Pause;
  #inFlight = 0;
  #most = 1;

  constructor(random: () => number) {
    this.#pause = new Pause(random);
  }

  /** Milliseconds from `now` until a request may be sent; undefined if one must end first. */
  delay(now: number): number | undefined {
    return this.#inFlight >= Math.floor(this.#most) ? undefined : this.blockedMs(now);
  }

  blockedMs(now: number): number {
    return this.#pause.leftMs(now);
  }

  send(): void {
    this.#inFlight++;
  }

  ended(): void {
    this.#inFlight--;
  }

  done(): void {
    this.#pause.letThrough();
    this.#most += 1 / Math.floor(this.#most);
  }

  refused(now: number, pauseMs = DEFAULT_PAUSE_MS): void {
    this.#most = 1;
    this.#pause.refused(now, pauseMs);
  }
}
