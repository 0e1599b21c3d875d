import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import {
  InsufficientScopeError,
  outcomeOf,
  RateLimitedError,
  UnexpectedAnswerError,
} from "../../http/errors";
import { type Run, RunMemory } from "../../pulumi/run";
import { connectionProfiles, type ProfileRecord } from "../../service/connection-profiles";

export class ProfilesOfRun {
  /** Ids of profiles in state, or made by this run. */
  readonly managed: Set<string>;
  /** Ids of all profiles that reads have returned. */
  readonly #seen = new Set<string>();
  #reads: BulkReads | undefined;

  constructor(run: Pick<Run, "knownIds">) {
    this.managed = run.knownIds("ConnectionProfile");
  }

  /** After a create without an answer, these can't be the profile that it made. */
  readonly known = {
    has: (id: string) => this.managed.has(id) || this.#seen.has(id),
    add: (id: string) => this.managed.add(id),
  };

  /** Names of profiles that a create may have made: its answer was lost, and looking for it failed too. */
  readonly open = new Set<unknown>();

  /** Reads a profile for refresh, as it was at any time since this run's last write. */
  refresh(client: IdentityClient, id: string): Promise<ProfileRecord> {
    this.managed.add(id);
    this.#reads ??= new BulkReads(client, (record) => this.#seen.add(record.id));
    return this.#reads.read(id);
  }

  forgetReads(): void {
    this.#reads = undefined;
  }
}

export const PROFILES = new RunMemory((run) => new ProfilesOfRun(run));

/** A refresh asks in bursts, so wait this long for the rest before reading any singly. */
const BURST_MS = 10;

/** Up to this many profiles are read singly without trying the list. */
const SINGLY = 2;
/** Wasted pages allowed for each ten profiles asked for. */
const PAGES_IN_VAIN = 3;

interface Waiting {
  resolve: (record: ProfileRecord) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads profiles with few requests: one by one, or page by page if they are in the list. The reads of one
 * refresh share the listed pages. After a write a new object takes over, because anything this one has read,
 * or is reading, may be out of date.
 *
 * For N profiles, all of them on a list of L pages, it takes less than 1.3 N requests, or 4 for N = 3; less
 * than 4.34 L; and at most L + 2 if each page has three of them or more and the engine asks in the order of
 * the list.
 */
export class BulkReads {
  readonly #profiles;
  readonly #reads = new Map<string, Promise<ProfileRecord>>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #listed = new Map<string, ProfileRecord>();
  readonly #followed = new Set<string>();
  #next: { from: string | undefined } | undefined = { from: undefined };
  #noList: Error | undefined;
  #pages = 0;
  #found = 0;
  #isAnswering = false;

  constructor(
    client: IdentityClient,
    private readonly onRecord: (record: ProfileRecord) => void,
  ) {
    this.#profiles = connectionProfiles(client);
  }

  read(id: string): Promise<ProfileRecord> {
    const read = this.#reads.get(id);
    if (read !== undefined) return read;
    const listed = this.#listed.get(id);
    const begun =
      listed !== undefined
        ? Promise.resolve(listed)
        : new Promise<ProfileRecord>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#reads.set(id, begun);
    if (listed !== undefined) this.#found++;
    else if (!this.#isAnswering) void this.#answer();
    return begun;
  }

  async #answer(): Promise<void> {
    this.#isAnswering = true;
    while (this.#waiting.size > 0) {
      if (this.#noList !== undefined) this.#rejectAll(this.#noList);
      else if (this.#isListWorthwhile()) await this.#listPage();
      else await this.#readSingly();
    }
    this.#isAnswering = false;
  }

  /**
   * A page costs as much as a profile, so it pays if the pages so far have found one each. Beyond that, fewer
   * than 0.3 pages are read per profile asked for. The number of profiles to come and the length of the list
   * are unknown.
   */
  #isListWorthwhile(): boolean {
    const asked = this.#reads.size;
    if (this.#next === undefined || asked <= SINGLY) return false;
    return this.#pages === 0 || 10 * (this.#pages + 1 - this.#found) < PAGES_IN_VAIN * asked;
  }

  async #listPage(): Promise<void> {
    const from = this.#next?.from;
    this.#pages++;
    try {
      const { items, next } = await this.#profiles.page(from);
      // A cursor that leads in a circle ends the list; the missing profiles are read singly.
      const isLast = next === undefined || next === "" || this.#followed.has(next);
      if (next !== undefined) this.#followed.add(next);
      this.#next = isLast ? undefined : { from: next };
      for (const record of items) this.#list(record);
    } catch (error) {
      this.#withoutList(error);
    }
  }

  /** Gives up on a list that fails. Profiles are then read singly, unless that must fail as well. */
  #withoutList(error: unknown): void {
    const outcome = outcomeOf(error);
    if (outcome === "not sent" || error instanceof RateLimitedError) {
      this.#rejectAll(error);
      return;
    }
    // List and profiles need the same scope. A host without the list may not be the service at all, and its
    // 404 for each profile would drop them from state.
    if (error instanceof InsufficientScopeError) this.#noList = error;
    if (outcome === "refused" && error instanceof UnexpectedAnswerError) this.#noList = error;
    this.#next = undefined;
  }

  #list(record: ProfileRecord): void {
    this.onRecord(record);
    // A profile that moves between two pages during the read comes twice.
    if (this.#listed.has(record.id)) return;
    this.#listed.set(record.id, record);
    const waiting = this.#waiting.get(record.id);
    if (waiting === undefined) return;
    this.#found++;
    this.#waiting.delete(record.id);
    waiting.resolve(record);
  }

  /** Reads each profile that isn't in the list: it may be gone, or newer than the list. */
  async #readSingly(): Promise<void> {
    await this.#burst();
    if (this.#isListWorthwhile()) return;
    const chosen = [...this.#waiting];
    this.#waiting.clear();
    await Promise.all(
      chosen.map(async ([id, { resolve, reject }]) => {
        try {
          const record = await this.#profiles.read(id);
          this.onRecord(record);
          resolve(record);
        } catch (error) {
          reject(error);
        }
      }),
    );
  }

  async #burst(): Promise<void> {
    let asked: number;
    do {
      asked = this.#reads.size;
      await setTimeout(BURST_MS);
    } while (this.#reads.size !== asked);
  }

  #rejectAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
