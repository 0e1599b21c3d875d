/** The time and a timer; tests bring their own. */
export interface Clock {
  /** Milliseconds that only ever grow. */
  now(): number;
  /** Calls back once after so many milliseconds; the answer cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
