import { type AccessEffect } from "../../provider/access/change";
import { type Edge, holderId, roleSentence } from "../../provider/access/edge";
import { type Claim, type Grant, Grants } from "../../provider/access/grants";
import { listedIn } from "../../provider/resources/role-group-assignment/review";
import { type Note } from "../../provider/review/effects";
import { list, say, type Sentence } from "../../provider/sentence";
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

/**
 * Returns for each stack the grants that another one lists too, and those that another one takes away:
 * neither knows of the other.
 */
export function sharedGrants(
  stacks: readonly { preview: Preview; access: readonly AccessEffect[] }[],
  hostOf: HostOf,
): (preview: Preview) => readonly SharedGrant[] {
  if (stacks.length < 2) return () => [];
  const keyOf = (edge: Edge) => ({ ...edge, tenant: hostOf(edge.tenant) });
  const listed = new Map(
    stacks.map(({ preview }) => [preview, [...listedIn(preview.steps, "after", preview.stack)]]),
  );
  const all = new Grants<ClaimOfPreview>(
    [...listed].flatMap(([preview, grants]) =>
      grants.map((grant) => ({ ...keyOf(grant), by: grant.by.map((claim) => ({ ...claim, preview })) })),
    ),
  );
  const taken = new Grants<ClaimOfPreview>(
    stacks.flatMap(({ preview, access }) =>
      access
        .filter(({ effect }) => effect === "loses")
        .map((row) => ({
          ...keyOf(row),
          by: row.by.map(({ name, line }) => ({ name, line, stack: preview.stack, preview })),
        })),
    ),
  );
  return (preview) =>
    (listed.get(preview) ?? []).flatMap((grant) =>
      [all, taken].flatMap((grants) => {
        const others = grants.by(keyOf(grant)).filter((claim) => claim.preview !== preview);
        if (others.length === 0) return [];
        const by = list(others.map((other) => say`${other.name} in ${other.stack ?? "another stack"}`));
        const isTaken = grants === taken;
        return grant.by.map(({ name }) => sharedGrant(grant, name, isTaken ? takenBy(by) : listedBy(by)));
      }),
    );
}

function listedBy(others: Sentence): Sentence {
  return say`and so does ${others}: the stack that drops it takes it from both`;
}

function takenBy(others: Sentence): Sentence {
  return say`and ${others} takes it away: run \`pulumi up --refresh\` here after that to give it back`;
}

function sharedGrant({ tenant, holder, ...at }: Grant, name: string, others: Sentence): SharedGrant {
  const reason = say`lists ${{ id: holderId(holder) }} for ${roleSentence(at)}, ${others}`;
  return { note: { name, tenant, reason }, ids: [at.organization ?? at.role, at.role, holderId(holder)] };
}
