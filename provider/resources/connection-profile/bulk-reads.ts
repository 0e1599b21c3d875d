import DataLoader from "dataloader";
import { type IdentityClient } from "../../http/client";
import { connectionProfiles } from "../../service/connection-profiles";
import { type ProfileRecord, profileRecord } from "../../service/profile-fields";

/** The engine sends the reads of a refresh in bursts: wait this long for the rest of one. */
const BURST_MS = 5;
/** Up to this many profiles are read one by one: a page of the list costs as much as one of them. */
const READ_SINGLY = 2;

/**
 * Reads profiles with the fewest requests: one by one while few are wanted, page by page when many are. The bursts of one
 * refresh share what was listed. After a write a new object takes its place (see profiles-of-run.ts), because what this one
 * has read, or is reading, may be out of date.
 */
export class BulkReads {
  readonly #profiles;
  readonly #loader: DataLoader<string, ProfileRecord>;
  #next: { from: string | undefined } | undefined = { from: undefined };
  readonly #followed = new Set<string>();

  constructor(
    client: IdentityClient,
    private readonly onRecord: (record: ProfileRecord) => void,
  ) {
    this.#profiles = connectionProfiles(client, profileRecord);
    this.#loader = new DataLoader((ids) => this.#readAll(ids), {
      batchScheduleFn: (read) => setTimeout(read, BURST_MS),
    });
  }

  read(id: string): Promise<ProfileRecord> {
    return this.#loader.load(id);
  }

  async #readAll(ids: readonly string[]): Promise<(ProfileRecord | Error)[]> {
    const found = new Map<string, ProfileRecord>();
    const missing = () => ids.filter((id) => !found.has(id));
    // Never more requests than reading one by one, however many other profiles the tenant has.
    for (let pages = 0; missing().length > READ_SINGLY && pages < ids.length; pages++) {
      const page = await this.#readPage();
      if (page === undefined) break;
      for (const record of page) {
        this.#loader.prime(record.id, record);
        found.set(record.id, record);
      }
    }
    // A profile that is not in the list may be gone or newer than the list: reading it tells which.
    const single = await Promise.all(
      missing().map((id) => this.#readOne(id).then((result) => [id, result] as const)),
    );
    const results = new Map<string, ProfileRecord | Error>([...found, ...single]);
    return ids.map((id) => results.get(id) as ProfileRecord | Error);
  }

  async #readPage(): Promise<ProfileRecord[] | undefined> {
    if (this.#next === undefined) return undefined;
    const { items, next } = await this.#profiles.page(this.#next.from);
    // A cursor that leads in a circle ends the list; what it should have shown is read singly.
    const isLast = next === undefined || next === "" || this.#followed.has(next);
    if (next !== undefined) this.#followed.add(next);
    this.#next = isLast ? undefined : { from: next };
    items.forEach(this.onRecord);
    return items;
  }

  async #readOne(id: string): Promise<ProfileRecord | Error> {
    try {
      const record = await this.#profiles.read(id);
      this.onRecord(record);
      return record;
    } catch (error) {
      return error as Error;
    }
  }
}
