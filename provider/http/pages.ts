import { isDeepStrictEqual } from "node:util";
import { callName } from "./call";
import { type IdentityClient } from "./client";
import { ApiError, IdentityError, IncompleteListError, sentence, UnexpectedAnswerError } from "./errors";
import { type ListCall, type NumberedPage, type Page, PER_PAGE, readPage } from "./page";

/** The most entries read from one list. No real list comes near; beyond that it never ends. */
export const MOST_ENTRIES = 1_000_000;
export const MOST_PAGES = 10_000;
/** A total counts no further. A list by cursor goes on all the same. */
const MOST_COUNTED = 1_000;
/** The most pages in a row that are empty or repeat the page before: such a list never ends. */
export const MOST_IDLE_PAGES = 100;
/** Pages requested at once. Each waits for the rate limit, and is wasted if an earlier one fails. */
const LOOK_AHEAD = 16;
/** Somebody rarely changes a list three times within seconds. */
const MOST_READINGS = 3;

const AGAIN = "Run this again; if it stays so, ask the service's support.";

interface ListOptions<Item> {
  signal?: AbortSignal | undefined;
  /** Equal for two entries that are the same. Default: their ids. */
  keyOf?: (item: Item) => string;
  /** Called after each page with the number of entries so far. */
  onPage?: (entries: number) => void;
}

/** Reads the whole list, each entry once; rejects with an `IncompleteListError` if it gets only a part. */
export function readList<Item extends object>(
  client: IdentityClient,
  list: ListCall<Item>,
  { signal, onPage, keyOf = (item) => (item as { id: string }).id }: ListOptions<Item> = {},
): Promise<Item[]> {
  let entries = 0;
  return wholeList({
    ...pagedList(list),
    keyOf,
    page: async (at) => {
      const page = await readPage(client, list, at, signal);
      entries = page.items.length + (at === undefined ? 0 : entries);
      onPage?.(entries);
      return page;
    },
  });
}

/** Reads the beginning of a list, at most one page more than `most` entries. */
export async function readUpTo<Item extends object>(
  client: IdentityClient,
  list: ListCall<Item>,
  most: number,
  { signal, keyOf = (item) => (item as { id: string }).id }: Omit<ListOptions<Item>, "onPage"> = {},
): Promise<{ items: Item[]; isMore: boolean; total?: number | undefined }> {
  const pages: (Item[] | undefined)[] = [];
  let total: number | undefined;
  const beginning = () => {
    // Pages with numbers come in any order.
    const gap = Array.from(pages).indexOf(undefined);
    const whole = gap < 0 ? pages : pages.slice(0, gap);
    return [...new Map(whole.flatMap((items = []) => items).map((item) => [keyOf(item), item])).values()];
  };
  const enough = new Error("There are more entries than asked for.");
  const reading = wholeList<Item>({
    ...pagedList(list),
    keyOf,
    most,
    page: async (at) => {
      // A list that changes meanwhile is read again.
      if (at === undefined) pages.length = 0;
      const page = await readPage(client, list, at, signal);
      pages[at !== undefined && "page" in at ? at.page : pages.length] = page.items;
      if (at === undefined) total = isTotal(page) ? page.total : undefined;
      const isMore = hasNext(page) || (page.total ?? 0) > most;
      const { length } = beginning();
      if (length > most || (length === most && isMore)) throw enough;
      return page;
    },
  });
  try {
    return { items: await reading, isMore: false };
  } catch (error) {
    if (error !== enough) throw error;
    return { items: beginning().slice(0, most), isMore: true, total };
  }
}

function pagedList<Item>(list: ListCall<Item>): Pick<PagedList<Item>, "name" | "perPage" | "isNumbered"> {
  return {
    name: `GET ${callName({ method: "GET", ...list }).path}`,
    perPage: list.perPage ?? PER_PAGE,
    isNumbered: list.isNumbered !== undefined,
  };
}

interface PagedList<Item> {
  /** The list's name in messages: `GET /roles`. */
  name: string;
  /** Entries requested per page. */
  perPage: number;
  isNumbered: boolean;
  /** Entries that may be enough: their pages come first. */
  most?: number;
  page: (at?: { from: string } | Required<NumberedPage>) => Promise<Page<Item>>;
  keyOf: (item: Item) => string;
}

/**
 * Reads a list to its end, whichever way its pages announce more: by a cursor, a total, or not at all. If a
 * list changes between two pages, entries are read twice or skipped. If the total or repeated entries reveal
 * that, the list is read again.
 */
