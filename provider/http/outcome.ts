/**
 * What became of a request, as a fact of the request itself:
 *
 * - `not sent`: the service did not get it. There was no token, no connection or no room in the rate limit, or the
 *   request was invalid, or given up before it was written.
 * - `refused`: the service said no in its own words (a 4xx with its error body), or answered 429.
 * - `unknown`: it was sent, and no answer in the service's words came back: the connection broke, the time was up, or the
 *   answer was 408, a 5xx, a redirect, HTML, or anything else that is not documented. It may have taken effect.
 * - `done`: a 2xx with the promised body, or a 204 where no body is promised.
 *
 * A read takes no effect. Its outcome is that of its last attempt, and `unknown` only says that no answer came.
 */
export type RequestOutcome = "not sent" | "refused" | "unknown" | "done";

/** What is known of one attempt. */
export interface Attempt {
  /** False: not one byte of it has left. */
  isSent: boolean;
  /** Undefined: there is no answer, or no end of it. */
  status?: number;
  /** Whether the service itself has answered: with the promised body, or with its error body. */
  isOfService?: boolean;
}

/** What became of one attempt. */
export function attemptOutcome({ isSent, status, isOfService = false }: Attempt): RequestOutcome {
  if (!isSent) return "not sent";
  if (status === 429) return "refused";
  if (status === undefined || !isOfService || status === 408 || status >= 500) return "unknown";
  return status < 300 ? "done" : "refused";
}

/** What became of a call, of all its attempts together; the last may be one that was given up before it was sent. */
export function callOutcome(method: string, attempts: readonly RequestOutcome[]): RequestOutcome {
  const last = attempts.at(-1) ?? "not sent";
  const mayHaveTakenEffect = method !== "GET" && last !== "done" && attempts.includes("unknown");
  return mayHaveTakenEffect ? "unknown" : last;
}
