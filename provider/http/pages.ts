import { isDeepStrictEqual } from "node:util";
import * as z from "../zod";
import { type Call, callName } from "./call";
import { type IdentityClient } from "./client";
import { ApiError, IdentityError, IncompleteListError, sentence, UnexpectedAnswerError } from "./errors";

/** Entries that are read of one list. No list of the service comes near: beyond that it has no end. */
export const MOST_ENTRIES = 1_000_000;
export const MOST_PAGES = 10_000;
/** Pages in a row that are empty, or the page before once more: whoever goes on like that never ends. */
export const MOST_IDLE_PAGES = 100;
/** Most entries that the service puts on one page. */
const PER_PAGE = 100;
/** Pages asked for at once: each waits for the rate limit, and is in vain if one before it fails. */
const LOOK_AHEAD = 16;
/** Others rarely change a list three times within seconds. */
const MOST_READINGS = 3;

const AGAIN = "Run this again; if it stays so, ask the service's support.";

/** A page of a list, and what it says of the others. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; empty or undefined: none. */
  next?: string | undefined;
  /** Entries on all pages. */
  total?: number | undefined;
  /**
   * Where it names neither: "array" has no envelope that could say more, "numbers" tells where the page is,
   * and "cursor" is the end of the list to whoever pages by cursor.
   */
  style?: "array" | "numbers" | "cursor";
}

export interface NumberedPage {
  page?: number | undefined;
  perPage?: number | undefined;
  includeTotals?: boolean | undefined;
}

/** Where a page is: behind the cursor of another one, or by its number. */
type Place = { from: string } | NumberedPage;

interface ListCall<Item> extends Pick<Call<Item>, "path" | "ids" | "query" | "scopes"> {
  /** What an answer calls the entries, and the shape of one. */
  entries: string;
  record: z.ZodType<Item>;
  perPage?: number;
  /** The service documents page numbers for this list. All others have a cursor. */
  isNumbered?: true;
}

interface ListOptions<Item> {
  signal?: AbortSignal | undefined;
  /** Equal for two entries that are the same. Default: their ids. */
  keyOf?: (item: Item) => string;
  /** Told after each page how many entries there are so far. */
  onPage?: (entries: number) => void;
}

/** One page; the first one unless `at` says otherwise. */
export async function readPage<Item>(
  client: IdentityClient,
  { entries, record, perPage = PER_PAGE, isNumbered, query, ...call }: ListCall<Item>,
  at: Place | undefined,
  signal?: AbortSignal,
): Promise<Page<Item>> {
  const list = z.array(record);
  const envelope = z.looseObject({
    [entries]: list,
    next: z.string().nullish(),
    total: z.number().min(0).nullish(),
  });
  // A list with a cursor may be bare only where there is nothing, and so nothing more.
  const answer = z.union([isNumbered === undefined ? list.max(0) : list, envelope]);
  const place = at ?? (isNumbered === undefined ? {} : { page: 0, perPage, includeTotals: true });
  const found = await client.send(
    { method: "GET", ...call, query: { ...query, ...placeQuery(place, perPage) }, answer },
    { signal },
  );
  if (Array.isArray(found)) return { items: found, style: "array" };
  return {
    items: found[entries] as Item[],
    style: "start" in found || "limit" in found ? "numbers" : "cursor",
    next: (found["next"] as string | null | undefined) ?? undefined,
    total: (found["total"] as number | null | undefined) ?? undefined,
  };
}

function placeQuery(place: Place, take: number): ListCall<unknown>["query"] {
  if ("from" in place) return { take, from: place.from };
  const { page, perPage, includeTotals } = place;
  if (page === undefined && perPage === undefined && includeTotals === undefined) return { take };
  return { page, per_page: perPage, include_totals: includeTotals };
}

/** The whole list, each entry once; rejects with an `IncompleteListError` where the service gives a part. */
export function readList<Item extends object>(
  client: IdentityClient,
  list: ListCall<Item>,
  { signal, onPage, keyOf = (item) => (item as { id: string }).id }: ListOptions<Item> = {},
): Promise<Item[]> {
  let entries = 0;
  return wholeList({
    name: `GET ${callName({ method: "GET", ...list }).path}`,
    perPage: list.perPage ?? PER_PAGE,
    isNumbered: list.isNumbered !== undefined,
    keyOf,
    page: async (at) => {
      const page = await readPage(client, list, at, signal);
      entries = page.items.length + (at === undefined ? 0 : entries);
      onPage?.(entries);
      return page;
    },
  });
}

