import { ApiError, outcomeOf } from "../../provider/http/errors";
import { type Page } from "../../provider/http/page";
import { allPages, MOST_ENTRIES, MOST_IDLE_PAGES, MOST_PAGES, wholeList } from "../../provider/http/pages";
import { failure, readablePart } from "../../testkit/client";

const BY_CURSOR = { name: "GET /things", perPage: 100, isNumbered: false, keyOf: String };
const BY_NUMBER = { ...BY_CURSOR, isNumbered: true };

/** A page's place: none for the first one. */
type At = { from: string } | { page: number; perPage: number } | undefined;
type PageAt = (at: At, request: number) => Page<number>;

/** Returns the entries read from a list with these pages, and the places requested. */
async function readOf(list: typeof BY_CURSOR, page: PageAt) {
  const asked: unknown[] = [];
  const reading = wholeList<number>({
    ...list,
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
    page: async (at) => {
      asked.push(at && "from" in at ? at.from : at === undefined ? 0 : [at.page, at.perPage]);
      return page(at, asked.length);
    },
  });
  const { items, incomplete } = await readablePart(reading);
  return { items, asked, ...(incomplete && { incomplete: incomplete.message }) };
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => i + from);
const indexOf = (at: At) => (at !== undefined && "page" in at ? at.page : 0);
const cursorOf = (at: At) => (at !== undefined && "from" in at ? at.from : undefined);

/** The entries that a list of numbers has at a place; `perPage`: on a first page, which names none. */
function entriesAt(at: At, count: number, perPage = 100): number[] {
  const { page, perPage: most } = { page: 0, perPage, ...at };
  return numbers(count).slice(page * most, (page + 1) * most);
}

const ARRAY = { style: "array" } as const;
const refusal = (message: string) =>
  new ApiError({ method: "GET", path: "/things" }, { status: 400, message });
function refuse(message: string): never {
  throw refusal(message);
}
const NO_PAGE = "Additional properties not allowed: page";
/** `[page, perPage]`. */
const pages = (count: number, perPage = 100) => numbers(count - 1, 1).map((page) => [page, perPage]);

/** So many entries, wherever one asks by number; and the same page for each place. */
const of =
  (count: number, said: object, perPage?: number): PageAt =>
  (at) => ({ items: entriesAt(at, count, perPage), ...said });
const same =
  (count: number, said: object): PageAt =>
  () => ({ items: numbers(count), ...said });

/** Three pages, each with the cursor of the next one. */
const threePages: PageAt = (at) =>
  ({ a: { items: numbers(50, 50), next: "b" }, b: { items: [100] } })[cursorOf(at) ?? ""] ?? {
    items: numbers(50),
    next: "a",
  };
const cursorLater: PageAt = (at, n) => (at === undefined ? { items: [-1], ...ARRAY } : threePages(at, n));
const saysMore: PageAt = (at) => ({
  items: numbers(100, 100 * indexOf(at)),
  style: "numbers",
  hasMore: indexOf(at) < 2,
});
const totalOnce: PageAt = (at) => ({ items: entriesAt(at, 250), total: at === undefined ? 250 : 0 });
const tooLittle: PageAt = (at) => ({ items: at === undefined ? numbers(50) : [], total: 0 });
const twice: PageAt = (at) => (at === undefined ? { items: [1, 2], next: "a", total: 3 } : { items: [2] });
const cursors = (count: number) => numbers(count, 1).map((page) => String(page * 100));
/** By cursor, with a total. */
const counted =
  (total: number, all: number): PageAt =>
  (at) => {
    const from = Number(cursorOf(at) ?? 0);
    const next = from + 100 < all ? String(from + 100) : "";
    return { items: numbers(Math.min(100, all - from), from), total, next };
  };

type List = typeof BY_CURSOR;
const NUMBERS = { style: "numbers" } as const;
const CURSOR = { style: "cursor" } as const;

