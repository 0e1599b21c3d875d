import { type RoleAt, roleKey } from "../../access/edge";
import { type IdentityClient } from "../../http/client";
import { hashOf } from "../../pulumi/hosts-file";
import { type Run, RunMemory } from "../../pulumi/run";
import { listGroupsOf } from "../../service/role-groups";
import { type Listing } from "./listing";
import { anyOf, groupKey, type Others } from "./plan";

/** The handlers' shared knowledge of one role in a run. */
export class RoleOfRun implements Others {
  /** Groups named in a line because an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  /** Hashes of groups that the program lists, but that options or transforms have taken out since. */
  readonly #withheld = new Set<string>();
  /** Hashes of groups that were said to be listed, though no check has shown it yet. */
  readonly #relied = new Set<string>();
  /** True if an assignment came without a listing, as in programs in other languages. */
  #isUnlisted = false;
  #groups: Promise<string[]> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly at: RoleAt,
    private readonly run: Run,
  ) {}

  get #hash(): string {
    return hashOf(roleKey(this.at));
  }

  addListing(listing: Listing | undefined): void {
    this.#isUnlisted ||= listing === undefined;
    const roles = this.run.recall(LISTED);
    roles.add(this.#hash, listing ?? { listed: [], isComplete: false });
    for (const [role, other] of listing?.others ?? []) roles.add(role, other);
  }

  /** Returns false if another assignment has let go of one of these groups because the program lists it. */
  withhold(hashes: readonly string[]): boolean {
    for (const hash of hashes) this.#withheld.add(hash);
    return !hashes.some((hash) => this.#relied.has(hash));
  }

  lists(group: string): boolean | "unknown" {
    if (this.listerOf(group) !== undefined) return true;
    if (this.isInListing(group)) {
      this.#relied.add(hashOf(group));
      return true;
    }
    return this.#listing?.isComplete === true ? false : "unknown";
  }

  /** True if the program lists a group, whether or not its assignment has been checked already. */
  isInListing(group: string): boolean {
    const hash = hashOf(group);
    return this.#listing?.listed.has(hash) === true && !this.#withheld.has(hash);
  }

  get #listing(): ReturnType<ListedInRun["of"]> {
    return this.run.recall(LISTED).of(this.#hash);
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

/** The program's listings by the hash of the role; none for roles that came without one. */
class ListedInRun {
  readonly #roles = new Map<string, { listed: Set<string>; isComplete: boolean }>();

  of(role: string): { listed: ReadonlySet<string>; isComplete: boolean } | undefined {
    return this.#roles.get(role);
  }

  add(role: string, { listed, isComplete }: Listing): void {
    const known = this.#roles.get(role) ?? { listed: new Set(), isComplete: true };
    for (const hash of listed) known.listed.add(hash);
    known.isComplete &&= isComplete;
    this.#roles.set(role, known);
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
