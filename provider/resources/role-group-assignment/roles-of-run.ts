import { type RoleAt, roleKey } from "../../access/edge";
import { type IdentityClient } from "../../http/client";
import { hashOf } from "../../pulumi/hosts-file";
import { type Run, RunMemory } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { type Listing } from "./listing";
import { anyOf, groupKey } from "./assignment";
import { type Others } from "./plan";

/** The handlers' shared knowledge of one role in a run. */
export class RoleOfRun implements Others {
  /** Groups named in a line because an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  /** True if an assignment came without a listing, as in programs in other languages. */
  #isUnlisted = false;
  #groups: Promise<string[]> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** Names the role in listings. */
  readonly hash: string;

  constructor(
    readonly at: RoleAt,
    private readonly run: Run,
  ) {
    this.hash = hashOf(roleKey(at));
  }

  /** `listing`: that of an assignment whose role this is now; the program may have given it another one. */
  addListing(listing: Listing | undefined): void {
    this.#isUnlisted ||= listing === undefined;
    const roles = this.run.recall(LISTED);
    const given = listing?.role ?? this.hash;
    if (given !== this.hash || listing === undefined) roles.add(this.hash, NOT_LISTED);
    if (listing !== undefined) roles.add(given, listing);
    for (const [role, other] of listing?.others ?? []) roles.add(role, other);
  }

  /**
   * Takes groups that the program lists out of the listing of a role, by default of this one. Returns false
   * if another assignment has let go of one of them because the program lists it.
   */
  withhold(hashes: readonly string[], role = this.hash): boolean {
    const { withheld, relied } = this.run.recall(LISTED).of(role);
    for (const hash of hashes) withheld.add(hash);
    return !hashes.some((hash) => relied.has(hash));
  }

  lists(group: string): boolean | "unknown" {
    if (this.listerOf(group) !== undefined) return true;
    if (this.isInListing(group)) {
      this.#listing.relied.add(hashOf(group));
      return true;
    }
    return this.#listing.isComplete === true ? false : "unknown";
  }

  /** True if the program lists a group, whether or not its assignment has been checked already. */
  isInListing(group: string): boolean {
    const hash = hashOf(group);
    return this.#listing.listed.has(hash) && !this.#listing.withheld.has(hash);
  }

  get #listing(): ListedRole {
    return this.run.recall(LISTED).of(this.hash);
  }

  /** Returns the name of an approved assignment that lists a group. */
  listerOf(group: string): string | undefined {
    return this.run.ledger.wanted(groupKey(this.at, group));
  }

  /**
   * Returns the name of an assignment under another provider. Only needed for programs in other languages:
   * those in TypeScript send a listing, which reaches all providers.
   */
  get unlistedNeighbour(): string | undefined {
    return this.#isUnlisted ? this.run.ledger.wantedElsewhere(anyOf(this.at)) : undefined;
  }

  hasLost(group: string): boolean {
    return this.run.ledger.hasRevoked(groupKey(this.at, group));
  }

  /** Records that this run has revoked the role of groups, or granted it again. */
  note(what: "revoked" | "granted", groups: readonly string[]): void {
    for (const group of groups) this.run.ledger.note(what, groupKey(this.at, group));
  }

  /** Runs the requests of one role one after the other, so that each knows the results of those before it. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(change, change);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Returns the role's groups for refresh, as they were at any time since this run last wrote them. */
  refresh(client: IdentityClient): Promise<string[]> {
    return (this.#groups ??= listGroupsOf(client, this.at));
  }

  forgetRead(): void {
    this.#groups = undefined;
  }
}

const NOT_LISTED: Listing = { listed: [], isComplete: false };

/** Groups are hashes. */
interface ListedRole {
  readonly listed: Set<string>;
  /** Listed by the program, but options, transforms or the clock have taken them out since. */
  readonly withheld: Set<string>;
  /** Said to be listed, though no check has shown it yet. */
  readonly relied: Set<string>;
  /** Undefined without a listing. */
  isComplete: boolean | undefined;
}

/** The program's listings by the hash of the role. */
class ListedInRun {
  readonly #roles = new Map<string, ListedRole>();

  of(role: string): ListedRole {
    const known = this.#roles.get(role);
    if (known !== undefined) return known;
    const made = { listed: new Set<string>(), withheld: new Set<string>(), relied: new Set<string>() };
    const empty = { ...made, isComplete: undefined };
    this.#roles.set(role, empty);
    return empty;
  }

  add(role: string, { listed, isComplete }: Listing): void {
    const known = this.of(role);
    for (const hash of listed) known.listed.add(hash);
    known.isComplete = known.isComplete !== false && isComplete;
  }
}

const LISTED = new RunMemory(() => new ListedInRun());

const ROLES = new RunMemory((run) => {
  const roles = new Map<string, RoleOfRun>();
  return (at: RoleAt) => {
    const key = roleKey(at);
    const role = roles.get(key) ?? new RoleOfRun(at, run);
    roles.set(key, role);
    return role;
  };
});

export function roleOf(run: Run, at: RoleAt): RoleOfRun {
  return run.recall(ROLES)(at);
}
