import DataLoader from "dataloader";
import { type IdentityClient } from "../../http/client";
import { type CheckedResource, type Run, RunMemory } from "../../pulumi/run";
import { listRoleGroups } from "../../service/role-groups";
import { hashOf, type Listing } from "./listing";

/** An assignment that lists a group. */
interface Claimant {
  resource: CheckedResource;
  /** Whether messages must not show what it lists. */
  isSecret: boolean;
}

/** What the handlers of one run know of each other's assignments of one role. */
export class RoleOfRun {
  /** Groups that a create, an update or an unchanged assignment of this run has in place. */
  readonly owned = new Set<string>();
  /** Groups that assignments of the program had before this run. */
  readonly hadBefore = new Set<string>();
  /** Groups that this run has taken the role from. */
  readonly taken = new Set<string>();
  /** Groups of which a line has said that an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  /** Groups of assignments that are being replaced. */
  readonly replaced = new Set<string>();
  /** Those of them that the replacement lists as well: after the delete, its create gives the role again. */
  readonly givenAgain = new Set<string>();
  /** Those of them that keep the role, because deleteOnDestroy is false. */
  readonly left = new Set<string>();
  readonly #listedHere = new Set<string>();
  readonly #listedBeside = new Set<string>();
  readonly #arriving = new Map<string, Promise<unknown>>();
  readonly #claims = new Map<string, Claimant>();
  #isComplete = true;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * Records that a resource lists groups, as the engine has them: `ignoreChanges` puts those of state in place of those that the
   * program lists. Answers the groups that another one has listed before.
   */
  claim(
    by: Claimant,
    groups: readonly string[],
  ): { names: [string, string]; groups: string[]; isSecret: boolean } | undefined {
    // Programs of an earlier release can't be told apart.
    if (by.resource.name === undefined) return undefined;
    const isAnothers = (group: string) => (this.#claims.get(group)?.resource ?? by.resource) !== by.resource;
    const twice = groups.filter(isAnothers);
    const other = this.#claims.get(twice[0] ?? "");
    for (const group of groups) if (!isAnothers(group)) this.#claims.set(group, by);
    return (
      other && {
        names: [other.resource.name ?? "", by.resource.name],
        groups: twice,
        isSecret: other.isSecret || by.isSecret,
      }
    );
  }

  /** Records what the program says of the role. */
  addListing({ here, beside, isComplete }: Listing): void {
    for (const hash of here) this.#listedHere.add(hash);
    for (const hash of beside) this.#listedBeside.add(hash);
    this.#isComplete &&= isComplete;
  }

  /** Whether all assignments of the role, and their groups, are known. */
  get isListingComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether an assignment of the program lists a group. */
  lists(group: string): boolean {
    return this.listsHere(group) || this.#listedBeside.has(hashOf(group));
  }

  /** Whether an assignment under the same provider lists it. This process sees whether that one succeeds. */
  listsHere(group: string): boolean {
    return this.#listedHere.has(hashOf(group));
  }

  /** Runs the changes of the role one at a time. */
  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(change, change);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /** Records that groups are being given the role. */
  arriving<T>(groups: readonly string[], change: Promise<T>): Promise<T> {
    const settled = change.catch(() => undefined);
    for (const group of groups) this.#arriving.set(group, settled);
    return change;
  }

  /** Waits for the changes under way that give the role to these groups. */
  async arrived(groups: readonly string[]): Promise<void> {
    for (const group of groups) await this.#arriving.get(group);
  }
}

/** The roles of one run, and the lists that a refresh shares. */
export class RolesOfRun {
  readonly #roles = new Map<string, RoleOfRun>();
  #lists: DataLoader<string, string[]> | undefined;

  role(roleId: string): RoleOfRun {
    const role = this.#roles.get(roleId) ?? new RoleOfRun();
    this.#roles.set(roleId, role);
    return role;
  }

  /** Ids of the groups of a role, for refresh: as they were at any time since the last write of this run. */
  refresh(client: IdentityClient, roleId: string): Promise<string[]> {
    this.#lists ??= new DataLoader((ids) =>
      Promise.all(ids.map((id) => listRoleGroups(client, id).catch((error: Error) => error))),
    );
    return this.#lists.load(roleId);
  }

  /** To be called with each write. */
  forgetReads(): void {
    this.#lists = undefined;
  }
}

export const ROLES = new RunMemory(() => new RolesOfRun());

export function roleOf(run: Run, roleId: string): RoleOfRun {
  return run.recall(ROLES).role(roleId);
}
