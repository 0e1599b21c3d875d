import { type Clock } from "./clock";

/** The first notice comes after this wait; the interval then triples, growing by a minute at most. */
const FIRST_TOLD_MS = 5_000;
const LONGEST_INTERVAL_MS = 60_000;
/** Waits that follow each other within this time share one report. */
const PAUSE_MS = 5_000;
/** Answered requests needed before their pace predicts the rest. */
const ENOUGH_DONE = 5;

interface WaitNoticeOptions {
  tenant: string;
  tell: (text: string) => void;
  /** Milliseconds until the rate limit has room for all that wait; 0 if they don't wait for it. */
  backlogMs: () => number;
  /** Milliseconds that are left of the longest pause that the service has asked for. */
  blockedMs: () => number;
}

/** Tells people how much longer a rate-limit wait will take, at growing intervals. */
export class WaitNotices {
  #waiting = 0;
  #done = 0;
  #since = 0;
  #endedAt = -Infinity;
  /** Milliseconds into the wait at which the next notice is due. */
  #nextMs = FIRST_TOLD_MS;
  #cancelTimer: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly options: WaitNoticeOptions,
  ) {}

  /** Records that a request begins to wait; the returned function ends the wait. */
  begin(): () => void {
    const now = this.clock.now();
    if (this.#waiting++ === 0) {
      if (now - this.#endedAt > PAUSE_MS) {
        this.#since = now;
        this.#done = 0;
        this.#nextMs = FIRST_TOLD_MS;
      }
      this.#schedule();
    }
    return () => {
      if (--this.#waiting > 0) return;
      this.#endedAt = this.clock.now();
      this.#cancelTimer();
    };
  }

  done(): void {
    this.#done++;
  }

  #schedule(): void {
    const due = this.#since + this.#nextMs;
    this.#cancelTimer = this.clock.after(Math.max(0, due - this.clock.now()), () => {
      this.#nextMs = Math.min(this.#nextMs * 3, this.#nextMs + LONGEST_INTERVAL_MS);
      this.#tell();
      this.#schedule();
    });
  }

  #tell(): void {
    const now = this.clock.now();
    const backlogMs = this.options.backlogMs();
    if (backlogMs === 0) return;
    // The pace of the last requests is the best guess for the next ones.
    const paceMs = this.#done < ENOUGH_DONE ? backlogMs : (this.#waiting * (now - this.#since)) / this.#done;
    const seconds = Math.ceil(Math.max(paceMs, this.options.blockedMs()) / 1000);
    const requests = this.#waiting === 1 ? "1 request" : `${this.#waiting} requests`;
    this.options.tell(
      `Waiting for the rate limit of ${this.options.tenant}: about ${seconds} s for ${requests}, ${this.#done} done.`,
    );
  }
}
