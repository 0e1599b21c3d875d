import { holderId } from "../../provider/access/edge";
import { type Claim, type Grant, Grants } from "../../provider/access/grants";
import { listedIn } from "../../provider/resources/role-group-assignment/review";
import { type Note } from "../../provider/review/effects";
import { list, say } from "../../provider/review/sentence";
import { type Preview } from "./input/preview";
import { type Tenant } from "./tenant/tenant";

interface Shared {
  note: Note;
  /** The role and its holder. */
  ids: readonly string[];
}

/** The preview that a claim is from. */
interface ClaimOfPreview extends Claim {
  index: number;
}

/** Returns for each stack the grants that another one lists too: neither knows of the other. */
export function sharedGrants(
  previews: readonly Preview[],
  tenants: readonly (Tenant | undefined)[],
): Shared[][] {
  const hostOf = (index: number, host: string | undefined) =>
    host !== undefined && tenants[index]?.hosts.includes(host) === true ? tenants[index].hosts[0] : host;
  const all = new Grants<ClaimOfPreview>();
  const listed = previews.map(({ steps, stack }) => [...listedIn(steps, "after", stack)]);
  const canonical = (grant: Grant, index: number) => ({ ...grant, tenant: hostOf(index, grant.tenant) });
  for (const [index, grants] of listed.entries())
    for (const grant of grants)
      all.add(canonical(grant, index), ...grant.by.map((claim) => ({ ...claim, index })));
  return listed.map((grants, index) =>
    grants.flatMap((grant) => {
      const others = all.by(canonical(grant, index)).filter((claim) => claim.index !== index);
      return others.length === 0 ? [] : grant.by.map((claim) => sharedGrant(grant, claim, others));
    }),
  );
}

function sharedGrant({ tenant, role, holder }: Grant, { name }: Claim, others: readonly Claim[]): Shared {
  const by = list(others.map((other) => say`${other.name} in ${other.stack ?? "another stack"}`));
  const reason = say`lists ${{ id: holderId(holder) }} for ${{ id: role }}, and so does ${by}: the stack that drops it takes it from both`;
  return { note: { name, tenant, reason }, ids: [role, holderId(holder)] };
}
