/*
 * The program knows every assignment that it declares. The provider host sees them one by one, or only some.
 * So each assignment sends a listing with its inputs: the groups that all assignments of its role list, as
 * short hashes, followed by a question mark if some aren't known.
 */

export const LISTING = "__listedElsewhere";

export interface Listing {
  /** Hashes of the groups that assignments of the tenant list. */
  listed: Iterable<string>;
  /** False if an assignment's groups or role aren't known yet. */
  isComplete: boolean;
}

export function formatListing({ listed, isComplete }: Listing): string {
  return [...listed].join("") + (isComplete ? "" : "?");
}

/** Undefined for programs in other languages, which send no listing. */
export function parseListing(text: unknown): Listing | undefined {
  if (typeof text !== "string") return undefined;
  return { listed: text.match(/[\w-]{8}/g) ?? [], isComplete: !text.endsWith("?") };
}
