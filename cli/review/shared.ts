import { type Note } from "../../provider/review/effects";
import { list, say } from "../../provider/review/sentence";
import { type Granted, grantedIn } from "../../provider/resources/role-group-assignment/review";
import { edgeKey } from "../rules/judge";
import { type Preview } from "./preview";
import { type Tenant } from "./tenant";

interface Shared {
  note: Note;
  /** The role and the group. */
  ids: readonly string[];
}

/** Returns for each stack the grants that another one lists too: neither knows of the other. */
export function sharedGrants(
  previews: readonly Preview[],
  tenants: readonly (Tenant | undefined)[],
): Shared[][] {
  const hostOf = (index: number, host: string | undefined) =>
    host !== undefined && tenants[index]?.hosts.includes(host) === true ? tenants[index].hosts[0] : host;
  const listings = previews.flatMap(({ steps, stack }, index) =>
    grantedIn(steps, "after").map((granted) => ({
      granted,
      stack,
      index,
      key: JSON.stringify([hostOf(index, granted.tenant) ?? null, edgeKey(granted)]),
    })),
  );
  const byKey = grouped(listings);
  return previews.map((_, index) =>
    listings
      .filter((one) => one.index === index)
      .flatMap(({ granted, key }) => {
        const others = (byKey.get(key) ?? []).filter((other) => other.index !== index);
        return others.length === 0 ? [] : [sharedGrant(granted, others)];
      }),
  );
}

function grouped<Item extends { key: string }>(items: readonly Item[]): Map<string, Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items) found.set(item.key, [...(found.get(item.key) ?? []), item]);
  return found;
}

function sharedGrant(
  { name, tenant, role, group }: Granted,
  others: readonly { granted: Granted; stack: string | undefined }[],
): Shared {
  const by = list(others.map(({ granted, stack }) => say`${granted.name} in ${stack ?? "another stack"}`));
  const reason = say`lists ${{ id: group }} for ${{ id: role }}, and so does ${by}: the stack that drops it takes it from both`;
  return { note: { name, tenant, reason }, ids: [role, group] };
}
