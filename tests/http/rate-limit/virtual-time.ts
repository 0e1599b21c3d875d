import { type Clock } from "../../../provider/http/rate-limit/clock";

interface Event {
  at: number;
  run: () => void;
  cancelled: boolean;
}

/** Time that passes only when nothing else is left to do: hours of waiting take milliseconds. */
export class VirtualTime implements Clock {
  #now = 1_000;
  /** The next one comes last. */
  readonly #events: Event[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const event = { at: this.#now + Math.max(0, ms), run, cancelled: false };
    this.#events.splice(this.#placeOf(event), 0, event);
    return () => {
      event.cancelled = true;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /**
   * Lets time pass until the work is done; fails when it can never be, or not before `limitMs` have passed.
   */
  async run<T>(work: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
    let done = false;
    const settled = () => (done = true);
    work.then(settled, settled);
    const end = this.#now + limitMs;
    for (;;) {
      // All that promises still have to do at this moment comes before the next one.
      await new Promise((resolve) => setImmediate(resolve));
      if (done) return work;
      let next = this.#events.pop();
      while (next?.cancelled === true) next = this.#events.pop();
      if (next === undefined) throw new Error("Nothing is left that could ever finish the work.");
      if (next.at > end) throw new Error(`The work is not done after ${limitMs} ms.`);
      this.#now = next.at;
      next.run();
    }
  }

  /** Before all that come earlier; of those of one moment the first to be set comes first. */
  #placeOf({ at }: Event): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as Event).at > at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
