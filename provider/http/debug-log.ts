import { type Border } from "../border";
import { type ClientStatistics } from "./client-statistics";

/** The summary follows when nothing was requested for so long. */
const IDLE_MS = 20;

/**
 * Prints a line per request, and a summary when nothing was requested for a moment and at the end of the process. The
 * engine ends the dynamic provider host by a signal as soon as it has no more use for it: there the end would never come.
 */
export class DebugLog {
  #timer: NodeJS.Timeout | undefined;
  #told = 0;

  constructor(
    private readonly border: Border,
    private readonly tenant: string,
    private readonly statistics: ClientStatistics,
  ) {
    process.once("exit", () => this.#summarise());
  }

  line(text: string): void {
    this.border.print(`identity: ${text}`);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#summarise(), IDLE_MS).unref();
  }

  #summarise(): void {
    const { running, requests, retries, waitedMs, tokenRequests } = this.statistics;
    if (running > 0 || requests === this.#told) return;
    this.#told = requests;
    this.border.print(
      `identity: ${this.tenant}: ${requests} requests, ${retries} retries, ${Math.round(waitedMs)} ms waited, ` +
        `${tokenRequests} token requests`,
    );
  }
}
