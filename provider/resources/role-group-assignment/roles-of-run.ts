import { type IdentityClient } from "../../http/client";
import { hashOf } from "../../pulumi/hosts-file";
import { type Run, RunMemory } from "../../pulumi/run";
import { listRoleGroups } from "../../service/roles";
import { type Listing } from "./listing";
import { anyOf, lossOf, type Others } from "./plan";

/** What the handlers of a run know of one role. */
export class RoleOfRun implements Others {
  /** Groups of which a line has said that an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  readonly #listed = new Set<string>();
  /** Whether the listings are complete; undefined where no assignment of the role was checked. */
  #isComplete: boolean | undefined;
  /** Whether an assignment came without one, as in programs in other languages. */
  #isUnlisted = false;
  #groups: Promise<string[]> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly roleId: string,
    private readonly run: Run,
  ) {}

  addListing(listing: Listing | undefined): void {
    for (const hash of listing?.listed ?? []) this.#listed.add(hash);
    this.#isComplete = listing?.isComplete === true && this.#isComplete !== false;
    this.#isUnlisted ||= listing === undefined;
  }

  lists(group: string): boolean | "unknown" {
    const { ledger, held } = this.run;
    if (this.listerOf(group) !== undefined || this.#listed.has(hashOf(group))) return true;
    if (this.#isUnlisted && held.wants(this.roleId, group)) return true;
    // With `deleteBeforeReplace`, a delete can come before any assignment of the role was checked; and where
    // `ignoreChanges` keeps groups, a program can't list them.
    if (this.#isComplete !== true && held.moves(this.roleId, group)) return true;
    // A run that has checked nothing destroys.
    return (this.#isComplete ?? ledger.isEmpty) ? false : "unknown";
  }

  /** The name of an assignment that `check` has approved, and that lists a group. */
  listerOf(group: string): string | undefined {
    return this.run.ledger.wanted(lossOf(this.roleId, group));
  }

  /**
   * The name of an assignment under another provider. Only programs in other languages have to know: those in
   * TypeScript send a listing, which all providers are given.
   */
  get unlistedNeighbour(): string | undefined {
    return this.#isUnlisted ? this.run.ledger.wantedElsewhere(anyOf(this.roleId)) : undefined;
  }

  hasLost(group: string): boolean {
    return this.run.ledger.hasTaken(lossOf(this.roleId, group));
  }

  /** Whether this run takes the role from groups, or gives it to them again. */
  note(what: "taken" | "given", groups: readonly string[]): void {
    for (const group of groups) this.run.ledger.note(what, lossOf(this.roleId, group));
  }

  /** Requests of one role follow each other, so that each knows what those before it have done. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(change, change);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** The groups of the role, for refresh: as they were at any time since this run last wrote them. */
  refresh(client: IdentityClient): Promise<string[]> {
    return (this.#groups ??= listRoleGroups(client, this.roleId));
  }

  forgetRead(): void {
    this.#groups = undefined;
  }
}

const ROLES = new RunMemory((run) => {
  const roles = new Map<string, RoleOfRun>();
  return (roleId: string) => {
    const role = roles.get(roleId) ?? new RoleOfRun(roleId, run);
    roles.set(roleId, role);
    return role;
  };
});

export function roleOf(run: Run, roleId: string): RoleOfRun {
  return run.recall(ROLES)(roleId);
}
