import { setTimeout } from "node:timers/promises";
import { type IdentityClient } from "../../http/client";
import {
  InsufficientScopeError,
  outcomeOf,
  RateLimitedError,
  UnexpectedAnswerError,
} from "../../http/errors";
import { connectionProfiles } from "../../service/connection-profiles";
import { type ProfileRecord, profileRecord } from "../../service/profile-record";
import { singleReads } from "./read-policy";

/** The engine asks for the reads of a refresh in bursts: wait this long for the rest of one before any is read singly. */
const BURST_MS = 10;

/** A read that waits for its answer. */
interface Waiting {
  resolve: (record: ProfileRecord) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads profiles with few requests: one by one, or page by page where the list has them (see read-policy.ts). The reads
 * of one refresh share what was listed. After a write a new object takes its place (see profiles-of-run.ts), because what
 * this one has read, or is reading, may be out of date.
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
  #late = 0;
  #askedBefore = 0;
  #isAnswering = false;

  constructor(
    client: IdentityClient,
    private readonly onRecord: (record: ProfileRecord) => void,
  ) {
    this.#profiles = connectionProfiles(client, profileRecord);
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
      else if (this.#singleReads() === 0) await this.#listPage();
      else await this.#readSingly();
    }
    this.#isAnswering = false;
  }

  #singleReads(): number {
    return singleReads({
      asked: this.#reads.size,
      found: this.#found,
      late: this.#late,
      waiting: this.#waiting.size,
      pages: this.#pages,
      hasNext: this.#next !== undefined,
      askedBefore: this.#askedBefore,
    });
  }

  async #listPage(): Promise<void> {
    const from = this.#next?.from;
    this.#pages++;
    try {
      const { items, next } = await this.#profiles.page(from);
      // A cursor that leads in a circle ends the list; what it should have shown is read singly.
      const isLast = next === undefined || next === "" || this.#followed.has(next);
      if (next !== undefined) this.#followed.add(next);
      this.#next = isLast ? undefined : { from: next };
      for (const record of items) this.#list(record);
    } catch (error) {
      this.#withoutList(error);
    }
  }

  /** A list that fails is not asked for again, and profiles are read singly, unless that must fail as well. */
  #withoutList(error: unknown): void {
    const outcome = outcomeOf(error);
    if (outcome === "not sent" || error instanceof RateLimitedError) return this.#rejectAll(error);
    // The scope of the list is that of each profile. Where there is no list there may be nothing of the service, and the 404
    // of each profile would drop it from state.
    if (error instanceof InsufficientScopeError) this.#noList = error;
    if (outcome === "refused" && error instanceof UnexpectedAnswerError) this.#noList = error;
    this.#next = undefined;
  }

  #list(record: ProfileRecord): void {
    this.onRecord(record);
    // One that moves across the border of two pages, while they are read, comes twice.
    if (this.#listed.has(record.id)) return;
    this.#listed.set(record.id, record);
    const waiting = this.#waiting.get(record.id);
    if (waiting === undefined) {
      if (this.#reads.has(record.id)) this.#late++;
      return;
    }
    this.#found++;
    this.#waiting.delete(record.id);
    waiting.resolve(record);
  }

  /** A profile that is not in the list may be gone or newer than the list: reading it tells which. */
  async #readSingly(): Promise<void> {
    await this.#burst();
    const chosen = [...this.#waiting].slice(0, this.#singleReads());
    if (chosen.length === 0) return;
    this.#askedBefore = this.#reads.size;
    for (const [id] of chosen) this.#waiting.delete(id);
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
