import { type ReviewJson } from "../../provider/review/model";
import { type Known } from "../../testkit/worlds/stage";
import { type Edge, type TenantName } from "../../testkit/worlds/universe";
import { edgeKey, type Violation } from "./claims";
import { listedIn, momentOf } from "./rules";

/*
 * Until when groups have roles by the states before and after a run, compared with what its review said. It
 * shares nothing with the review: endless is a number, and the later one of two is the greater.
 */

interface Run {
  review: ReviewJson;
  before: readonly Known[];
  after: readonly Known[];
  tenantOf: (provider: string | undefined) => TenantName;
  hosts: Record<TenantName, string>;
  /** True if the group has the role after the run. */
  hasRole: (tenant: TenantName, edge: Edge) => boolean;
}

/** An end counts by the last of those who give the role; a group without any is nobody's to end. */
export function endClaims({ review, before, after, tenantOf, hosts, hasRole }: Run): Violation[] {
  // What the review can't see of a role may be an end.
  const isOpen = (role: string) =>
    review.unknown.some(({ categories, roles = [role] }) => categories.length > 0 && roles.includes(role));
  const [had, has] = [endsIn(before, tenantOf), endsIn(after, tenantOf)];
  return [...had].flatMap(([key, { tenant, edge, end: was }]): Violation[] => {
    const rows = review.access.filter(
      (row) =>
        row.role === edge.role &&
        row.group === edge.group &&
        (row.tenant === null || row.tenant === hosts[tenant]),
    );
    // Whoever loses the role, or gets it again, has an end of its own.
    if (rows.some(({ effect, unless }) => effect !== "keeps" || unless !== undefined)) return [];
    if (!hasRole(tenant, edge) || isOpen(edge.role)) return [];
    const is = has.get(key)?.end ?? Infinity;
    const moved = is > was ? "later" : is < was ? "earlier" : undefined;
    const said = rows.find(({ ends }) => ends !== undefined)?.ends;
    if (said === moved) return [];
    return [
      {
        claim: "end",
        text: `${key} ends ${textOf(was)} before and ${textOf(is)} after; the review says ${said ?? "nothing"}`,
      },
    ];
  });
}

function endsIn(known: readonly Known[], tenantOf: Run["tenantOf"]) {
  const ends = new Map<string, { tenant: TenantName; edge: Edge; end: number }>();
  for (const one of known)
    for (const { role, group, until } of listedIn([one])) {
      const edge = { role, group };
      const tenant = tenantOf(one.state.provider);
      const key = edgeKey(tenant, edge);
      const end = Math.max(ends.get(key)?.end ?? 0, until === undefined ? Infinity : momentOf(until));
      ends.set(key, { tenant, edge, end });
    }
  return ends;
}

function textOf(end: number): string {
  return end === Infinity ? "never" : new Date(end).toISOString();
}