test.each<[what: string, list: List, page: PageAt, entries: number, asked: unknown[]]>([
  ["a cursor", BY_CURSOR, threePages, 101, [0, "a", "b"]],
  ["an empty cursor, which is the end", BY_CURSOR, same(1, { next: "" }), 1, [0]],
  ["a total of at most 1,000", BY_CURSOR, counted(1_000, 1_200), 1_200, [0, ...cursors(11)]],
  ["short pages", BY_NUMBER, of(120, { total: 120 }, 50), 120, [0, ...pages(3, 50)]],
  ["short pages, without a total", BY_NUMBER, of(120, ARRAY, 50), 120, [0, ...pages(4, 50)]],
  ["numbers that it ignores", BY_NUMBER, same(250, { total: 250 }), 250, [0]],
  ["numbers that it ignores, without a total", BY_NUMBER, same(250, ARRAY), 250, [0, [1, 100]]],
  ["numbers that it ignores, in a full envelope", BY_NUMBER, same(100, CURSOR), 100, [0, [1, 100]]],
  ["a cursor in place of numbers", BY_NUMBER, threePages, 101, [0, "a", "b"]],
  ["… with a total", BY_NUMBER, (at, n) => ({ ...threePages(at, n), total: 101 }), 101, [0, "a", "b"]],
  ["… on its second page", BY_NUMBER, cursorLater, 102, [0, [1, 1], "a", "b"]],
  ["an envelope with neither", BY_NUMBER, same(30, {}), 30, [0]],
  ["a full envelope with neither", BY_NUMBER, of(120, CURSOR), 120, [0, ...pages(3)]],
  ["an envelope with its place", BY_NUMBER, of(30, NUMBERS), 30, [0, [1, 30]]],
  ["a full envelope with its place", BY_NUMBER, of(120, NUMBERS), 120, [0, ...pages(3)]],
  ["a total in place of a cursor", BY_CURSOR, of(120, { total: 120 }, 50), 120, [0, ...pages(3, 50)]],
  ["an envelope of a numbered list", BY_CURSOR, of(120, NUMBERS), 120, [0, ...pages(3)]],
  ["word that there is no more", BY_NUMBER, saysMore, 300, [0, ...pages(3)]],
  ["word that there is no more, by cursor", BY_CURSOR, saysMore, 300, [0, ...pages(3)]],
  ["a total on its first page alone", BY_NUMBER, totalOnce, 250, [0, ...pages(3)]],
  ["a total of less than is there", BY_NUMBER, tooLittle, 50, [0, [1, 50]]],
  // It may have changed in between, so it's read again.
  ["an entry twice, which its total counts", BY_CURSOR, twice, 2, [0, "a", 0, "a"]],
])("a list with %s is read to its end", async (_, list, page, entries, asked) => {
  const read = await readOf(list, page);
  expect(read).toEqual({ items: expect.anything() as unknown, asked });
  expect(read.items).toHaveLength(entries);
});

test.each([
  ["told", 0, 1],
  ["told", 1, 1],
  ["told", 100, 1],
  ["told", 101, 2],
  ["told", 1_000, 10],
  // An empty page is the end.
  ["not told", 0, 1],
  ["not told", 99, 2],
  ["not told", 100, 2],
  ["not told", 101, 3],
  ["not told", 200, 3],
])("with a total that is %s, a list of %i entries takes %i requests", async (total, count, requests) => {
  const { items, asked } = await readOf(BY_NUMBER, (at) => ({
    items: numbers(count).slice(100 * indexOf(at), 100 * indexOf(at) + 100),
    ...(total === "told" ? { total: count } : ARRAY),
  }));
  expect(items).toEqual(numbers(count));
  expect(asked).toHaveLength(requests);
});

// What changed after the first request.
test.each<[what: string, before: number[], after: number[], isCounted: boolean, requests: number]>([
  ["shrinks, so that an entry moves to a page that was read", numbers(150), numbers(149, 1), true, 4],
  ["grows", numbers(200), [999, ...numbers(200)], true, 5],
  ["is turned around", numbers(150), numbers(150).reverse(), true, 4],
  ["has an entry twice, without a total", numbers(150), [999, ...numbers(150)], false, 6],
])("a list that %s between two pages is read again", async (_, before, after, isCounted, requests) => {
  const { items, asked } = await readOf(BY_NUMBER, (at, request) => {
    const list = request === 1 ? before : after;
    const index = indexOf(at);
    return {
      items: list.slice(100 * index, 100 * index + 100),
      ...(isCounted ? { total: list.length } : ARRAY),
    };
  });
  expect(items).toEqual(after);
  expect(asked).toHaveLength(requests);
});

test("an entry that a list has twice is given once", async () => {
  const list = [...numbers(120), 7];
  const page: PageAt = (at) => ({
    items: list.slice(100 * indexOf(at), 100 * indexOf(at) + 100),
    total: 121,
  });
  expect((await readOf(BY_NUMBER, page)).items).toEqual(numbers(120));
});

