/** What a client has done so far. */
export interface ClientStatistics {
  /** Calls that have not ended yet. */
  running: number;
  /** Requests sent, those for tokens not counted. */
  requests: number;
  /** Requests that were sent once more after a failure. */
  retries: number;
  /** Requests for a token. */
  tokenRequests: number;
  /** Milliseconds that requests waited for the rate limit, added up. */
  waitedMs: number;
}
