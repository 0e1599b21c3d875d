import { type RoleAt, roleKey } from "../../access/edge";
import { hashOf } from "../../pulumi/hosts-file";
import { type Run, RunMemory } from "../../pulumi/run";
import { type ReplacedSet } from "../../pulumi/sets";
import { UNKNOWN } from "../../seen";
import { type Listing } from "./listing";
import { anyOf, type Assignment, groupKey } from "./assignment";
import { type Listed, type ListedElsewhere } from "./plan";

/** The groups of an assignment, as its check has found them. */
interface CheckedGroups {
  /** Those of the program, also after the end; some may be unknown. */
  listed: Pick<Assignment, "groups" | "hiddenGroups">;
  /** True after the end. */
  isOver: boolean;
  replaced: ReplacedSet | undefined;
}

/** Who lists the groups of a role: the assignments that this run has checked, and the program's listings. */
export class ListedInRun implements ListedElsewhere {
  /** True if an assignment came without a listing, as in programs in other languages. */
  #isUnlisted = false;
  readonly #listingOf: (role: string) => ListingInRun;
  readonly #listing: ListingInRun;

  constructor(
    private readonly at: RoleAt,
    private readonly run: Run,
  ) {
    this.#listingOf = run.recall(LISTINGS);
    this.#listing = this.#listingOf(hashOf(roleKey(at)));
  }

  of(group: string): Listed {
    const by = this.run.ledger.wanted(groupKey(this.at, group));
    const hash = hashOf(group);
    const isSure = this.#listing.has(hash);
    if (by === undefined && !isSure) return { listed: this.#listing.isComplete ? "no" : "unknown" };
    if (by === undefined) this.#listing.relyOn(hash);
    return { listed: "yes", isSure, by };
  }

  /**
   * Adds the listing that an assignment of the role came with, without the groups that it doesn't list after
   * all: a transform has left them out, it has ended since, or it got another role than the program gives.
   * Returns false if that is too late: another assignment has let go of such a group.
   */
  add(listing: Listing | undefined, { listed, isOver, replaced }: CheckedGroups): boolean {
    const given = this.#add(listing, replaced === undefined && listed.hiddenGroups !== UNKNOWN);
    const isWithheld = isOver || given !== this.#listing;
    const withheld = isWithheld ? listed.groups.map(hashOf) : [];
    return given.withhold([...(replaced?.withheld ?? []), ...withheld]);
  }

  /** Returns the listing of the role that the program gives. `isWhole`: its assignment lists just that. */
  #add(listing: Listing | undefined, isWhole: boolean): ListingInRun {
    const given = listing?.role === undefined ? this.#listing : this.#listingOf(listing.role);
    this.#isUnlisted ||= listing === undefined;
    if (listing === undefined || given !== this.#listing) this.#listing.add(NOTHING_KNOWN);
    if (listing === undefined) return given;
    given.add({ ...listing, isComplete: listing.isComplete && isWhole });
    for (const [role, other] of listing.others ?? []) this.#listingOf(role).add(other);
    return given;
  }

  /**
   * Returns the name of an assignment under another provider. Only needed for programs in other languages:
   * those in TypeScript send a listing, which reaches all providers.
   */
  get unlistedNeighbour(): string | undefined {
    return this.#isUnlisted ? this.run.ledger.wantedElsewhere(anyOf(this.at)) : undefined;
  }
}

const NOTHING_KNOWN: Listing = { listed: [], isComplete: false };

/** The program's listing of one role, with groups as hashes. */
class ListingInRun {
  readonly #listed = new Set<string>();
  readonly #withheld = new Set<string>();
  /** Said to be listed, though no check has shown it yet. */
  readonly #reliedOn = new Set<string>();
  /** Undefined without a listing. */
  #isComplete: boolean | undefined;

  get isComplete(): boolean {
    return this.#isComplete === true;
  }

  has(group: string): boolean {
    return this.#listed.has(group) && !this.#withheld.has(group);
  }

  add({ listed, isComplete }: Listing): void {
    for (const group of listed) this.#listed.add(group);
    this.#isComplete = this.#isComplete !== false && isComplete;
  }

  relyOn(group: string): void {
    this.#reliedOn.add(group);
  }

  /** Takes groups out, also of what later listings say. Returns false if somebody has relied on one. */
  withhold(groups: readonly string[]): boolean {
    for (const group of groups) this.#withheld.add(group);
    return !groups.some((group) => this.#reliedOn.has(group));
  }
}

/** By the hash of the role: listings also come for roles that no assignment of the run has yet. */
const LISTINGS = new RunMemory(() => {
  const listings = new Map<string, ListingInRun>();
  return (role: string) => {
    const listing = listings.get(role) ?? new ListingInRun();
    listings.set(role, listing);
    return listing;
  };
});
