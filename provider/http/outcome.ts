/**
 * What became of a request, as a fact of the request itself:
 *
 * - `not sent`: the service did not get it. There was no token, no connection or no room in the rate limit, or the
 *   request was invalid, or given up before it was written.
 * - `refused`: the service said no in its own words (a 4xx with its error body), or answered 429.
 * - `unknown`: it was sent, and no answer in the service's words came back: the connection broke, the time was up, or the
 *   answer was 408, a 5xx, a redirect, HTML, or anything else that is not documented. It may have taken effect.
 * - `done`: a 2xx with the promised body, or a 204 where no body is promised.
 */
export type RequestOutcome = "not sent" | "refused" | "unknown" | "done";
