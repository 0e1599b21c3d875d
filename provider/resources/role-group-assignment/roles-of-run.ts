import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { type CheckedResource, type Run, RunMemory } from "../../pulumi/run";
import { HashedIds, hashOf } from "../../pulumi/run-folder";
import { listRoleGroups } from "../../service/roles";
import { minus } from "./effects";
import { refusal } from "./lines";
import { roleFactOf, type Listing, parseFact, type Said } from "./listing";

interface Claimant {
  resource: CheckedResource;
  /** Whether messages must not show what it lists. */
  isSecret: boolean;
  isExclusive: boolean;
}

/** How long an assignment waits for others that are about to get the groups that it gives away. */
const LONGEST_HANDOVER_MS = 10_000;
/** How long it waits to hear of one that lists them: the engine comes to the next within milliseconds. */
const LONGEST_SILENCE_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** How long a refresh waits for the next read, which may be of the assignment that has a group by now. */
const READS_QUIET_MS = 500;

/** What the handlers of a run, of all its hosts, know of each other's assignments of one role. */
export class RoleOfRun {
  /** Groups that a create, an update or an unchanged assignment of this run has in place. */
  readonly owned = new HashedIds((hash) => this.#say("has", [hash]));
  readonly taken = new HashedIds((hash) => this.#say("took", [hash]));
  /** Groups of which a line has said that an exclusive assignment takes the role from them. */
  readonly named = new Set<string>();
  readonly replaced = new Set<string>();
  /** Those of them that the replacement lists as well: after the delete, its create gives the role again. */
  readonly givenAgain = new Set<string>();
  /** Groups that the program lists, as listings and other hosts tell, by hash. */
  readonly #listed = new Set<string>();
  /** What the declared assignments list of which this process is told in no other way. */
  readonly #declared: ReadonlySet<string>[] = [];
  readonly #awaitedBeside = new Set<string>();
  /** How many assignments had a group before this run, and which of them have said so. */
  readonly #holders = new Map<string, number>();
  readonly #heardBefore = new Set<CheckedResource>();
  readonly #seen = new Set<string>();
  /** Creates and updates under way, by the groups that they are for. */
  readonly #arriving = new Map<string, Promise<unknown>>();
  /** Groups that a create or update was begun for. */
  readonly #begun = new Set<string>();
  /** Who claims a group, by its hash. */
  readonly #claims = new Map<string, Claimant>();
  readonly #exclusive = new Map<CheckedResource, Claimant>();
  #isComplete = true;
  #reads = 0;
  #groups: Promise<string[]> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    readonly roleId: string,
    private readonly run: Pick<Run, "folder" | "tenant">,
  ) {}

  /** Leaves something for other processes. */
  #say(what: Said, hashes: readonly string[]): void {
    const { roleId } = this;
    const { folder, tenant } = this.run;
    if (tenant === undefined || hashes.length === 0) return;
    folder?.leave(roleFactOf({ what, tenant, roleId, hashes }));
  }

  hear(what: Said, hashes: readonly string[]): void {
    const { owned, taken } = this;
    if (what === "declares") this.#declared.push(new Set(hashes));
    for (const hash of hashes) {
      if (what === "claims") this.#listed.add(hash);
      if (what === "had") this.#holders.set(hash, (this.#holders.get(hash) ?? 0) + 1);
      if (what === "has") owned.addHash(hash);
      if (what === "took") taken.addHash(hash);
      if (what === "awaits") this.#awaitedBeside.add(hash);
      if (what === "read") this.#seen.add(hash);
    }
  }

  had(by: CheckedResource, groups: readonly string[]): void {
    if (this.#heardBefore.has(by)) return;
    this.#heardBefore.add(by);
    this.#tellAll("had", groups);
  }

  found(groups: readonly string[]): void {
    this.#tellAll("read", groups);
  }

  #tellAll(what: Said, groups: readonly string[]): void {
    const hashes = groups.map(hashOf);
    this.hear(what, hashes);
    this.#say(what, hashes);
  }

  /**
   * Whether another assignment than the one that asks has a group: it got or found it in this run, or had it
   * before, and is still in the program. `isOwn`: whether the one that asks had it before.
   */
  isAnothers(group: string, isOwn: boolean): boolean {
    if (this.owned.has(group)) return true;
    return this.lists(group) && this.wasAnothers(group, isOwn);
  }

