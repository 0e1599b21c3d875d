import { type IdentityClient } from "../../provider/http/client";
import { type ListCall, type NumberedPage, readNumberedPage, readPage } from "../../provider/http/page";
import { readList } from "../../provider/http/pages";
import * as z from "../../provider/zod";

const record = z.looseObject({ id: z.string() });

/** The shapes that these pages are checked against. */
async function shapesOf(...lists: Pick<ListCall<{ id: string }>, "entries" | "isNumbered" | "isOpen">[]) {
  const shapes: unknown[] = [];
  const send = ({ answer }: { answer: unknown }) => Promise.resolve((shapes.push(answer), []));
  const client = { send } as unknown as IdentityClient;
  for (const list of lists)
    await readPage(client, { path: "/things", record, scopes: [], ...list }, undefined);
  return shapes;
}

test("the shape of a page is made once for all pages of such lists", async () => {
  const [first, second] = await shapesOf({ entries: "things" }, { entries: "things" });
  expect(second).toBe(first);
});

test("lists that differ in name or paging have shapes of their own", async () => {
  const shapes = await shapesOf(
    { entries: "things" },
    { entries: "others" },
    { entries: "things", isNumbered: true },
    { entries: "things", isNumbered: true, isOpen: true },
  );
  expect(new Set(shapes).size).toBe(4);
});

describe("an open envelope", () => {
  const LIST: ListCall<{ id: string }> = {
    path: "/things",
    entries: "things",
    record,
    scopes: [],
    isNumbered: true,
    isOpen: true,
  };
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ id: `${from + i}` }));

  /** Answers each page, and keeps the numbers of those asked for. */
  function clientOf(bodyAt: (page: number, perPage: number) => unknown) {
    const asked: (number | undefined)[] = [];
    type Sent = { query: { page?: number; per_page?: number }; answer: z.ZodType };
    const send = ({ query, answer }: Sent) => {
      asked.push(query.page);
      return Promise.resolve().then(() => answer.parse(bodyAt(query.page ?? 0, query.per_page ?? 50)));
    };
    return { client: { send } as unknown as IdentityClient, asked };
  }
  const pageOf = (body: unknown, at: NumberedPage = { page: 0, perPage: 10, includeTotals: true }) =>
    readNumberedPage(clientOf(() => body).client, LIST, at);

  test.each<[body: object, total: number | undefined]>([
    [ids(3), undefined],
    [{ things: ids(3) }, undefined],
    [{ things: ids(3), total: 25 }, 25],
    [{ things: ids(3), others: [1, 2], total: 25 }, 25],
    [{ results: ids(3), total: 25 }, 25],
    [{ data: ids(3), errors: [], total_count: 25, version: 900 }, 25],
    [{ items: ids(3), totalResults: 25, page: 0, total_pages: 9 }, 25],
    [{ data: ids(3), meta: { total: 25, page: { size: 10 } } }, 25],
    [{ entries: ids(3), found: 25 }, 25],
    [{ list: ids(3), count: 3 }, 3],
    [{ list: ids(3), available: 25, paging: { found: 25 } }, 25],
    [{ list: ids(3), start: 0, limit: 100, length: 3, page: 7, per_page: 10, next_page: 8 }, undefined],
    // A number that is no count of entries, or one of two.
    [{ list: ids(3), count: 3, available: 25 }, undefined],
    [{ list: ids(3), found: 2 }, undefined],
    [{ list: ids(3), found: 25.5 }, undefined],
    [{ list: ids(3), found: -25, text: "25" }, undefined],
  ])("has its only list, and what must be the total: %j", async (body, total) => {
    expect(await pageOf(body)).toEqual({ items: ids(3), total });
  });

  test.each<[what: string, at: NumberedPage, body: object, total: number | undefined]>([
    ["a full page", { page: 0, perPage: 3 }, { list: ids(3), count: 3 }, 3],
    ["a page of unknown size", { page: 0 }, { list: ids(3), count: 3 }, 3],
    ["no entries", { page: 0 }, { list: [], count: 0 }, 0],
    ["a later page that counts itself", { page: 2, perPage: 10 }, { list: ids(3), count: 3 }, undefined],
    ["fewer than a later page has before it", { page: 2 }, { list: ids(3), total: 8 }, undefined],
    ["the last page", { page: 2, perPage: 3 }, { list: ids(3), found: 9 }, 9],
    ["an empty page after the last one", { page: 2, perPage: 3 }, { list: [], found: 4 }, 4],
  ])("has a total that fits the page: %s", async (_, at, body, total) => {
    expect((await pageOf(body, at)).total).toBe(total);
  });

  test.each<[string, object]>([
    ["no list", { total: 3 }],
    ["a list of lists", [[]]],
    ["two lists", { some: ids(1), others: ids(2), total: 3 }],
    ["a list of errors", { errors: ids(1) }],
    ["entries of another shape", { results: [{ id: 7 }], total: 1 }],
    ["more entries than an answer may have", { results: ids(2_001), total: 2_001 }],
  ])("is no page with %s", async (_, body) => {
    await expect(pageOf(body)).rejects.toThrow();
  });

  test("is only for lists whose names aren't documented", async () => {
    const { client } = clientOf(() => ({ results: ids(1) }));
    const { isOpen: _, ...list } = LIST;
    await expect(readPage(client, list, undefined)).rejects.toThrow();
  });

  test.each<[string, number[], (items: object[], all: number) => object]>([
    ["a total by another name", [0, 1, 2], (results, all) => ({ results, total_count: all })],
    ["a number that may be the total", [0, 1, 2, 3], (results, all) => ({ results, found: all })],
    ["a number that counts the page", [0, 1, 2, 3], (results) => ({ results, count: results.length })],
    ["no number", [0, 1, 2, 3], (results) => ({ results })],
  ])("of a list with %s is read to its end", async (_, pages, envelope) => {
    const { client, asked } = clientOf((page, perPage) =>
      envelope(ids(250).slice(page * perPage, (page + 1) * perPage), 250),
    );
    expect(await readList(client, LIST)).toEqual(ids(250));
    expect(asked).toEqual(pages);
  });

  test("of pages shorter than asked for, with a number that counts more, is read to its end", async () => {
    const { client, asked } = clientOf((page) => ({
      results: ids(120).slice(page * 50, (page + 1) * 50),
      found: 120,
    }));
    expect(await readList(client, LIST)).toHaveLength(120);
    expect(asked).toEqual([0, 1, 2, 3]);
  });
});
