import { HASH_LENGTH } from "../../pulumi/hosts-file";
import { type SetPath } from "../../pulumi/sets";

/*
 * The program knows every assignment that it declares. The provider host sees them one by one, or only some.
 * So each assignment sends a listing with its inputs: the groups that all assignments of its role list, as
 * short hashes, followed by a question mark if some aren't known. With `deleteBeforeReplace`, groups can lose
 * the former role before any other assignment is checked, and the program doesn't know which role that is. So
 * the assignment sends the listings of all other roles too, each behind a slash and the hash of its role.
 *
 * Transforms, and options that they set, can give the assignment another role afterwards. So its own listing
 * begins with the hash of the role that the program gives, and an equals sign.
 */

export const LISTING = "__listedElsewhere";

/** Stands here for the class, which must not load the schema. */
export const ASSIGNMENT_SETS: readonly SetPath[] = [["groupIds"]];

export interface Listing {
  /** With an assignment's own listing: the hash of the role that the program gives, if it's known. */
  role?: string;
  /** Hashes of the groups that assignments of the tenant list. */
  listed: Iterable<string>;
  /** False if an assignment's groups or role aren't known yet. */
  isComplete: boolean;
  /** With an assignment's own listing: those of other roles, by the hash of the role. */
  others?: ReadonlyMap<string, Listing>;
}

export function formatListing({ role, listed, isComplete, others }: Listing): string {
  const behind = [...(others ?? [])].map(([other, listing]) => `/${other}${formatListing(listing)}`);
  return (
    (role === undefined ? "" : `${role}=`) + [...listed].join("") + (isComplete ? "" : "?") + behind.join("")
  );
}

/** Undefined for programs in other languages, which send no listing. */
export function parseListing(text: unknown): Listing | undefined {
  if (typeof text !== "string") return undefined;
  const [first = "", ...behind] = text.split("/");
  const [own = "", role] = first.split("=").reverse();
  const others = new Map(behind.map((one) => [one.slice(0, HASH_LENGTH), parsed(one.slice(HASH_LENGTH))]));
  return { ...(role !== undefined && { role }), ...parsed(own), ...(others.size > 0 && { others }) };
}

function parsed(text: string): Listing {
  return { listed: text.match(/[\w-]{8}/g) ?? [], isComplete: !text.endsWith("?") };
}