test("a list that never stands still fails with what to do", async () => {
  const reading = readOf(BY_NUMBER, (at, request) => {
    const index = indexOf(at);
    return { items: numbers(200 + request).slice(100 * index, 100 * index + 100), total: 200 + request };
  });
  await expect(reading).rejects.toThrow(
    "The pages of GET /things did not fit together, 3 times in a row: the list is being changed while it is read. " +
      "Run this again.",
  );
});

test("each entry is given once, as it was read last, without being read again", async () => {
  const items = await wholeList<{ id: string; name?: string }>({
    ...BY_CURSOR,
    page: (at) =>
      Promise.resolve(
        at === undefined
          ? { items: [{ id: "a", name: "old" }, { id: "b" }], next: "x" }
          : { items: [{ id: "a", name: "new" }] },
      ),
    keyOf: ({ id }) => id,
  });
  expect(items).toEqual([{ id: "a", name: "new" }, { id: "b" }]);
});

describe("a list without end", () => {
  test("is given up if its cursors lead in a circle", async () => {
    const next = { first: "a", a: "b", b: "a" };
    const reading = allPages(
      (from) => Promise.resolve({ items: [], next: next[(from ?? "first") as keyof typeof next] }),
      "GET /things",
    );
    const error = await failure(reading);
    expect(error.message).toMatch(/^GET \/things names the same next page twice, .* Run this again\.$/);
    expect(outcomeOf(error)).toBe("done");
  });

  test("isn't that of a tenant with 100,000 profiles, ten to a page", async () => {
    let asked = 0;
    const items = await allPages(() => {
      const from = asked++ * 10;
      return Promise.resolve({ items: numbers(10, from), ...(asked < 10_000 && { next: String(asked) }) });
    });
    expect(items).toEqual(numbers(100_000));
  });

  const IDLE = `has at least 101 pages in a row with nothing new, and at most ${MOST_IDLE_PAGES} are read`;
  test.each<[what: string, itemsAt: (page: number) => number[], message: string, requests: number]>([
    [
      "of full pages",
      (page) => Array<number>(20_000).fill(page),
      `A list of the tenant has at least 1020000 entries, and at most ${MOST_ENTRIES} are read: the answers don't seem to ` +
        "be the service's. Check that the domain is the tenant's own.",
      51,
    ],
    ["of empty pages", () => [], IDLE, 101],
    ["of pages with nothing new", () => [1, 2], IDLE, 102],
    // An occasional empty page isn't its end.
    [
      "of some empty pages",
      (page) => (page % 50 === 0 ? Array<number>(50_000).fill(page) : []),
      "entries",
      1_001,
    ],
  ])("%s is given up", async (_, itemsAt, message, requests) => {
    let asked = 0;
    const page = () => Promise.resolve({ items: itemsAt(asked++), next: String(asked) });
    expect((await failure(allPages(page))).message).toContain(message);
    expect(asked).toBe(requests);
  });

  test.each([
    [{ items: numbers(100), total: 2_000_000 }, `2000000 entries, and at most ${MOST_ENTRIES} are read`],
    [{ items: numbers(1), total: 50_000 }, `50000 pages, and at most ${MOST_PAGES} are read`],
  ])("is refused by its total before more is asked for", async (first, message) => {
    let asked = 0;
    const page = () => Promise.resolve((asked++, first));
    const error = await failure(wholeList({ ...BY_NUMBER, page }));
    expect(error.message).toBe(
      `GET /things has at least ${message}: the answers don't seem to be the service's. Check that the domain is the tenant's own.`,
    );
    expect(asked).toBe(1);
  });

  test.each([{ total: 60_000 }, ARRAY])(
    "is given up if its pages hold more than was said: %j",
    async (said) => {
      let asked = 0;
      const page = (at?: At) => {
        const index = indexOf(at);
        asked++;
        return Promise.resolve({
          items: index === 0 ? numbers(100) : numbers(2_000, index * 2_000),
          ...said,
        });
      };
      const error = await failure(wholeList({ ...BY_NUMBER, page }));
      expect(error.message).toMatch(/^GET \/things has at least 10\d{5} entries/);
      expect(asked).toBeLessThan(560);
    },
  );
});

