import { type Choices } from "./choices";

const LIMITS = { generous: 10_000, small: 8 };
const WINDOW_MS = 1000;

/** Section 8 states the headers' names, and neither a limit nor a unit. */
export class Bucket {
  private used = 0;
  private endsAt = 0;

  constructor(private readonly choices: Choices) {}

  /** Counts a request, and returns the headers of its answer. */
  take(now: number): { allowed: boolean; headers: Record<string, string> } {
    if (now >= this.endsAt) Object.assign(this, { used: 0, endsAt: now + WINDOW_MS });
    const limit = LIMITS[this.choices.bucket];
    const allowed = this.used < limit;
    if (allowed) this.used += 1;
    const shows = this.choices.rateHeaders === "always" || !allowed;
    const headers = {
      "X-RateLimit-Limit": String(limit),
      "X-RateLimit-Remaining": String(limit - this.used),
      "X-RateLimit-Reset": this.reset(now),
    };
    return { allowed, headers: shows ? headers : {} };
  }

  private reset(now: number): string {
    const seconds = Math.ceil(this.endsAt / 1000);
    const forms = {
      "epoch seconds": String(seconds),
      "epoch milliseconds": String(this.endsAt),
      "seconds from now": String(Math.ceil((this.endsAt - now) / 1000)),
      "HTTP date": new Date(seconds * 1000).toUTCString(),
    };
    return forms[this.choices.resetUnit];
  }
}
