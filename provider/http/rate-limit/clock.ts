/** The time and a timer; tests bring their own. */
export interface Clock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Calls back once after this many milliseconds; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
