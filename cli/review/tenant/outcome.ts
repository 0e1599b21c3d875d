import { type AccessEffect } from "../../../provider/access/change";
import { type Edge } from "../../../provider/access/edge";
import { type Claim, Grants } from "../../../provider/access/grants";

interface NetRow extends Edge, Pick<AccessEffect, "effect" | "unless"> {
  by?: readonly Claim[];
}

/** The groups that a change adds, and those that it certainly takes. */
export interface Outcome {
  gained: Grants;
  lost: Grants;
}

export function outcomeOf(rows: readonly NetRow[]): Outcome {
  return {
    gained: grantsOf(rows.filter(({ effect }) => effect === "gains")),
    lost: grantsOf(rows.filter(({ effect, unless }) => effect === "loses" && unless === undefined)),
  };
}

export function grantsOf(edges: readonly (Edge & Pick<NetRow, "by">)[]): Grants {
  return new Grants(edges.map((edge) => ({ ...edge, by: edge.by ?? [] })));
}
