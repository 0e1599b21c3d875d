/*
 * The program knows every assignment that it declares, the provider host sees one after the other, or only
 * some of them. So each assignment sends a listing with its inputs: the groups that all assignments of its
 * role list, as short hashes, with a question mark behind them where not all is known.
 */

export const LISTING = "__listedElsewhere";

export interface Listing {
  /** Hashes of the groups that assignments of the tenant list. */
  listed: Iterable<string>;
  /** False while there are assignments of which groups or role are not known. */
  isComplete: boolean;
}

export function formatListing({ listed, isComplete }: Listing): string {
  return [...listed].join("") + (isComplete ? "" : "?");
}

/** Undefined for programs in other languages, which send none. */
export function parseListing(text: unknown): Listing | undefined {
  if (typeof text !== "string") return undefined;
  return { listed: text.match(/[\w-]{8}/g) ?? [], isComplete: !text.endsWith("?") };
}
