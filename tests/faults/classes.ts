import { isDeepStrictEqual } from "node:util";
import { type Case, untruth } from "./oracle";

/** The possible results of an operation hit by a fault, by their names in the table. */
export const CLASSES = {
  unaffected: "The operation succeeds with the requests that it always sends.",
  retried: "It succeeds; a request was sent again.",
  looked: "Resolved by looking: it succeeds, once the tenant was read to see what had become of a request.",
  line: "It succeeds; a line of the preview says what could not be asked.",
  gone: "It succeeds: the service says in its own words that the object does not exist, and so state drops it.",
  error: "A clear error. The state is true: it holds what the tenant holds.",
  partial:
    "A clear error. The state records what was done, and notes what is not known; the next run finishes it.",
  resolved: "A clear error. What became of the request can't be known; the next run finds out by itself.",
  adopt:
    "A clear error. A profile may have been made; the message, or that of the next run, tells how to take it over.",
} as const;
export type Class = keyof typeof CLASSES;

export function classOf({ prepared, hit, normal, outcome }: Case): Class {
  const { errors, messages, requests, state, tenant, next } = outcome;
  if (errors.length === 0) {
    if (hit.kind.saysGone) return "gone";
    if (messages.some((line) => line.includes("could not be read"))) return "line";
    const sent = requests.map(({ method, path }) => `${method} ${path}`);
    const usual = normal.requests.map(({ method, path }) => `${method} ${path}`);
    if (isDeepStrictEqual(sent, usual)) return "unaffected";
    const isLook = (request: string) =>
      request.startsWith("GET ") && count(sent, request) > count(usual, request);
    return hit.place.method !== "GET" && sent.some(isLook) ? "looked" : "retried";
  }
  if ([...state.values()].some(({ initErrors }) => initErrors.length > 0)) return "partial";
  const before = new Set((prepared.seed.connection_profiles ?? []).map(({ id }) => id));
  if (tenant.connection_profiles.some(({ id }) => !before.has(id))) return "adopt";
  const isTrue = [...state.values()].every((resource) => untruth(resource, tenant) === undefined);
  return isTrue ? "error" : next?.errors.length === 0 ? "resolved" : "error";
}

function count(requests: readonly string[], request: string): number {
  return requests.filter((other) => other === request).length;
}
