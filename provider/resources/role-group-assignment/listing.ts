import { type Fact, hashesIn } from "../../pulumi/run-folder";

/*
 * The program knows every assignment that it declares, the provider host sees one after the other, or only
 * some of them. So each assignment sends a listing with its inputs: the groups that all assignments of its
 * role list, as short hashes.
 */

export const LISTING = "__listedElsewhere";

export interface Listing {
  /** Hashes of the groups that assignments of the tenant list. */
  listed: Iterable<string>;
  /** False while there are assignments of which groups or role are not known. */
  isComplete: boolean;
}

/** What a program sends. What has ended, handlers decide: a run may be held to its review's moment. */
export interface SentListing extends Listing {
  /** When the run began; undefined where no assignment of the program ends. */
  moment?: number | undefined;
  ending?: readonly Ending[];
}

interface Ending extends Pick<Listing, "listed"> {
  end: number;
}

/**
 * `<hashes>.`, where assignments end also the moment and `<end>:<hashes>` for each end, behind points, and a
 * question mark where it is not complete. Programs of earlier releases have hashes behind the first point and
 * behind a second colon, too.
 */
export function formatListing({ listed, isComplete, moment, ending = [] }: SentListing): string {
  const texts = (hashes: Iterable<string>) => [...hashes].join("");
  return (
    [
      texts(listed),
      "",
      ...(moment === undefined ? [] : [moment.toString(36)]),
      ...ending.map((one) => `${one.end.toString(36)}:${texts(one.listed)}`),
    ].join(".") + (isComplete ? "" : "?")
  );
}

/** A program of another release may send none: then nothing is known of other assignments. */
export function parseListing(text: unknown): SentListing {
  if (typeof text !== "string") return { listed: [], isComplete: false };
  const [listed = "", others = "", moment, ...ending] = text.replace("?", "").split(".");
  return {
    listed: [...hashesIn(listed), ...hashesIn(others)],
    isComplete: !text.endsWith("?"),
    ...(moment !== undefined && { moment: Number.parseInt(moment, 36) }),
    ...(ending.length > 0 && { ending: ending.map(endingOf) }),
  };
}

function endingOf(text: string): Ending {
  const [end = "", ...listed] = text.split(":");
  return { end: Number.parseInt(end, 36), listed: listed.flatMap(hashesIn) };
}

/** What is listed at a moment: an assignment that has ended lists nothing. */
export function listingAt({ listed, isComplete, ending = [] }: SentListing, moment: number): Listing {
  const open = ending.filter(({ end }) => moment < end);
  return { listed: [...listed, ...open.flatMap((one) => [...one.listed])], isComplete };
}

/** What a host leaves in the folder of the run for the others, and the program for all: `declares`. */
export type Said = "declares" | "claims" | "had" | "has" | "took" | "awaits" | "read";

const ROLE_FACT = "role-groups";

interface RoleFact {
  what: Said;
  tenant: string;
  roleId: string;
  hashes: readonly string[];
  end?: number | undefined;
}

export function roleFactOf({ what, tenant, roleId, hashes, end }: RoleFact): Fact {
  return [`${ROLE_FACT} ${what}${end === undefined ? "" : ` ${end}`}`, tenant, roleId, ...hashes];
}

export function parseFact([kind, tenant, roleId = "", ...hashes]: Fact):
  (RoleFact & { end: number }) | undefined {
  const [of, what, end = Infinity] = kind.split(" ");
  return of === ROLE_FACT ? { what: what as Said, tenant, roleId, hashes, end: Number(end) } : undefined;
}
