import { type AccessEffect } from "../../provider/access/change";
import { type Edge, edgeKey, holderId, roleSentence } from "../../provider/access/edge";
import { type Claim, type Grant, Grants } from "../../provider/access/grants";
import { listedIn } from "./kinds/assignments";
import { type Note } from "./kinds/effects";
import { list, say, type Sentence } from "../../provider/sentence";
import { type Preview } from "./input/preview";
import { type HostOf } from "./tenant/merged";

export interface SharedGrant {
  edge: Edge;
  note: Note;
  /** Why this stack's run may not be enough to give it; undefined if no other stack takes it away. */
  unless: Sentence | undefined;
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
        return grant.by.map(({ name }) => ({
          ...sharedGrant(grant, name, isTaken ? takenBy(by) : listedBy(by)),
          unless: isTaken ? say`${by} takes it away after that` : undefined,
        }));
      }),
    );
}

function listedBy(others: Sentence): Sentence {
  return say`and so does ${others}: the stack that drops it takes it from both`;
}

function takenBy(others: Sentence): Sentence {
  return say`and ${others} takes it away: run \`pulumi up --refresh\` here after that to give it back`;
}

function sharedGrant(edge: Grant, name: string, others: Sentence): Omit<SharedGrant, "unless"> {
  const { tenant, holder, ...at } = edge;
  const reason = say`lists ${{ id: holderId(holder) }} for ${roleSentence(at)}, ${others}`;
  return {
    edge,
    note: { name, tenant, reason },
    ids: [at.organization ?? at.role, at.role, holderId(holder)],
  };
}

/** Returns rows of a stack's review, with a doubt on those that another stack's run may undo. */
export function doubted(rows: readonly AccessEffect[], shared: readonly SharedGrant[]): AccessEffect[] {
  const doubts = new Map(shared.map(({ edge, unless }) => [edgeKey(edge), unless]));
  return rows.map((row) => {
    const unless = row.effect === "loses" ? row.unless : (row.unless ?? doubts.get(edgeKey(row)));
    return unless === row.unless ? row : { ...row, unless };
  });
}
