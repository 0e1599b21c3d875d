import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import { type Run, RunMemory } from "../../pulumi/run";
import { HashedIds } from "../../pulumi/run-folder";
import { type ProfileRecord } from "../../service/profile-record";
import { BulkReads } from "./bulk-reads";
import { parseProfileFact, profileFactOf, type Said } from "./facts";
import { UniqueNames } from "./unique-names";

/** When no further read begins for so long, a refresh has read all that state knows: the engine writes state in between. */
const QUIET_MS = 500;

/** What the handlers of one run know of each other's connection profiles. */
export class ProfilesOfRun {
  /** Ids that resources of the program adopt, whether or not that succeeds. */
  readonly adopting = new HashedIds((hash) => this.#say("adopting", hash));
  /** Ids of profiles that the program says are adopted, also by resources that the engine leaves out. */
  readonly declared = new HashedIds();
  /** Ids of profiles of which an adoption is in place, be it of this run or of an earlier one. */
  readonly adopted = new HashedIds((hash) => this.#say("adopted", hash));
  /** Ids of profiles that state knows, or that this run has made. */
  readonly managed = new Set<string>();
  readonly names = new UniqueNames();
  /** Names of the profiles that reads have shown, by id. */
  readonly #seen = new Map<string, string>();
  /** The ids that were seen with each name; and the names of more than one of them, which are few. */
  readonly #idsOf = new Map<string, Set<string>>();
  readonly #shared = new Set<string>();
  readonly #told = new Set<string>();
  #reads: BulkReads | undefined;
  #begun = 0;
  #ended = 0;
  #isWatched = false;
  /** Whether two reads were in flight at once: with --parallel 1 the engine begins none while another is held back. */
  #hasRoom = false;

  constructor(private readonly run: Pick<Run, "folder" | "tenant" | "formerTenants">) {
    const { folder, tenant, formerTenants } = run;
    folder?.subscribe((fact) => {
      const said = parseProfileFact(fact);
      if (said === undefined || (said.tenant !== tenant && !formerTenants.includes(said.tenant))) return;
      this[said.what].addHash(said.hash);
    });
  }

  #say(what: Said, hash: string): void {
    const { folder, tenant } = this.run;
    if (tenant !== undefined) folder?.leave(profileFactOf(what, tenant, hash));
  }

  /** For a create whose answer is lost: these are not what it made. */
  readonly known = {
    has: (id: string) => this.managed.has(id) || this.#seen.has(id),
    add: (id: string) => this.managed.add(id),
  };

  /** Whether a profile is one of the stack's: managed by a resource, or about to be. */
  readonly isOwn = (id: string) => this.managed.has(id) || this.adopting.has(id) || this.adopted.has(id);

  /** A profile for refresh: as it was at any time since the last write of this run. */
  async refresh(client: IdentityClient, id: string, tell: (line: string) => void): Promise<ProfileRecord> {
    this.managed.add(id);
    this.#reads ??= new BulkReads(client, (record) => this.#see(record));
    this.#begun++;
    this.#hasRoom ||= this.#begun - this.#ended > 1;
    try {
      return await this.#reads.read(id);
    } finally {
      this.#ended++;
      if (this.#hasRoom && !this.#isWatched && this.#twins().length > 0) await this.#watch(tell);
    }
  }

  /** Holds back one read until all are in. Only one: the engine needs room for the others. */
  async #watch(tell: (line: string) => void): Promise<void> {
    this.#isWatched = true;
    let begun: number;
    do {
      begun = this.#begun;
      await setTimeout(QUIET_MS);
    } while (this.#begun !== begun || this.#ended !== begun);
    this.#isWatched = false;
    this.#tellTwins(tell);
  }

  #see({ id, name }: ProfileRecord): void {
    const before = this.#seen.get(id);
    if (before === name) return;
    if (before !== undefined) this.#idsOf.get(before)?.delete(id);
    this.#seen.set(id, name);
    const ids = this.#idsOf.get(name) ?? new Set();
    this.#idsOf.set(name, ids.add(id));
    if (ids.size > 1) this.#shared.add(name);
  }

  /** To be called with each write. */
  forgetReads(): void {
    this.#reads = undefined;
  }

  /** Profiles that have the name of a managed one, as far as lists that were read anyway have shown. */
  #twins(): [id: string, name: string][] {
    return [...this.#shared].flatMap((name) => {
      const ids = [...(this.#idsOf.get(name) ?? [])];
      const others = ids.filter((id) => !this.managed.has(id));
      return others.length === ids.length
        ? []
        : others.filter((id) => !this.#told.has(id)).map((id): [string, string] => [id, name]);
    });
  }

  /** Once for each. Only when all reads are in is it known which profiles are managed. */
  #tellTwins(tell: (line: string) => void): void {
    const twins = this.#twins();
    for (const name of new Set(twins.map((twin) => twin[1]))) {
      const ids = twins.filter((twin) => twin[1] === name).map(([id]) => id);
      for (const id of ids) this.#told.add(id);
      tell(
        `Not managed by this stack, but named ${JSON.stringify(name)} like a profile of it: ${ids.join(", ")}. If an ` +
          `interrupted run has left it behind, take it over with adopt: ${JSON.stringify(ids[0])}.`,
      );
    }
  }
}

export const PROFILES = new RunMemory((run) => new ProfilesOfRun(run));