/** The beginning of a list: at most one page more than `most` entries are read. */
export async function readUpTo<Item extends { id: string }>(
  client: IdentityClient,
  list: ListCall<Item>,
  most: number,
  signal?: AbortSignal,
): Promise<{ items: Item[]; isMore: boolean }> {
  const first = await readPage(client, list, undefined, signal);
  const items = [...first.items];
  // Where no cursor leads on, the whole list says how.
  if (!hasNext(first) && (first.total ?? 0) > items.length) {
    const all = await readList(client, list, { signal });
    return { items: all.slice(0, most), isMore: all.length > most };
  }
  let { next } = first;
  for (let pages = 1; next && items.length < most; pages++) {
    checkSize(`GET ${callName({ method: "GET", ...list }).path}`, pages, most, "pages");
    const page = await readPage(client, list, { from: next }, signal);
    items.push(...page.items);
    ({ next } = page);
  }
  return { items, isMore: Boolean(next) || items.length > most };
}

/** Reads as much of a list as the tenant gives, and says why the rest is missing: to show, not to decide. */
export async function readablePart<Item>(
  reading: Promise<Item[]>,
): Promise<{ items: Item[]; incomplete?: IncompleteListError }> {
  try {
    return { items: await reading };
  } catch (error) {
    if (!(error instanceof IncompleteListError)) throw error;
    return { items: error.part as Item[], incomplete: error };
  }
}

interface PagedList<Item> {
  /** The list's name in messages: `GET /roles`. */
  name: string;
  /** Entries that are asked for on a page. */
  perPage: number;
  isNumbered: boolean;
  page: (at?: { from: string } | Required<NumberedPage>) => Promise<Page<Item>>;
  keyOf: (item: Item) => string;
}

/**
 * Reads a list to its end, whichever way its pages say that there is more: by a cursor, by a total, or not at
 * all. When a list changes between two of its pages, entries move across the border and are read twice or not
 * at all; where the total or repeated entries show that, the list is read again.
 */
export async function wholeList<Item>(list: PagedList<Item>): Promise<Item[]> {
  let previous: string | undefined;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const { items, total, isByCursor, repeats } = await readOnce(list);
    const keys = items.map(list.keyOf);
    const distinct = [...new Map(items.map((item, i) => [keys[i], item])).values()];
    const isCounted = total === undefined || total === items.length;
    if (isCounted && (distinct.length === items.length || (isByCursor && total === undefined)))
      return distinct;
    const order = JSON.stringify(keys);
    if (order === previous) {
      // Entries that are repeated at the same places belong to the list.
      if (isCounted && !repeats) return distinct;
      throw new IncompleteListError(
        list.name,
        repeats
          ? `it answers the same ${distinct.length} entries for the next page, and not how many there are`
          : `it counts ${total} entries, and answers ${distinct.length}`,
        distinct,
        AGAIN,
      );
    }
    previous = order;
  }
  throw new IdentityError(
    `The pages of ${list.name} did not fit together, ${MOST_READINGS} times in a row: the list is being changed ` +
      "while it is read. Run this again.",
    "done",
  );
}

interface Reading<Item> {
  items: Item[];
  total?: number | undefined;
  isByCursor?: boolean;
  /** The last page brought nothing new. */
  repeats?: boolean;
}

async function readOnce<Item>(list: PagedList<Item>): Promise<Reading<Item>> {
  const first = await list.page();
  if (hasNext(first)) return { items: await byCursor(list, first), total: first.total, isByCursor: true };
  const { items } = first;
  // Less than there is on this page is no total.
  const total = first.total === undefined || first.total < items.length ? undefined : first.total;
  if (total !== undefined) return { items: [...items, ...(await otherPages(list, first, total))], total };
  if (items.length === 0) return { items };
  return list.isNumbered && !isEndOfCursor(first, list) ? toTheEnd(list, first) : { items, isByCursor: true };
}

function hasNext<Item>(page: Page<Item>): page is Page<Item> & { next: string } {
  return page.next !== undefined && page.next !== "";
}

/** A list with a cursor ends at a short page that names no next one. */
function isEndOfCursor(
  { items, style = "cursor", total }: Page<unknown>,
  { perPage }: Pick<PagedList<unknown>, "perPage">,
) {
  return style === "cursor" && total === undefined && items.length < perPage;
}

async function byCursor<Item>(
  list: PagedList<Item>,
  first: Page<Item>,
  before: Item[] = [],
): Promise<Item[]> {
  const read = [...before];
  const page = async (from: string | undefined) => {
    const found = from === undefined ? first : await further(list, { from }, read, first);
    for (const item of found.items) read.push(item);
    return found;
  };
  return [...before, ...(await allPages(page, list.name))];
}

/** Where nothing says how many there are: an empty page is the end. */
async function toTheEnd<Item>(list: PagedList<Item>, first: Page<Item>): Promise<Reading<Item>> {
  const items = [...first.items];
  const seen = new Set(items.map(list.keyOf));
  const perPage = sizeOf(first, list);
  for (let page = 1; ; page++) {
    const next = await further(list, { page, perPage, includeTotals: true }, items);
    if (hasNext(next)) return { items: await byCursor(list, next, items) };
    if (next.items.length === 0) return { items };
    const isNew = next.items.some((item) => !seen.has(list.keyOf(item)));
    if (!isNew && isWholeIfRepeated(first, list)) return { items: first.items };
    for (const item of next.items) {
      items.push(item);
      seen.add(list.keyOf(item));
    }
    checkSize(list.name, items.length, MOST_ENTRIES, "entries");
    checkSize(list.name, page, MOST_PAGES, "pages");
    // A service that ignores page numbers would be asked for ever.
    if (!isNew) return { items, repeats: true };
  }
}

