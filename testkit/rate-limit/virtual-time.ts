import { type Clock } from "../../provider/http/rate-limit/clock";

interface Event {
  at: number;
  run: () => void;
  cancelled: boolean;
}

/** Time that passes only when there is nothing else left to do: hours of waiting take milliseconds. */
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

  /** Lets time pass until the work is done; fails if it can never finish, or not within `limitMs`. */
  async run<T>(work: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
    let done = false;
    const settled = () => (done = true);
    work.then(settled, settled);
    const end = this.#now + limitMs;
    for (;;) {
      // Promises finish everything they can at this moment before the next one.
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

  /** Sorted latest first; events at the same moment run in the order they were set. */
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