test.each([
  [500, 4],
  [10_000, 16],
])("pages after the first are asked for at once, of %i entries %i, until one fails", async (total, most) => {
  let open = 0;
  let mostOpen = 0;
  const asked: number[] = [];
  const reading = (failAt: number) =>
    wholeList<number>({
      ...BY_NUMBER,
      page: async (at) => {
        const index = indexOf(at);
        asked.push(index);
        mostOpen = Math.max(mostOpen, ++open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
        if (index === failAt) throw new Error("lost");
        return { items: numbers(100, index * 100), total };
      },
    });
  expect(await reading(-1)).toEqual(numbers(total));
  expect(mostOpen).toBe(most);
  asked.length = 0;
  expect((await failure(reading(4))).message).toBe("lost");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(Math.max(...asked)).toBeLessThan(4 + 2 * 16);
});

describe("a list that can't be read whole is an error, which knows what was read", () => {
  const STAYS = "Run this again; if it stays so, ask the service's support.";
  const ENDS = "You can only page through the first 1000 records.";
  const ended =
    (said: object): PageAt =>
    (at) =>
      indexOf(at) >= 10 ? refuse(ENDS) : { items: numbers(100, 100 * indexOf(at)), ...said };
  const noMore =
    (first: { next?: string }): PageAt =>
    (at) =>
      at !== undefined && "page" in at
        ? refuse(NO_PAGE)
        : { items: numbers(50, at === undefined ? 0 : 50), ...(at === undefined && first), hasMore: true };
  const same50 = "it answers the same 50 entries for the next page";

  const LAST = `it answered 400: ${ENDS} Running this again won't help: ask the service's support.`;
  /** With no page behind the first. */
  const only =
    (first: Page<number>, why: string): PageAt =>
    (at) =>
      at === undefined ? first : refuse(why);
  const noPages = only({ items: numbers(50), total: 1_200 }, NO_PAGE);
  const noCursor = only({ items: numbers(100), next: "a" }, "Invalid cursor");
  const more = { style: "cursor", hasMore: true } as const;

  test.each<[what: string, list: List, page: PageAt, entries: number, requests: number, why: string]>([
    [
      "counts more",
      BY_NUMBER,
      same(50, { total: 120 }),
      50,
      6,
      `it counts 120 entries, and answers 50. ${STAYS}`,
    ],
    [
      "counts more, by cursor",
      BY_CURSOR,
      same(50, { total: 120 }),
      50,
      6,
      "it counts 120 entries, and answers 50.",
    ],
    ["counts less", BY_CURSOR, counted(1_100, 1_200), 1_200, 24, "it counts 1100 entries, and answers 1200"],
    ["ends before 1,000", BY_CURSOR, counted(1_000, 900), 900, 18, "it counts 1000 entries, and answers 900"],
    // Once in each of two readings, not for each page that the total promises.
    ["takes no numbers", BY_CURSOR, noPages, 50, 4, "it counts 1200 entries, and answers 50. "],
    ["repeats itself", BY_NUMBER, same(50, ARRAY), 50, 4, `${same50}, and not how many there are.`],
    ["repeats itself, and says that there is more", BY_NUMBER, same(50, more), 50, 4, same50],
    ["is ended", BY_NUMBER, ended({ total: 1_200 }), 1_000, 0, `after 1000 of 1200 entries ${LAST}`],
    ["is ended without a total", BY_NUMBER, ended(ARRAY), 1_000, 0, `after 1000 entries ${LAST}`],
    ["says that there is more, and not where", BY_CURSOR, noMore({}), 50, 0, ""],
    ["says so on a later page", BY_CURSOR, noMore({ next: "a" }), 100, 0, ""],
    [
      "refuses its cursor",
      BY_CURSOR,
      noCursor,
      100,
      0,
      "after 100 entries it answered 400: Invalid cursor. Run",
    ],
  ])("a list that %s", async (_, list, page, entries, requests, why) => {
    const { items, asked, incomplete } = await readOf(list, page);
    expect(items).toEqual(numbers(entries));
    expect(incomplete?.startsWith(`GET /things can't be read whole: ${why}`)).toBe(true);
    if (requests > 0) expect(asked).toHaveLength(requests);
  });

  test.each([
    new Error("lost"),
    new ApiError({ method: "GET", path: "/things" }, { status: 403, message: "No." }),
  ])("a page that fails otherwise is that failure: %s", async (lost) => {
    const reading = readOf(BY_NUMBER, (at) => {
      if (at !== undefined) throw lost;
      return { items: numbers(100), total: 200 };
    });
    expect(await failure(reading)).toBe(lost);
    expect(await failure(readOf(BY_NUMBER, () => Promise.reject(lost) as never))).toBe(lost);
  });
});
