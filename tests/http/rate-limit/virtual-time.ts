import { type Clock } from "../../../provider/http/rate-limit/clock";

interface Event {
  at: number;
  order: number;
  run: () => void;
}

/** Time that passes only when nothing else is left to do: hours of waiting take milliseconds. */
export class VirtualTime implements Clock {
  #now = 1_000;
  #order = 0;
  #events: Event[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const event = { at: this.#now + Math.max(0, ms), order: this.#order++, run };
    this.#events.push(event);
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  /** Lets time pass until the work is done; fails when it can never be, or not before `limitMs` have passed. */
  async run<T>(work: Promise<T>, limitMs = 24 * 3_600_000): Promise<T> {
    let done = false;
    const settled = () => (done = true);
    work.then(settled, settled);
    const end = this.#now + limitMs;
    for (;;) {
      // All that promises still have to do at this moment comes before the next one.
      await new Promise((resolve) => setImmediate(resolve));
      if (done) return work;
      this.#events.sort((a, b) => a.at - b.at || a.order - b.order);
      const next = this.#events.shift();
      if (next === undefined) throw new Error("Nothing is left that could ever finish the work.");
      if (next.at > end) throw new Error(`The work is not done after ${limitMs} ms.`);
      this.#now = next.at;
      next.run();
    }
  }
}
