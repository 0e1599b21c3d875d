import { z } from "zod";
import { ApiError, validate } from "./errors";
import { type Page, pageOf } from "./tenant";
import { type Behaviour } from "./types";

/* Queries and answers of lists, with the tenant's switches that change them. */

export const integer = (min: number, max?: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value),
    max === undefined ? z.int().min(min) : z.int().min(min).max(max),
  );
export const boolean = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);

const numbers = { per_page: integer(1, 100).default(50), page: integer(0).default(0) };
const cursor = { from: z.string().optional(), take: integer(1).default(50) };

/** Queries of a list: as documented, and for a tenant that pages it the other way. */
export interface ListQueries<Query> {
  documented: z.ZodType<Query>;
  other: z.ZodType<Query>;
}

export interface NumberedQuery {
  per_page: number;
  page: number;
  include_totals: boolean;
  from?: string | undefined;
  take?: number | undefined;
}

export interface CursorQuery {
  from?: string | undefined;
  take: number;
  page?: number | undefined;
  per_page?: number | undefined;
}

export function numberedQueries<Own extends z.ZodRawShape>(own: Own) {
  const documented = { ...numbers, include_totals: boolean.default(false), ...own };
  const other = { ...documented, from: z.string().optional(), take: integer(1).optional() };
  return { documented: z.strictObject(documented), other: z.strictObject(other) } as ListQueries<
    NumberedQuery & z.output<z.ZodObject<Own>>
  >;
}

export function cursorQueries<Own extends z.ZodRawShape>(own: Own, take: z.ZodType<number> = cursor.take) {
  const documented = { ...cursor, take, ...own };
  const page = { page: integer(0).optional(), per_page: integer(1, 100).optional() };
  const other = { include_totals: boolean.optional(), ...documented, ...page };
  return { documented: z.strictObject(documented), other: z.strictObject(other) } as ListQueries<
    CursorQuery & z.output<z.ZodObject<Own>>
  >;
}

export function numberedPage<Query extends NumberedQuery>(
  given: unknown,
  behaviour: Behaviour,
  list: {
    key: string;
    queries: ListQueries<Query>;
    read: (query: Query) => readonly object[];
    isPaged?: ((query: Query) => boolean) | undefined;
  },
): object {
  const hasCursor = behaviour.numbered_lists === "cursor";
  const query = validate(list.queries[hasCursor ? "other" : "documented"], given, "query");
  const items = list.read(query);
  if (list.isPaged?.(query) === false) return items;
  const { page, include_totals, per_page, take = per_page } = query;
  if (hasCursor) {
    const { items: some, next } = pageOf(items, query.from, sizeOf(take, behaviour));
    return envelope(list.key, some, next === undefined ? {} : { next }, behaviour);
  }
  const limit = sizeOf(per_page, behaviour);
  const start = page * limit;
  const most = behaviour.max_numbered_entries;
  if (most !== null && start >= most)
    throw new ApiError(400, `You can only page through the first ${most} records.`);
  const some = items.slice(start, start + limit);
  if (!include_totals || behaviour.totals === "none") return some;
  const total = behaviour.totals === "first_page" && page > 0 ? 0 : items.length;
  return envelope(list.key, some, { start, limit, total }, behaviour);
}

export function cursorPage<Query extends CursorQuery>(
  given: unknown,
  behaviour: Behaviour,
  list: {
    key: string;
    queries: ListQueries<Query>;
    read: (query: Query, from: string | undefined, take: number) => Page<object>;
  },
): object {
  const hasNumbers = behaviour.cursor_lists === "numbers";
  const query = validate(list.queries[hasNumbers ? "other" : "documented"], given, "query");
  const { from, take, page = 0, per_page = take } = query;
  if (behaviour.cursor_lists === "cursor") {
    const { items, next } = list.read(query, from, sizeOf(take, behaviour));
    return envelope(list.key, items, next === undefined ? {} : { next }, behaviour);
  }
  const { items, total } = list.read(query, undefined, Infinity);
  const limit = sizeOf(per_page, behaviour);
  return envelope(list.key, items.slice(page * limit, (page + 1) * limit), { total }, behaviour);
}

function sizeOf(asked: number, { max_page_size }: Behaviour): number {
  return Math.min(asked, max_page_size ?? asked);
}

function envelope(key: string, items: readonly unknown[], rest: object, behaviour: Behaviour): object {
  return items.length === 0 && behaviour.empty_lists === "plain" ? [] : { [key]: items, ...rest };
}
