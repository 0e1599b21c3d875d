import { type Outcome } from "./cell";
import { type Place } from "./faults";
import { type Operation } from "./operations";

/** Returns the requests of an operation that ran without a fault. */
export function placesOf({ places = /./ }: Operation, { requests }: Outcome): Place[] {
  const labels = new Map<string, number>();
  return requests.flatMap(({ method, path: target, status }, index) => {
    const earlier = requests.slice(0, index).filter((request) => request.method === method);
    const place: Place = {
      method,
      target,
      status,
      isAfterLost: requests[index - 1]?.status === 0,
      index,
      before: earlier.filter(({ path }) => path === target).length,
      beforeAnyQuery: earlier.filter(({ path }) => withoutQuery(path) === withoutQuery(target)).length,
      label: labelOf(method, target),
    };
    // A request without an answer has been hit already.
    if (status === 0) return [];
    const count = (labels.get(place.label) ?? 0) + 1;
    labels.set(place.label, count);
    const label = count === 1 ? place.label : `${place.label} (${count})`;
    return places.test(label) || target.startsWith("/oauth/") ? [{ ...place, label }] : [];
  });
}

function labelOf(method: string, target: string): string {
  const [path = "", query = ""] = target.split("?");
  const short = path
    .replace(/^\/api\/v2/, "")
    .replace(/\/(?:cop|rol|dcr|org|grp)_\w+/g, "/{id}")
    .replace(/^(\/users\/)[^/]+/, "$1{id}");
  const page = /(?:^|&)page=([1-9]\d*)/.exec(query)?.[1];
  const further = page === undefined ? (/(?:^|&)from=/.test(query) ? ", next page" : "") : `, page ${page}`;
  return `${method} ${short}${further}`;
}

function withoutQuery(target: string): string {
  return target.split("?")[0] as string;
}
