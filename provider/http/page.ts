import * as z from "../zod";
import { type Call } from "./call";
import { type IdentityClient } from "./client";

/** The most entries the service puts on one page. */
export const PER_PAGE = 100;

/** A page of a list, with its hints about the other pages. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; empty or undefined if there is none. */
  next?: string | undefined;
  /** Entries on all pages. */
  total?: number | undefined;
  /** Only some pages say it: a list without it may go on too. */
  hasMore?: boolean | undefined;
  /**
   * The form of a page without `next` and `total`. "array" has no envelope. "numbers" has a page number.
   * "cursor" is how a list ends when paged by cursor.
   */
  style?: "array" | "numbers" | "cursor";
}

export interface NumberedPage {
  page?: number | undefined;
  perPage?: number | undefined;
  includeTotals?: boolean | undefined;
}

/** A page's place: after another one's cursor, or by number. */
type Place = { from: string } | NumberedPage;

export interface ListCall<Item> extends Pick<Call<Item>, "path" | "ids" | "query" | "scopes"> {
  /** The name of the entries in an answer; `record` is the shape of one. */
  entries: string;
  record: z.ZodType<Item>;
  perPage?: number;
  /** The service documents page numbers for this list. All other lists have a cursor. */
  isNumbered?: true;
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
    // Undocumented, so no value of these may fail a read.
    length: z.number().optional().catch(undefined),
    has_more: z.boolean().optional().catch(undefined),
  });
  // A list with a cursor comes bare only if it's empty.
  const answer = z.union([isNumbered === undefined ? list.max(0) : list, envelope]);
  const place = at ?? (isNumbered === undefined ? {} : { page: 0, perPage, includeTotals: true });
  const found = await client.send(
    { method: "GET", ...call, query: { ...query, ...placeQuery(place, perPage) }, answer },
    { signal },
  );
  if (Array.isArray(found)) return { items: found, style: "array" };
  return pageIn(found, found[entries] as Item[]);
}

interface Envelope {
  next?: string | null;
  total?: number | null;
  length?: number | undefined;
  has_more?: boolean | undefined;
}

function pageIn<Item>(found: Envelope, items: Item[]): Page<Item> {
  const isNumbered = ["start", "limit", "length"].some((key) => key in found);
  const { next, total, length = 0, has_more: hasMore } = found;
  // Some services count the entries of the page, others those of the list.
  const counted = total ?? (length > items.length ? length : undefined);
  return {
    items,
    style: isNumbered ? "numbers" : "cursor",
    next: next ?? undefined,
    total: counted,
    hasMore,
  };
}

function placeQuery(place: Place, take: number): ListCall<unknown>["query"] {
  if ("from" in place) return { take, from: place.from };
  const { page, perPage, includeTotals } = place;
  if (page === undefined && perPage === undefined && includeTotals === undefined) return { take };
  return { page, per_page: perPage, include_totals: includeTotals };
}
