/** Lets only this many run at once, in order of arrival. */
export class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** `first`: ahead of everybody already waiting. */
  async acquire({ first = false } = {}): Promise<void> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.#waiting[first ? "unshift" : "push"](resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.free++;
    else next();
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
