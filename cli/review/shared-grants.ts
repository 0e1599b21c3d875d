import { type Edge, holderId, roleSentence } from "../../provider/access/edge";
import { type Claim, type Grant, Grants } from "../../provider/access/grants";
import { listedIn } from "../../provider/resources/role-group-assignment/review";
import { type Note } from "../../provider/review/effects";
import { list, say } from "../../provider/sentence";
import { type Preview } from "./input/preview";
import { type HostOf } from "./tenant/merged";

export interface SharedGrant {
  note: Note;
  /** The role and its holder. */
  ids: readonly string[];
}

/** The preview that a claim is from. */
interface ClaimOfPreview extends Claim {
  preview: Preview;
}

/** Returns for each stack the grants that another one lists too: neither knows of the other. */
export function sharedGrants(
  previews: readonly Preview[],
  hostOf: HostOf,
): (preview: Preview) => readonly SharedGrant[] {
  if (previews.length < 2) return () => [];
  const keyOf = (edge: Edge) => ({ ...edge, tenant: hostOf(edge.tenant) });
  const listed = new Map(
    previews.map((preview) => [preview, [...listedIn(preview.steps, "after", preview.stack)]]),
  );
  const all = new Grants<ClaimOfPreview>(
    [...listed].flatMap(([preview, grants]) =>
      grants.map((grant) => ({ ...keyOf(grant), by: grant.by.map((claim) => ({ ...claim, preview })) })),
    ),
  );
  return (preview) =>
    (listed.get(preview) ?? []).flatMap((grant) => {
      const others = all.by(keyOf(grant)).filter((claim) => claim.preview !== preview);
      return others.length === 0 ? [] : grant.by.map((claim) => sharedGrant(grant, claim, others));
    });
}

function sharedGrant(
  { tenant, holder, ...at }: Grant,
  { name }: Claim,
  others: readonly Claim[],
): SharedGrant {
  const by = list(others.map((other) => say`${other.name} in ${other.stack ?? "another stack"}`));
  const reason = say`lists ${{ id: holderId(holder) }} for ${roleSentence(at)}, and so does ${by}: the stack that drops it takes it from both`;
  return { note: { name, tenant, reason }, ids: [at.organization ?? at.role, at.role, holderId(holder)] };
}
