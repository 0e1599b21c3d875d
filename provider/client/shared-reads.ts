import { type IdentityClient } from "./client";
import {
  type ConnectionProfileRecord,
  listConnectionProfilePage,
  listRoleGroups,
  readConnectionProfile,
} from "./service";

/** What one refresh reads is reused within it, and forgotten before anybody could take it for news. */
const LIFETIME_MS = 30_000;

interface Entry<T> {
  value: Promise<T>;
  until: number;
}

/** Reads that several resources of a process share. A write must `forget` what it changes. */
export class SharedReads {
  /** Ids of profiles that this process has seen: none of them can be the result of a create whose answer was lost. */
  readonly knownProfiles = new Set<string>();
  readonly #entries = new Map<string, Entry<unknown>>();
  readonly #profiles: ProfileReads;

  constructor(private readonly client: IdentityClient) {
    this.#profiles = new ProfileReads(client);
  }

  /** What `read` answers, or what it answered another caller with the same key a moment ago; failures are not kept. */
  once<T>(key: string, fresh: boolean, read: () => Promise<T>): Promise<T> {
    const entry = this.#entries.get(key) as Entry<T> | undefined;
    if (!fresh && entry !== undefined && performance.now() < entry.until) return entry.value;
    const value = read();
    this.#entries.set(key, { value, until: performance.now() + LIFETIME_MS });
    value.catch(() => this.#entries.delete(key));
    return value;
  }

  /** Ids of the groups of a role: one listing for all assignments of that role. */
  roleGroups(roleId: string): Promise<string[]> {
    return this.once(roleKey(roleId), false, () => listRoleGroups(this.client, roleId));
  }

  forgetRole(roleId: string): void {
    this.#entries.delete(roleKey(roleId));
  }

  /** A connection profile; a `NotFoundError` when it is gone. */
  profile(id: string): Promise<ConnectionProfileRecord> {
    return this.#profiles.read(id);
  }

  /** Ids of other profiles of the same name, as far as listings that were read anyway have shown, that nobody asked for. */
  profileTwins(id: string): string[] {
    return this.#profiles.twins(id);
  }

  forgetProfile(id: string): void {
    this.#profiles.forget(id);
  }
}

function roleKey(roleId: string): string {
  return JSON.stringify(["role-groups", roleId]);
}

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
class ProfileReads {
  readonly #pending = new Map<string, PendingProfile[]>();
  readonly #known = new Map<string, { record: ConnectionProfileRecord; until: number }>();
  readonly #wanted = new Set<string>();
  /** How far the list was read; the engine's reads come in several bursts, which share it. */
  #listing = { from: undefined as string | undefined, done: false, until: -Infinity };
  #running = false;

  constructor(private readonly client: IdentityClient) {}

  read(id: string): Promise<ConnectionProfileRecord> {
    this.#wanted.add(id);
    const known = this.#known.get(id);
    if (known !== undefined && performance.now() < known.until) return Promise.resolve(known.record);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, [...(this.#pending.get(id) ?? []), { resolve, reject }]);
      if (this.#running) return;
      this.#running = true;
      // The engine sends the reads of a refresh in a burst: wait for the rest of it.
      setTimeout(() => void this.#run(), 5);
    });
  }

  forget(id: string): void {
    this.#known.delete(id);
  }

  twins(id: string): string[] {
    const name = this.#known.get(id)?.record.name;
    const others = [...this.#known.values()].map(({ record }) => record);
    return others
      .filter((other) => other.name === name && !this.#wanted.has(other.id))
      .map((other) => other.id);
  }

  async #run(): Promise<void> {
    const now = performance.now();
    if (now >= this.#listing.until) {
      this.#listing = { from: undefined, done: false, until: now + LIFETIME_MS };
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
    const done = page.next === undefined || page.next === this.#listing.from;
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
    this.client.reads.knownProfiles.add(record.id);
    this.#known.set(id, { record, until: performance.now() + LIFETIME_MS });
    for (const { resolve } of this.#pending.get(id) ?? []) resolve(record);
    this.#pending.delete(id);
  }

  #failed(id: string, error: unknown): void {
    for (const { reject } of this.#pending.get(id) ?? []) reject(error);
    this.#pending.delete(id);
  }
}
