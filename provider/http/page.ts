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

/** A shape takes as long to make as ten entries take to check. */
const shapes = new WeakMap<z.ZodType, Map<string, PageShape<unknown>>>();

type PageShape<Item> = z.ZodType<Item[] | (Envelope & Record<string, unknown>)>;

function pageShape<Item>(of: Pick<ListCall<Item>, "entries" | "record" | "isNumbered">): PageShape<Item> {
  const { entries, record, isNumbered = false } = of;
  const made = shapes.get(record) ?? new Map<string, PageShape<unknown>>();
  shapes.set(record, made);
  const key = `${entries} ${isNumbered}`;
  const shape = (made.get(key) as PageShape<Item> | undefined) ?? makePageShape(of);
  made.set(key, shape);
  return shape;
}

function makePageShape<Item>({
  entries,
  record,
  isNumbered,
}: Pick<ListCall<Item>, "entries" | "record" | "isNumbered">): PageShape<Item> {
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
  return z.union([isNumbered === undefined ? list.max(0) : list, envelope]);
}

/** One page; the first one unless `at` says otherwise. */
export async function readPage<Item>(
  client: IdentityClient,
  { entries, record, perPage = PER_PAGE, isNumbered, query, ...call }: ListCall<Item>,
  at: Place | undefined,
  signal?: AbortSignal,
): Promise<Page<Item>> {
  const answer = pageShape({ entries, record, isNumbered });
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
