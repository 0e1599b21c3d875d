import { type Fact, hashesIn } from "../../pulumi/run-folder";

/*
 * The program knows every assignment that it declares, the provider host sees one after the other, or only some of them.
 * So each assignment sends a listing with its inputs: the groups that all assignments of its role list, as short hashes.
 */

/** Name of the hidden input. */
export const LISTING = "__listedElsewhere";

export interface Listing {
  /** Hashes of the groups that assignments of the role list: those under the same provider, and those under others of the tenant. */
  here: Iterable<string>;
  beside: Iterable<string>;
  /** False while there are assignments of which groups or role are not known. */
  isComplete: boolean;
}

/** `<hashes>.<hashes>` and a question mark where it is not complete. */
export function formatListing({ here, beside, isComplete }: Listing): string {
  return `${[...here].join("")}.${[...beside].join("")}${isComplete ? "" : "?"}`;
}

/** A program of another release may send none: then nothing is known of other assignments. */
export function parseListing(text: unknown): Listing {
  if (typeof text !== "string") return { here: [], beside: [], isComplete: false };
  const [here = "", beside = ""] = text.replace("?", "").split(".");
  return { here: hashesIn(here), beside: hashesIn(beside), isComplete: !text.endsWith("?") };
}

/** What a host leaves in the folder of the run for the other hosts, and the program for all of them: `declares`. */
export type Said = "declares" | "claims" | "had" | "has" | "took" | "awaits" | "read";

const FACT = "role-groups";

export function factOf(what: Said, tenant: string, roleId: string, hashes: readonly string[]): Fact {
  return [`${FACT} ${what}`, tenant, roleId, ...hashes];
}

export function parseFact([kind, tenant, roleId = "", ...hashes]: Fact):
  { what: Said; tenant: string; roleId: string; hashes: string[] } | undefined {
  const [of, what] = kind.split(" ");
  return of === FACT ? { what: what as Said, tenant, roleId, hashes } : undefined;
}
