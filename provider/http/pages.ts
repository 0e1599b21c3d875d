import { isDeepStrictEqual } from "node:util";
import * as z from "../zod";
import { type Call } from "./call";
import { type IdentityClient } from "./client";
import { IdentityError, UnexpectedAnswerError } from "./errors";

/** Entries that are read of one list. No list of the service comes near: beyond that it has no end. */
export const MOST_ENTRIES = 1_000_000;
export const MOST_PAGES = 10_000;
/** Pages in a row that are empty, or the page before once more: whoever goes on like that never ends. */
export const MOST_IDLE_PAGES = 100;
/** Most entries that the service puts on one page. */
const PER_PAGE = 100;
/** Pages asked for at once: each waits for the rate limit, and is in vain if one before it fails. */
const LOOK_AHEAD = 16;

export interface CheckpointPage<Item> {
  items: Item[];
  next?: string | undefined;
}

interface ListCall<Item> extends Pick<Call<Item>, "path" | "ids" | "query" | "scopes"> {
  /** What an answer calls the entries, and the shape of one. */
  entries: string;
  record: z.ZodType<Item>;
  perPage?: number;
}

/** One page of it; `from`: the cursor of the page before. */
export async function readPage<Item>(
  client: IdentityClient,
  { entries, record, perPage = PER_PAGE, query, ...call }: ListCall<Item>,
  from?: string,
  signal?: AbortSignal,
): Promise<CheckpointPage<Item>> {
  const answer = z.looseObject({ [entries]: z.array(record), next: z.string().nullish() });
  const page = await client.send(
    { method: "GET", ...call, query: { ...query, take: perPage, from }, answer },
    { signal },
  );
  return { items: page[entries] as Item[], next: (page["next"] ?? undefined) as string | undefined };
}

export async function readList<Item extends { id: string }>(
  client: IdentityClient,
  list: ListCall<Item>,
  signal?: AbortSignal,
): Promise<Item[]> {
  return eachOnce(await allPages((from) => readPage(client, list, from, signal), `GET ${list.path}`));
}

/** Reads a cursor-paged list to its end; rejects with an `UnexpectedAnswerError` when it has none. */
export async function allPages<Item>(
  page: (from: string | undefined) => Promise<CheckpointPage<Item>>,
  /** What messages call it: `GET /connection-profiles`. */
  name = "A list of the tenant",
): Promise<Item[]> {
  const items: Item[] = [];
  const followed = new Set<string>();
  let from: string | undefined;
  let last: Item[] = [];
  let idle = 0;
  for (;;) {
    const { items: more, next } = await page(from);
    for (const item of more) items.push(item);
    idle = more.length === 0 || isDeepStrictEqual(more, last) ? idle + 1 : 0;
    last = more;
    if (next === undefined || next === "") return items;
    if (followed.has(next)) {
      throw new UnexpectedAnswerError(
        `${name} names the same next page twice, so its end can't be reached. Run this again.`,
        "done",
      );
    }
    followed.add(next);
    checkSize(name, idle, MOST_IDLE_PAGES, "pages in a row with nothing new");
    checkSize(name, items.length, MOST_ENTRIES, "entries");
    from = next;
  }
}

