import { setTimeout } from "node:timers/promises";
import { IdentityError } from "../http/errors";

/** When the engine has asked for nothing for so long, what it does at the same time is known. */
const ENGINE_QUIET_MS = 500;
/** No removal waits longer for that. */
const LONGEST_WAIT_MS = 30_000;
const MOST_CONTRIBUTORS = 3;

/** One thing that somebody has and will not have any more. */
export interface Loss {
  /** Equal for the same loss: `rol_… grp_…`, `dcr_…`. */
  of: string;
  /** Whether it has turned out to be none, because another resource of the program keeps it. */
  isOff?: () => boolean;
}

/**
 * Guards a run against taking away more than `identity:maxRevocations` allows: roles of groups, and device
 * credentials.
 *
 * What is planned is counted as soon as it is known. What is done is asked for first, and counts from then on
 * whatever becomes of it: so the sum of all that was allowed can't exceed the limit, and once it would,
 * nothing more is allowed.
 */
export class Revocations {
  readonly #known = new Map<string, { by: string; isOff: () => boolean }>();
  #running = 0;
  #events = 0;

  constructor(
    /** Undefined: no guard. */
    private readonly limit: number | undefined,
    /** What the setting is called, and how it is raised for one run. */
    private readonly setting: { name: string; raise: (count: number) => string },
  ) {}

  get count(): number {
    return this.#known.size;
  }

  /** Records what a change is going to take away. `by`: what messages call the resource. */
  plan(by: string, losses: readonly Loss[]): void {
    if (this.limit === undefined) return;
    for (const { of, isOff = () => false } of losses) {
      if (!this.#known.has(of)) this.#known.set(of, { by, isOff });
    }
  }

  async request(by: string, things: readonly string[]): Promise<void> {
    if (this.limit === undefined || things.length === 0) return;
    for (const of of things) {
      this.#known.set(of, { by: this.#known.get(of)?.by ?? by, isOff: () => false });
    }
    this.noticed();
    this.#refuse();
    await this.#quiet();
    this.#refuse();
  }

  #refuse(): void {
    const problem = this.problem();
    if (problem !== undefined) throw new IdentityError(`Nothing was changed: ${problem}`);
  }

  problem(): string | undefined {
    const { limit } = this;
    if (limit === undefined || this.#known.size <= limit) return undefined;
    for (const [of, { isOff }] of this.#known) if (isOff()) this.#known.delete(of);
    const count = this.#known.size;
    if (count <= limit) return undefined;
    return (
      `this run takes away at least ${count} roles of groups and device credentials, and ${this.setting.name} allows ` +
      `${limit}. Most are taken away by ${this.#largest()}. Review the change; if it is meant, ${this.setting.raise(count)}.`
    );
  }

  #largest(): string {
    const counts = new Map<string, number>();
    for (const { by } of this.#known.values()) counts.set(by, (counts.get(by) ?? 0) + 1);
    const largest = [...counts].sort((a, b) => b[1] - a[1]);
    const named = largest.slice(0, MOST_CONTRIBUTORS).map(([by, count]) => `${by} (${count})`);
    const others = largest.length - named.length;
    return named.join(", ") + (others > 0 ? ` and ${others} more` : "");
  }

  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      this.noticed();
    }
  }

  /** To be called when the engine asks for something that may be followed by further losses. */
  noticed(): void {
    this.#events++;
  }

  /**
   * The engine plans one resource while it changes another, and deletes several at once: waiting until it is
   * quiet lets them be counted together.
   */
  async #quiet(): Promise<void> {
    const end = performance.now() + LONGEST_WAIT_MS;
    let events: number;
    do {
      events = this.#events;
      await setTimeout(ENGINE_QUIET_MS);
    } while ((this.#running > 0 || this.#events !== events) && performance.now() < end);
  }
}