export async function wholeList<Item>(list: PagedList<Item>): Promise<Item[]> {
  let previous: string | undefined;
  for (let reading = 1; reading <= MOST_READINGS; reading++) {
    const { items, total, isByCursor, repeats } = withoutCap(await readOnce(list));
    const keys = items.map(list.keyOf);
    const distinct = [...new Map(items.map((item, i) => [keys[i], item])).values()];
    const isCounted = total === undefined || total === items.length;
    if (isCounted && (distinct.length === items.length || (isByCursor && total === undefined)))
      return distinct;
    const order = JSON.stringify(keys);
    if (order === previous) {
      // Entries repeated at the same places are part of the list.
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

interface ListReading<Item> {
  items: Item[];
  total?: number | undefined;
  isByCursor?: boolean;
  /** True if the last page brought nothing new. */
  repeats?: boolean;
}

/** The same, without a total that only says that there are at least so many. */
function withoutCap<Item>(reading: ListReading<Item>): ListReading<Item> {
  const { items, total, isByCursor = false } = reading;
  const isCapped = isByCursor && total === MOST_COUNTED && items.length > total;
  return isCapped ? { ...reading, total: undefined } : reading;
}

async function readOnce<Item>(list: PagedList<Item>): Promise<ListReading<Item>> {
  const first = await list.page();
  if (hasNext(first)) return { items: await byCursor(list, first), total: first.total, isByCursor: true };
  const { items } = first;
  const total = isTotal(first) ? first.total : undefined;
  if (total !== undefined) return { items: [...items, ...(await otherPages(list, first, total))], total };
  if (first.hasMore === false || (items.length === 0 && first.hasMore !== true)) return { items };
  return goesOn(first, list) ? toTheEnd(list, first) : { items, isByCursor: true };
}

/** A total is wrong if it's smaller than the page, or not larger and there is more. */
function isTotal({ items, total, hasMore }: Page<unknown>): boolean {
  if (total === undefined || total < items.length) return false;
  return total > items.length || hasMore !== true;
}

function hasNext<Item>(page: Page<Item>): page is Page<Item> & { next: string } {
  return page.next !== undefined && page.next !== "";
}

/**
 * True if the page without a next one may not be the last. A list with a cursor ends there, and so does a
 * short page that looks like one of it. A page that knows its place has others beside it.
 */
function goesOn(
  { items, style = "cursor", total, hasMore }: Page<unknown>,
  { perPage, isNumbered }: Pick<PagedList<unknown>, "perPage" | "isNumbered">,
): boolean {
  if (hasMore === true || style === "numbers") return true;
  return isNumbered && (style === "array" || total !== undefined || items.length >= perPage);
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

/** Reads on until an empty page, for lists without a total. */
async function toTheEnd<Item>(list: PagedList<Item>, first: Page<Item>): Promise<ListReading<Item>> {
  const items = [...first.items];
  const seen = new Set(items.map(list.keyOf));
  const perPage = sizeOf(first, list);
  for (let page = 1; ; page++) {
    const next = await further(list, { page, perPage, includeTotals: true }, items);
    if (hasNext(next)) return { items: await byCursor(list, next, items) };
    if (next.items.length === 0 && next.hasMore !== true) return { items };
    const isNew = next.items.some((item) => !seen.has(list.keyOf(item)));
    if (!isNew && isWholeIfRepeated(first, list)) return { items: first.items };
    for (const item of next.items) {
      items.push(item);
      seen.add(list.keyOf(item));
    }
    checkSize(list.name, items.length, MOST_ENTRIES, "entries");
    checkSize(list.name, page, MOST_PAGES, "pages");
    // A service that ignores page numbers would never stop.
    if (!isNew) return { items, repeats: true };
    if (next.hasMore === false) return { items };
  }
}

/**
 * Some services ignore page numbers and send the whole list each time. Such a page is longer than requested,
 * or looks like one with a cursor.
 */
function isWholeIfRepeated<Item>(
  { items, style, total, hasMore }: Page<Item>,
  { perPage }: PagedList<Item>,
): boolean {
  if (hasMore === true) return false;
  return items.length > perPage || (style === "cursor" && total === undefined);
}

/** Reads the other pages in parallel, since the first page has the total. */
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
  const readOthers = async (end: number): Promise<void> => {
    while (next < Math.min(end, count)) await readNext();
  };
  // The next page shows if a list with a cursor also has page numbers.
  if (!list.isNumbered && next < count) await readNext();
  for (const end of [Math.ceil((list.most ?? 0) / perPage), count])
    await Promise.all(Array.from({ length: LOOK_AHEAD }, () => readOthers(end)));
  const [limit] = limits;
  if (limit !== undefined) {
    // The list announced more but no cursor, and it ignores page numbers: there is no way on.
    if (!list.isNumbered) return pages.flat();
    throw endsAt(list, limit as ApiError, [first.items, ...pages].flat(), { total });
  }
  return pages.flat();
}

/** Returns the entries per page: the service may send fewer than requested. */
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

/** The first page worked and this one differs only in its place, so the service refuses the place. */
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

/** Reads pages by cursor to their end; rejects with an `UnexpectedAnswerError` if there is none. */
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
    if (!hasNext(read)) {
      if (read.hasMore !== true) return items;
      throw new IncompleteListError(name, "it says that there is more, and not where", items, AGAIN);
    }
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
