import * as z from "../zod";
import { type Call } from "./call";
import { type IdentityClient } from "./client";
import { MOST_ENTRIES_PER_ANSWER } from "./shape";

/** The most entries the service puts on one page. */
export const PER_PAGE = 100;

/** A page of a list, with its hints about the other pages. */
export interface Page<Item> {
  items: Item[];
  /** Cursor of the next page; empty or undefined if there is none. */
  next?: string | undefined;
  /** Entries on all pages. */
  total?: number | undefined;
  /** Numbers in an open envelope, one of which may be the total. */
  counts?: number[];
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
type PagePosition = { from: string } | NumberedPage;

export interface ListCall<Item> extends Pick<Call<Item>, "path" | "ids" | "query" | "scopes" | "list"> {
  /** The name of the entries in an answer; `record` is the shape of one. */
  entries: string;
  record: z.ZodType<Item>;
  perPage?: number;
  /** The service documents page numbers for this list. All other lists have a cursor. */
  isNumbered?: true;
  /** The source document shows no names of the envelope's fields: the entries and the total may have any. */
  isOpen?: true;
}

type PageForm<Item> = Pick<ListCall<Item>, "entries" | "record" | "isNumbered" | "isOpen">;

/** A shape takes as long to make as ten entries take to check. */
const shapes = new WeakMap<z.ZodType, Map<string, PageShape<unknown>>>();

type PageShape<Item> = z.ZodType<Item[] | (Envelope & Record<string, unknown>)>;

function pageShape<Item>(of: PageForm<Item>): PageShape<Item> {
  const { entries, record, isNumbered = false, isOpen = false } = of;
  const made = shapes.get(record) ?? new Map<string, PageShape<unknown>>();
  shapes.set(record, made);
  const key = `${entries} ${isNumbered} ${isOpen}`;
  const shape = (made.get(key) as PageShape<Item> | undefined) ?? makePageShape(of);
  made.set(key, shape);
  return shape;
}

function makePageShape<Item>({ entries, record, isNumbered, isOpen }: PageForm<Item>): PageShape<Item> {
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
  const bare = isNumbered === undefined ? list.max(0) : list;
  if (isOpen === undefined) return z.union([bare, envelope]);
  const open = z.unknown().transform((answer) => withEntries(entries, answer));
  return z.union([bare, envelope, open.pipe(envelope)]);
}

/** Gives the entries of an open envelope their name: they are its only list. */
function withEntries(name: string, answer: unknown): unknown {
  const isList = ([key, value]: [string, unknown]) => Array.isArray(value) && !/error/i.test(key);
  const [list, ...others] = fieldsOf(answer).filter(isList);
  if (list === undefined || others.length > 0) return answer;
  const entries = list[1] as unknown[];
  return entries.length > MOST_ENTRIES_PER_ANSWER ? answer : { ...(answer as object), [name]: entries };
}

/** One page; the first one unless `at` says otherwise. */
export async function readPage<Item>(
  client: IdentityClient,
  { entries, record, perPage = PER_PAGE, isNumbered, isOpen, query, ...call }: ListCall<Item>,
  at: PagePosition | undefined,
  signal?: AbortSignal,
): Promise<Page<Item>> {
  const answer = pageShape({ entries, record, isNumbered, isOpen });
  const place = at ?? (isNumbered === undefined ? {} : { page: 0, perPage, includeTotals: true });
  const found = await client.send(
    { method: "GET", ...call, query: { ...query, ...placeQuery(place, perPage) }, answer },
    { signal },
  );
  if (Array.isArray(found)) return { items: found, style: "array" };
  return pageIn(found, found[entries] as Item[], isOpen);
}

/** Exactly this page, and the number of entries on all pages if the page tells it. */
export async function readNumberedPage<Item>(
  client: IdentityClient,
  list: ListCall<Item>,
  at: NumberedPage,
): Promise<{ items: Item[]; total?: number | undefined }> {
  const page = await readPage(client, list, at);
  return { items: page.items, total: totalOf(page, at.page) };
}

/** Undefined if no number, or more than one, can be it. */
function totalOf({ items, total, counts = [] }: Page<unknown>, page = 0): number | undefined {
  // Pages before this one have at least as many entries.
  const least = (page + 1) * items.length;
  const [count, ...others] = (total === undefined ? counts : [total]).filter((number) => number >= least);
  return others.length > 0 ? undefined : count;
}

interface Envelope {
  next?: string | null;
  total?: number | null;
  length?: number | undefined;
  has_more?: boolean | undefined;
}

function pageIn<Item>(found: Envelope, items: Item[], isOpen = false): Page<Item> {
  const counts = isOpen ? numbersIn(found).filter(({ number }) => number >= items.length) : [];
  const named = counts.find(({ isNamed }) => isNamed)?.number;
  const isNumbered = ["start", "limit", "length"].some((key) => key in found) || counts.length > 0;
  const { next, total, length = 0, has_more: hasMore } = found;
  // Some services count the entries of the page, others those of the list.
  const counted = total ?? named ?? (length > items.length ? length : undefined);
  return {
    items,
    style: isNumbered ? "numbers" : "cursor",
    next: next ?? undefined,
    total: counted,
    counts: [...new Set(counts.map(({ number }) => number))],
    hasMore,
  };
}

const TOTAL = /^total(_?(count|results|items|entries))?$/i;
const NO_TOTAL = /page|size|start|limit|length|offset|skip|take|max|status|code/i;

/** Whole numbers in an envelope, or in an object in it, that may be the total. */
function numbersIn(envelope: object): { number: number; isNamed: boolean }[] {
  const fields = fieldsOf(envelope);
  const inner = fields.flatMap(([, value]) => fieldsOf(value));
  return [...fields, ...inner].flatMap(([name, number]) =>
    Number.isInteger(number) && !NO_TOTAL.test(name)
      ? { number: number as number, isNamed: TOTAL.test(name) }
      : [],
  );
}

function fieldsOf(value: unknown): [string, unknown][] {
  return typeof value !== "object" || value === null || Array.isArray(value) ? [] : Object.entries(value);
}

function placeQuery(place: PagePosition, take: number): ListCall<unknown>["query"] {
  if ("from" in place) return { take, from: place.from };
  const { page, perPage, includeTotals } = place;
  if (page === undefined && perPage === undefined && includeTotals === undefined) return { take };
  return { page, per_page: perPage, include_totals: includeTotals };
}
