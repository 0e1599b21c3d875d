import { type IdentityClient } from "../../http/client";
import {
  type ConnectionProfileRecord,
  listConnectionProfilePage,
  readConnectionProfile,
} from "../../service/connection-profiles";

/** What one refresh reads is reused within it, and forgotten before anybody could take it for news. */
export const LIFETIME_MS = 30_000;

interface PendingProfile {
  resolve: (record: ConnectionProfileRecord) => void;
  reject: (error: unknown) => void;
}

/** Up to this many profiles are read one by one: a page of the list costs as much as one of them. */
const READ_SINGLY = 2;

/**
 * Reads profiles with the fewest requests: one by one while few are wanted, page by page when many are, however many
 * others the tenant holds.
 */
export class ProfileReads {
  /** Ids of profiles that were there already when they were first heard of. */
  readonly known = new Set<string>();
  readonly #pending = new Map<string, PendingProfile[]>();
  readonly #records = new Map<string, { record: ConnectionProfileRecord; until: number }>();
  readonly #wanted = new Set<string>();
  /** How far the list was read; the engine's reads come in several bursts, which share it. */
  #listing = {
    from: undefined as string | undefined,
    followed: new Set<string>(),
    done: false,
    until: -Infinity,
  };
  #running = false;

  constructor(private readonly client: IdentityClient) {}

  /** A connection profile; a `NotFoundError` when it is gone. */
  read(id: string): Promise<ConnectionProfileRecord> {
    this.#wanted.add(id);
    const known = this.#records.get(id);
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.record);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, [...(this.#pending.get(id) ?? []), { resolve, reject }]);
      if (this.#running) return;
      this.#running = true;
      // The engine sends the reads of a refresh in a burst: wait for the rest of it.
      setTimeout(() => void this.#run(), 5);
    });
  }

  /** To be called after each write. */
  forget(id: string): void {
    this.#records.delete(id);
  }

  /** Ids of other profiles of the same name that nobody asked for, as far as listings that were read anyway have shown. */
  twins(id: string): string[] {
    const name = this.#records.get(id)?.record.name;
    const others = [...this.#records.values()].map(({ record }) => record);
    return others
      .filter((other) => other.name === name && !this.#wanted.has(other.id))
      .map((other) => other.id);
  }

  async #run(): Promise<void> {
    const now = performance.now();
    if (now >= this.#listing.until) {
      this.#listing = { from: undefined, followed: new Set(), done: false, until: now + LIFETIME_MS };
    }
    try {
      while (this.#pending.size > READ_SINGLY && !this.#listing.done) await this.#readPage();
      // What the list does not hold may be gone, or be newer than the list: only its own 404 tells.
      await Promise.all([...this.#pending.keys()].map((id) => this.#readOne(id)));
    } catch (error) {
      for (const id of [...this.#pending.keys()]) this.#failed(id, error);
    } finally {
      this.#running = false;
      if (this.#pending.size > 0) {
        this.#running = true;
        void this.#run();
      }
    }
  }

  async #readPage(): Promise<void> {
    const page = await listConnectionProfilePage(this.client, this.#listing.from);
    for (const record of page.items) this.#found(record);
    const { followed } = this.#listing;
    // A cursor that leads in a circle ends the list; what it should have shown is read singly.
    const done = page.next === undefined || page.next === "" || followed.has(page.next);
    if (page.next !== undefined) followed.add(page.next);
    this.#listing = { ...this.#listing, from: page.next, done };
  }

  async #readOne(id: string): Promise<void> {
    try {
      this.#found(await readConnectionProfile(this.client, id), id);
    } catch (error) {
      this.#failed(id, error);
    }
  }

  #found(record: ConnectionProfileRecord, id = record.id): void {
    this.known.add(record.id);
    this.#records.set(id, { record, until: performance.now() + LIFETIME_MS });
    for (const { resolve } of this.#pending.get(id) ?? []) resolve(record);
    this.#pending.delete(id);
  }

  #failed(id: string, error: unknown): void {
    for (const { reject } of this.#pending.get(id) ?? []) reject(error);
    this.#pending.delete(id);
  }
}