/** Entries of a list, each once: one that moves between pages, while they are read, comes twice. */
export function eachOnce<Item extends { id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

function checkSize(name: string, size: number, bound: number, unit: string): void {
  if (size <= bound) return;
  throw new UnexpectedAnswerError(
    `${name} has at least ${size} ${unit}, and at most ${bound} are read: the answers don't seem to be the service's. ` +
      "Check that the domain is the tenant's own.",
    "done",
  );
}

export interface OffsetPage<Item> {
  items: Item[];
  /** Of all pages; only when asked for. */
  total?: number | undefined;
}

interface OffsetList<Item> {
  name: string;
  page: (index: number) => Promise<OffsetPage<Item>>;
  /** Equal for two entries that are the same. */
  keyOf: (item: Item) => string;
}

export interface NumberedPage {
  page?: number | undefined;
  perPage?: number | undefined;
  includeTotals?: boolean | undefined;
}

/** One page of a list that is paged by number: it answers the entries alone, or wrapped with their total. */
export async function readNumberedPage<Item>(
  client: IdentityClient,
  { entries, record, query, ...call }: ListCall<Item>,
  { page, perPage, includeTotals }: NumberedPage,
  signal?: AbortSignal,
): Promise<OffsetPage<Item>> {
  const list = z.array(record);
  const answer = z.union([list, z.looseObject({ [entries]: list, total: z.number().optional() })]);
  const numbers = { page, per_page: perPage, include_totals: includeTotals };
  const found = await client.send(
    { method: "GET", ...call, query: { ...query, ...numbers }, answer },
    { signal },
  );
  if (Array.isArray(found)) return { items: found };
  return { items: found[entries] as Item[], total: found["total"] as number | undefined };
}

export function readNumberedList<Item>(
  client: IdentityClient,
  list: ListCall<Item>,
  keyOf: OffsetList<Item>["keyOf"],
  signal?: AbortSignal,
): Promise<Item[]> {
  const page = (index: number) =>
    readNumberedPage(client, list, { page: index, perPage: PER_PAGE, includeTotals: true }, signal);
  return allOffsetPages({ name: `GET ${list.path}`, page, keyOf });
}

/** Others rarely change a list three times within seconds. */
const MOST_READINGS = 3;

/**
 * Reads a whole list that is paged by number, every entry once. When a list changes between two of its pages,
 * entries move across the border and are read twice or not at all; where totals or repeated entries show
 * that, the list is read again.
 */
export async function allOffsetPages<Item>(list: OffsetList<Item>): Promise<Item[]> {
  let previous: string | undefined;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const pages = await readPages(list);
    const items = pages.flatMap((page) => page.items);
    const keys = items.map(list.keyOf);
    const distinct = new Map(items.map((item, i) => [keys[i], item]));
    const totalIs = (size: number) => pages.every(({ total }) => total === undefined || total === size);
    if (distinct.size === items.length && totalIs(items.length)) return items;
    // Entries that are repeated at the same places belong to the list.
    const order = JSON.stringify(keys);
    if (order === previous && totalIs(items.length)) return [...distinct.values()];
    previous = order;
  }
  throw new IdentityError(
    `The pages of ${list.name} did not fit together, ${MOST_READINGS} times in a row: the list is being changed ` +
      "while it is read. Run this again.",
    "done",
  );
}

/** The first page tells the total, and the others are read several at once; without one, page after page. */
async function readPages<Item>(list: OffsetList<Item>): Promise<OffsetPage<Item>[]> {
  const { name, page, keyOf } = list;
  const first = await page(0);
  if (first.total !== undefined) return [first, ...(await otherPages(list, first, first.total))];
  const pages = [first];
  const seen = new Set(first.items.map(keyOf));
  let last = first;
  let entries = first.items.length;
  while (last.items.length >= PER_PAGE) {
    checkSize(name, entries, MOST_ENTRIES, "entries");
    last = await page(pages.length);
    pages.push(last);
    entries += last.items.length;
    // A service that ignores page numbers would be asked for ever.
    if (last.items.every((item) => seen.has(keyOf(item)))) break;
    for (const item of last.items) seen.add(keyOf(item));
  }
  return pages;
}

async function otherPages<Item>(
  { name, page }: OffsetList<Item>,
  first: OffsetPage<Item>,
  total: number,
): Promise<OffsetPage<Item>[]> {
  // The service may put less on a page than it was asked for.
  const count = Math.max(1, Math.ceil(total / (first.items.length || PER_PAGE)));
  checkSize(name, total, MOST_ENTRIES, "entries");
  checkSize(name, count, MOST_PAGES, "pages");
  const pages: OffsetPage<Item>[] = [];
  let next = 1;
  let entries = first.items.length;
  const readNext = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      try {
        const read = await page(index);
        entries += read.items.length;
        checkSize(name, entries, MOST_ENTRIES, "entries");
        pages[index - 1] = read;
      } catch (error) {
        next = count;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: LOOK_AHEAD }, readNext));
  return pages;
}