  /** Whether another assignment had a group before this run, or this run's refresh found it to. */
  wasAnothers(group: string, isOwn: boolean): boolean {
    const hash = hashOf(group);
    return (this.#holders.get(hash) ?? 0) > (isOwn ? 1 : 0) || (!isOwn && this.#seen.has(hash));
  }

  /**
   * Records that a resource lists groups, as the engine has them: `ignoreChanges` puts those of state in
   * place of those that the program lists. Answers why another one can't be beside it.
   */
  claim(by: Claimant, groups: readonly string[]): string | undefined {
    // Programs of an earlier release can't be told apart.
    if (by.resource.name === undefined) {
      for (const group of groups) this.#listed.add(hashOf(group));
      return undefined;
    }
    const isAnother = (one: Claimant | undefined) => one !== undefined && one.resource !== by.resource;
    const claimant = (group: string) => this.#claims.get(hashOf(group));
    const twice = groups.filter((group) => isAnother(claimant(group)));
    const beside = by.isExclusive ? this.#claims : this.#exclusive;
    const other = [...twice.map(claimant), ...beside.values()].find(isAnother);
    for (const group of minus(groups, twice)) this.#claims.set(hashOf(group), by);
    if (by.isExclusive) this.#exclusive.set(by.resource, by);
    this.#say("claims", groups.map(hashOf));
    return other && conflictOf(other, by, this.roleId, twice);
  }

  /** What a resource was checked with first does not count once it is checked again, to be replaced. */
  withdraw(resource: CheckedResource): void {
    this.#exclusive.delete(resource);
    for (const [hash, by] of this.#claims) if (by.resource === resource) this.#claims.delete(hash);
  }

  addListing({ listed, isComplete }: Listing): void {
    for (const hash of listed) this.#listed.add(hash);
    this.#isComplete &&= isComplete;
  }

  get isListingComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Whether an assignment of the program lists a group. `own`: the groups of an assignment that is deleted,
   * and not replaced. A destroy that runs the program deletes what this declares: a declaration of exactly
   * these groups is its own.
   */
  lists(group: string, own: readonly string[] = []): boolean {
    const hash = hashOf(group);
    const isOwn = (declared: ReadonlySet<string>) =>
      declared.size === own.length && own.every((one) => declared.has(hashOf(one)));
    return (
      this.#listed.has(hash) ||
      this.#claims.has(hash) ||
      this.#declared.some((declared) => declared.has(hash) && !isOwn(declared))
    );
  }

  /** Whether an assignment under the same provider lists it whose create or update has not begun. */
  isStillToCome(group: string): boolean {
    return this.#claims.has(hashOf(group)) && !this.#begun.has(group) && !this.owned.has(group);
  }

  inTurn<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(change, change);
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  arriving<T>(groups: readonly string[], change: Promise<T>): Promise<T> {
    const settled: Promise<void> = change
      .catch(() => undefined)
      .then(() => {
        for (const group of groups) if (this.#arriving.get(group) === settled) this.#arriving.delete(group);
      });
    for (const group of groups) {
      this.#arriving.set(group, settled);
      this.#begun.add(group);
    }
    this.#say("awaits", groups.map(hashOf));
    return change;
  }

  /** Waits until others have the groups that an assignment leaves to them, while that can be expected. */
  async handedOver(groups: readonly string[], isOwn: (group: string) => boolean): Promise<void> {
    const begin = performance.now();
    const isAwaited = (group: string) => this.#arriving.has(group) || this.#awaitedBeside.has(hashOf(group));
    for (;;) {
      this.run.folder?.listen();
      const open = groups.filter((group) => this.lists(group) && !this.isAnothers(group, isOwn(group)));
      const limit = open.some(isAwaited) ? LONGEST_HANDOVER_MS : LONGEST_SILENCE_MS;
      const left = limit - (performance.now() - begin);
      if (open.length === 0 || left <= 0) return;
      const changes = open.flatMap((group) => this.#arriving.get(group) ?? []);
      await Promise.race([
        setTimeout(Math.min(left, LOOK_EVERY_MS)),
        ...(changes.length > 0 ? [Promise.all(changes)] : []),
      ]);
    }
  }

  /** Of these, the ones that no other assignment has, as far as it was read: a target may leave some out. */
  async foundNowhere(groups: readonly string[]): Promise<string[]> {
    let reads: number;
    do {
      reads = this.#reads;
      for (let waited = 0; waited < READS_QUIET_MS; waited += LOOK_EVERY_MS) {
        this.run.folder?.listen();
        if (groups.every((group) => this.#seen.has(hashOf(group)))) return [];
        await setTimeout(LOOK_EVERY_MS);
      }
    } while (this.#reads !== reads);
    return groups.filter((group) => !this.#seen.has(hashOf(group)));
  }

  /** The groups of the role, for refresh: as they were at any time since this run last wrote them. */
  refresh(client: IdentityClient): Promise<string[]> {
    return (this.#groups ??= listRoleGroups(client, this.roleId));
  }

  forgetRead(): void {
    this.#groups = undefined;
  }

  noticeRead(): void {
    this.#reads++;
  }
}

function conflictOf(other: Claimant, by: Claimant, roleId: string, groups: readonly string[]): string {
  return refusal([other.resource.name ?? "", by.resource.name ?? ""], {
    roleId: other.isSecret || by.isSecret ? undefined : roleId,
    groups,
    exclusive: (by.isExclusive ? by : other).resource.name,
  });
}

const ROLES = new RunMemory((run) => {
  const roles = new Map<string, RoleOfRun>();
  const roleWith = (roleId: string) => {
    const role = roles.get(roleId) ?? new RoleOfRun(roleId, run);
    roles.set(roleId, role);
    return role;
  };
  const { folder, tenant, formerTenants } = run;
  folder?.subscribe((fact) => {
    const said = parseFact(fact);
    if (said === undefined || tenant === undefined) return;
    if ([tenant, ...formerTenants].includes(said.tenant) && run.moment < said.end)
      roleWith(said.roleId).hear(said.what, said.hashes);
  });
  return roleWith;
});

/** A role, with all that other processes have left of it until now. */
export function roleOf(run: Run, roleId: string): RoleOfRun {
  run.folder?.listen();
  return run.recall(ROLES)(roleId);
}
