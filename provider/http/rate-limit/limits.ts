/** How fast requests may start. */
export interface RateLimits {
  /** Share (0–0.9) of the rate-limit bucket that is left to the tenant's live traffic. */
  rateLimitReserve: number;
  /** Requests in flight at once. */
  maxConcurrency: number;
  /** Requests started per second; undefined: as many as the service allows. */
  maxRequestsPerSecond: number | undefined;
}
