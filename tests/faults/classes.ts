import { isDeepStrictEqual } from "node:util";
import { type Outcome } from "./cell";
import { type Case, heldBy, saysGone, untruth } from "./oracle";
import { type Class } from "./outcomes";

export function classOf({ prepared, hit, normal, outcome }: Case): Class {
  const { errors, messages, requests, state, tenant, next } = outcome;
  if (errors.length === 0) {
    if (saysGone(hit) && !isDeepStrictEqual(leftBy(outcome), leftBy(normal))) return "gone";
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

/** What the tenant and state hold afterwards. */
function leftBy({ tenant, state }: Outcome): unknown {
  return [heldBy(tenant), [...state.keys()]];
}

function count(requests: readonly string[], request: string): number {
  return requests.filter((other) => other === request).length;
}
