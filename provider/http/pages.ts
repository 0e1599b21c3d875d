import { IdentityError, UnexpectedAnswerError } from "./errors";

/** One page of a list with an opaque cursor. */
export interface CheckpointPage<Item> {
  items: Item[];
  next?: string | undefined;
}

/** Reads a whole cursor-paged list, page after page. */
export async function allPages<Item>(
  page: (from: string | undefined) => Promise<CheckpointPage<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  const followed = new Set<string>();
  let from: string | undefined;
  for (;;) {
    const { items: more, next } = await page(from);
    items.push(...more);
    if (next === undefined || next === "") return items;
    if (followed.has(next)) {
      throw new UnexpectedAnswerError(
        "A list of the tenant names the same next page twice, so its end can't be reached. Run this again.",
      );
    }
    followed.add(next);
    from = next;
  }
}

/** One page of a list with a page number and, when asked for, the number of all items. */
export interface OffsetPage<Item> {
  items: Item[];
  total?: number | undefined;
}

export interface OffsetList<Item> {
  /** What messages call it: `GET /users/{id}/permissions`. */
  name: string;
  perPage: number;
  page: (index: number) => Promise<OffsetPage<Item>>;
  /** Equal for two entries that are the same. */
  keyOf: (item: Item) => string;
}

/** Others rarely change a list three times within seconds. */
const MOST_READINGS = 3;

/**
 * Reads a whole list that is paged by number, every entry once. When a list changes between two of its pages, entries
 * move across the border and are read twice or not at all; where totals or repeated entries show that, the list is read
 * again.
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
  );
}

/** The first page tells the total, and the others are read at once; without a total, page after page. */
async function readPages<Item>({ perPage, page, keyOf }: OffsetList<Item>): Promise<OffsetPage<Item>[]> {
  const first = await page(0);
  if (first.total !== undefined) {
    // The service may put less on a page than it was asked for.
    const size = first.items.length === 0 ? perPage : first.items.length;
    const others = Array.from({ length: Math.max(0, Math.ceil(first.total / size) - 1) }, (_, i) =>
      page(i + 1),
    );
    return [first, ...(await Promise.all(others))];
  }
  const pages = [first];
  const seen = new Set(first.items.map(keyOf));
  let last = first;
  while (last.items.length >= perPage) {
    last = await page(pages.length);
    pages.push(last);
    // A service that ignores page numbers would be asked for ever.
    if (last.items.every((item) => seen.has(keyOf(item)))) break;
    for (const item of last.items) seen.add(keyOf(item));
  }
  return pages;
}
