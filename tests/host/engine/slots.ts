/** Lets only so many run at once, in the order of their arrival. */
export class Slots {
  readonly #waiting: (() => void)[] = [];

  constructor(private free: number) {}

  /** `first`: before all that wait already. */
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
