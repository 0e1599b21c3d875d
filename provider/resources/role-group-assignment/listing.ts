import { type Fact, hashesIn } from "../../pulumi/run-folder";

/*
 * The program knows every assignment that it declares, the provider host sees one after the other, or only
 * some of them. So each assignment sends a listing with its inputs: the groups that all assignments of its
 * role list, as short hashes.
 */

export const LISTING = "__listedElsewhere";

export interface Listing {
  /** Hashes of the groups that assignments list: under the same provider, and under others of the tenant. */
  here: Iterable<string>;
  beside: Iterable<string>;
  /** False while there are assignments of which groups or role are not known. */
  isComplete: boolean;
}

/** What a program sends. What has ended, handlers decide: a run may be held to its review's moment. */
export interface SentListing extends Listing {
  /** When the run began; undefined where no assignment of the program ends. */
  moment?: number | undefined;
  ending?: readonly Ending[];
}

interface Ending extends Pick<Listing, "here" | "beside"> {
  end: number;
}

/**
 * `<hashes>.<hashes>`, where assignments end also the moment and `<end>:<hashes>:<hashes>` for each end,
 * behind points, and a question mark where it is not complete.
 */
export function formatListing({ here, beside, isComplete, moment, ending = [] }: SentListing): string {
  const texts = (hashes: Iterable<string>) => [...hashes].join("");
  return (
    [
      texts(here),
      texts(beside),
      ...(moment === undefined ? [] : [moment.toString(36)]),
      ...ending.map((one) => `${one.end.toString(36)}:${texts(one.here)}:${texts(one.beside)}`),
    ].join(".") + (isComplete ? "" : "?")
  );
}

/** A program of another release may send none: then nothing is known of other assignments. */
export function parseListing(text: unknown): SentListing {
  if (typeof text !== "string") return { here: [], beside: [], isComplete: false };
  const [here = "", beside = "", moment, ...ending] = text.replace("?", "").split(".");
  return {
    here: hashesIn(here),
    beside: hashesIn(beside),
    isComplete: !text.endsWith("?"),
    ...(moment !== undefined && { moment: Number.parseInt(moment, 36) }),
    ...(ending.length > 0 && { ending: ending.map(endingOf) }),
  };
}

function endingOf(text: string): Ending {
  const [end = "", here = "", beside = ""] = text.split(":");
  return { end: Number.parseInt(end, 36), here: hashesIn(here), beside: hashesIn(beside) };
}

/** What is listed at a moment: an assignment that has ended lists nothing. */
export function listingAt({ here, beside, isComplete, ending = [] }: SentListing, moment: number): Listing {
  const open = ending.filter(({ end }) => moment < end);
  return {
    here: [...here, ...open.flatMap((one) => [...one.here])],
    beside: [...beside, ...open.flatMap((one) => [...one.beside])],
    isComplete,
  };
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
