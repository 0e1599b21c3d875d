import { type IdentityClient } from "../../http/client";
import { type Run, RunMemory } from "../../pulumi/run";
import { HashedIds } from "../../pulumi/run-folder";
import { type ProfileRecord } from "../../service/connection-profiles";
import { BulkReads } from "./bulk-reads";
import { parseProfileFact, profileFactOf, type ProfileFactKind } from "./facts";
import { UniqueNames } from "./unique-names";

/** What the handlers of one run know of each other's connection profiles. */
export class ProfilesOfRun {
  /** Ids that resources of the program adopt, whether or not that succeeds. */
  readonly adopting = new HashedIds((hash) => this.#say("adopting", hash));
  /** Ids of profiles that the program says are adopted, also by resources that the engine leaves out. */
  readonly declared = new HashedIds();
  /** Ids of profiles of which an adoption is in place, be it of this run or of an earlier one. */
  readonly adopted = new HashedIds((hash) => this.#say("adopted", hash));
  /** Ids of profiles that state knows, or that this run has made. */
  readonly managed: Set<string>;
  readonly names: UniqueNames;
  /** Ids of the profiles that reads have shown. */
  readonly #seen = new Set<string>();
  #reads: BulkReads | undefined;

  constructor(private readonly run: Pick<Run, "folder" | "tenant" | "formerTenants" | "knownIds">) {
    const { folder, tenant, formerTenants } = run;
    this.managed = run.knownIds("ConnectionProfile");
    this.names = new UniqueNames(this.managed, (id) => this.#isOwn(id));
    folder?.subscribe((fact) => {
      const said = parseProfileFact(fact);
      if (said === undefined || (said.tenant !== tenant && !formerTenants.includes(said.tenant))) return;
      this[said.what].addHash(said.hash);
    });
  }

  #say(what: ProfileFactKind, hash: string): void {
    const { folder, tenant } = this.run;
    if (tenant !== undefined) folder?.leave(profileFactOf(what, tenant, hash));
  }

  /** For a create whose answer is lost: these are not what it made. */
  readonly known = {
    has: (id: string) => this.managed.has(id) || this.#seen.has(id),
    add: (id: string) => this.managed.add(id),
  };

  /** Whether a profile is one of the stack's: managed by a resource, or about to be. */
  #isOwn(id: string): boolean {
    return this.managed.has(id) || this.adopting.has(id) || this.adopted.has(id);
  }

  /** A profile for refresh: as it was at any time since the last write of this run. */
  refresh(client: IdentityClient, id: string): Promise<ProfileRecord> {
    this.managed.add(id);
    this.#reads ??= new BulkReads(client, (record) => this.#seen.add(record.id));
    return this.#reads.read(id);
  }

  /** To be called with each write. */
  forgetReads(): void {
    this.#reads = undefined;
  }
}

export const PROFILES = new RunMemory((run) => new ProfilesOfRun(run));