/**
 * Some services ignore page numbers and send the whole list each time. Such a page is longer than we asked
 * for, or looks like that of a cursor.
 */
function isWholeIfRepeated<Item>({ items, style, total }: Page<Item>, { perPage }: PagedList<Item>): boolean {
  return items.length > perPage || (style === "cursor" && total === undefined);
}

/** The first page tells the total, and the others are read several at once. */
async function otherPages<Item>(list: PagedList<Item>, first: Page<Item>, total: number): Promise<Item[]> {
  const { name } = list;
  const perPage = sizeOf(first, list);
  const count = first.items.length === total ? 1 : Math.max(1, Math.ceil(total / perPage));
  checkSize(name, total, MOST_ENTRIES, "entries");
  checkSize(name, count, MOST_PAGES, "pages");
  const pages: Item[][] = [];
  const limits: unknown[] = [];
  let next = 1;
  let entries = first.items.length;
  const readNext = async (): Promise<void> => {
    const index = next++;
    try {
      const { items } = await list.page({ page: index, perPage, includeTotals: true });
      entries += items.length;
      checkSize(name, entries, MOST_ENTRIES, "entries");
      pages[index - 1] = items;
    } catch (error) {
      next = count;
      if (!isLimit(error)) throw error;
      limits.push(error);
    }
  };
  const readOthers = async (): Promise<void> => {
    while (next < count) await readNext();
  };
  // The first further page shows whether a list with a cursor has page numbers, too.
  if (!list.isNumbered && next < count) await readNext();
  await Promise.all(Array.from({ length: LOOK_AHEAD }, readOthers));
  const [limit] = limits;
  if (limit !== undefined) {
    // A list with a cursor need not have page numbers: then it has said that there is more, and not where.
    if (!list.isNumbered) return pages.flat();
    throw endsAt(list, limit as ApiError, [first.items, ...pages].flat(), { total });
  }
  return pages.flat();
}

/** Entries on each page: the service may put less on one than it was asked for. */
function sizeOf<Item>({ items }: Page<Item>, { perPage }: PagedList<Item>): number {
  return items.length === 0 ? perPage : Math.min(items.length, perPage);
}

async function further<Item>(
  list: PagedList<Item>,
  at: { from: string } | Required<NumberedPage>,
  read: readonly Item[],
  first: Pick<Page<Item>, "total"> = {},
): Promise<Page<Item>> {
  try {
    return await list.page(at);
  } catch (error) {
    throw isLimit(error) ? endsAt(list, error, read, first) : error;
  }
}

/** The first page was answered, and this one differs in its place only: it is that which is refused. */
function isLimit(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 400;
}

function endsAt<Item>(
  { name, keyOf, isNumbered }: PagedList<Item>,
  { call, answer }: ApiError,
  read: readonly Item[],
  { total }: { total?: number | undefined },
): IncompleteListError {
  const part = [...new Map(read.map((item) => [keyOf(item), item])).values()];
  const of = total === undefined ? "" : ` of ${total}`;
  const says = sentence(call, answer)
    .replace(/^\S+ \S+ /, "")
    .replace(/\.$/, "");
  return new IncompleteListError(
    name,
    `after ${part.length}${of} entries it ${says}`,
    part,
    isNumbered ? "Running this again won't help: ask the service's support." : AGAIN,
  );
}

/** Reads pages by cursor to their end; rejects with an `UnexpectedAnswerError` when there is none. */
export async function allPages<Item>(
  page: (from: string | undefined) => Promise<Page<Item>>,
  /** The list's name in messages: `GET /connection-profiles`. */
  name = "A list of the tenant",
): Promise<Item[]> {
  const items: Item[] = [];
  const followed = new Set<string>();
  let from: string | undefined;
  let last: Item[] = [];
  let idle = 0;
  for (;;) {
    const read = await page(from);
    const { items: more } = read;
    for (const item of more) items.push(item);
    idle = more.length === 0 || isDeepStrictEqual(more, last) ? idle + 1 : 0;
    last = more;
    if (!hasNext(read)) return items;
    const { next } = read;
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

function checkSize(name: string, size: number, bound: number, unit: string): void {
  if (size <= bound) return;
  throw new UnexpectedAnswerError(
    `${name} has at least ${size} ${unit}, and at most ${bound} are read: the answers don't seem to be the service's. ` +
      "Check that the domain is the tenant's own.",
    "done",
  );
}
