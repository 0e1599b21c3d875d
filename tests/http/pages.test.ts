import { ApiError, IncompleteListError, outcomeOf } from "../../provider/http/errors";
import { type Page } from "../../provider/http/page";
import { allPages, MOST_ENTRIES, MOST_IDLE_PAGES, MOST_PAGES, wholeList } from "../../provider/http/pages";
import { failure, readablePart } from "../../testkit/client";

const CURSOR_LIST = { name: "GET /things", perPage: 100, isNumbered: false, keyOf: String };
const NUMBERED_LIST = { ...CURSOR_LIST, isNumbered: true };

/** Returns the entries read from a list with these pages, and the places requested. */
async function readOf(
  list: typeof CURSOR_LIST,
  page: (at: { from: string } | { page: number; perPage: number } | undefined) => Page<number>,
) {
  const asked: unknown[] = [];
  const reading = wholeList<number>({
    ...list,
    // eslint-disable-next-line @typescript-eslint/require-await -- what it throws is a rejection
    page: async (at) => {
      asked.push(at && "from" in at ? at.from : at === undefined ? 0 : [at.page, at.perPage]);
      return page(at);
    },
  });
  const { items, incomplete } = await readablePart(reading);
  return { items, asked, ...(incomplete && { incomplete: incomplete.message }) };
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => i + from);

/** The entries that a list of numbers has at a place; `perPage`: on a first page, which names none. */
function entriesAt(at: object | undefined, count: number, perPage = 100): number[] {
  const { page, perPage: most } = { page: 0, perPage, ...at };
  return numbers(count).slice(page * most, (page + 1) * most);
}

const refusal = (message: string) =>
  new ApiError({ method: "GET", path: "/things" }, { status: 400, message });

describe("a list with a cursor", () => {
  const read = async (pages: Record<string, { items: number[]; next?: string }>) => {
    const asked: (string | undefined)[] = [];
    const items = await allPages<number>((from) => {
      asked.push(from);
      return Promise.resolve(pages[from ?? "first"] ?? { items: [] });
    });
    return { items, asked };
  };

  test("is followed to its end", async () => {
    const pages = { first: { items: [1, 2], next: "a" }, a: { items: [], next: "b" }, b: { items: [3] } };
    expect(await read(pages)).toEqual({ items: [1, 2, 3], asked: [undefined, "a", "b"] });
  });

  test("has each entry once, as it was read last, without being read again", async () => {
    const asked: unknown[] = [];
    const items = await wholeList<{ id: string; name?: string }>({
      ...CURSOR_LIST,
      page: (at) => {
        asked.push(at);
        return Promise.resolve(
          at === undefined
            ? { items: [{ id: "a", name: "old" }, { id: "b" }], next: "x" }
            : { items: [{ id: "a", name: "new" }] },
        );
      },
      keyOf: ({ id }) => id,
    });
    expect(items).toEqual([{ id: "a", name: "new" }, { id: "b" }]);
    expect(asked).toEqual([undefined, { from: "x" }]);
  });

  test.each([
    ["counts at most 1,000", 1_000, 1_200, undefined],
    ["is another one", 1_100, 1_200, "it counts 1100 entries, and answers 1200"],
    ["is that of a list that ends too early", 1_000, 900, "it counts 1000 entries, and answers 900"],
  ])("is whole at its end, unless its total says otherwise, which %s", async (_why, total, all, problem) => {
    const { items, incomplete } = await readOf(CURSOR_LIST, (at) => {
      const from = at !== undefined && "from" in at ? Number(at.from) : 0;
      const next = from + 100 < all ? String(from + 100) : "";
      return { items: numbers(Math.min(100, all - from), from), total, next };
    });
    expect(items).toHaveLength(all);
    if (problem === undefined) expect(incomplete).toBeUndefined();
    else expect(incomplete).toContain(problem);
  });

  test("ends at an empty cursor", async () => {
    expect(await read({ first: { items: [1], next: "" } })).toEqual({ items: [1], asked: [undefined] });
  });

  test("that leads in a circle fails, instead of being cut short or read for ever", async () => {
    const pages = {
      first: { items: [1], next: "a" },
      a: { items: [2], next: "b" },
      b: { items: [3], next: "a" },
    };
    const error = await failure(read(pages));
    expect(error.message).toContain("names the same next page twice");
    const named = await failure(allPages(() => Promise.resolve({ items: [], next: "a" }), "GET /things"));
    expect(named.message).toMatch(/^GET \/things names the same next page twice, .* Run this again\.$/);
    expect(outcomeOf(error)).toBe("done");
  });

  test("of a tenant with 100,000 profiles is read, ten to a page", async () => {
    let asked = 0;
    const items = await allPages(() => {
      const from = asked++ * 10;
      return Promise.resolve({
        items: Array.from({ length: 10 }, (_, i) => ({ id: String(from + i) })),
        ...(asked < 10_000 && { next: String(asked) }),
      });
    });
    expect(items).toHaveLength(100_000);
    expect(items.at(-1)).toEqual({ id: "99999" });
  });

  test("that has no end is given up", async () => {
    let asked = 0;
    const endless = async (itemsAt: (page: number) => number[]) => {
      asked = 0;
      const page = () => Promise.resolve({ items: itemsAt(asked++), next: String(asked) });
      return (await failure(allPages(page))).message;
    };
    expect(await endless((page) => Array(20_000).fill(page) as number[])).toBe(
      `A list of the tenant has at least 1020000 entries, and at most ${MOST_ENTRIES} are read: the answers don't seem ` +
        "to be the service's. Check that the domain is the tenant's own.",
    );
    expect(asked).toBe(51);
    for (const items of [[], [1, 2]]) {
      expect(await endless(() => [...items])).toContain(
        `has at least 101 pages in a row with nothing new, and at most ${MOST_IDLE_PAGES} are read`,
      );
      expect(asked).toBeLessThanOrEqual(102);
    }
    // An occasional empty page isn't its end.
    expect(await endless((page) => (page % 50 === 0 ? Array(50_000).fill(page) : []) as number[])).toContain(
      "entries",
    );
  });
});

describe("a list with page numbers", () => {
  const indexOf = (at: object | undefined) => (at as { page: number } | undefined)?.page ?? 0;

  /** Reads a list whose contents may differ with every request, 100 to a page. */
  async function read(
    listAt: (request: number) => number[],
    { totals = true, most = 100, ignorePages = false } = {},
  ) {
    const asked: number[] = [];
    const items = await wholeList<number>({
      ...NUMBERED_LIST,
      page: (at): Promise<Page<number>> => {
        const index = indexOf(at);
        const list = listAt(asked.push(index));
        const page = ignorePages ? list : list.slice(index * most, (index + 1) * most);
        return Promise.resolve({
          items: page,
          ...(totals ? { total: list.length } : { style: "array" as const }),
        });
      },
    });
    return { items, asked };
  }

  test.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [1_000, 10],
  ])("of %i entries takes %i requests when totals are told", async (count, requests) => {
    expect(await read(() => numbers(count))).toEqual({ items: numbers(count), asked: numbers(requests) });
  });

  test.each([
    [0, 1],
    [99, 2],
    [100, 2],
    [101, 3],
    [200, 3],
  ])(
    "of %i entries takes %i requests when they are not: an empty page is the end",
    async (count, requests) => {
      const result = await read(() => numbers(count), { totals: false });
      expect(result).toEqual({ items: numbers(count), asked: numbers(requests) });
    },
  );

  test("pages after the first are asked for at once when totals are told", async () => {
    let open = 0;
    let mostOpen = 0;
    await wholeList<number>({
      ...NUMBERED_LIST,
      page: async (at) => {
        const index = indexOf(at);
        mostOpen = Math.max(mostOpen, ++open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
        return { items: numbers(100, index * 100), total: 500 };
      },
    });
    expect(mostOpen).toBe(4);
  });

  test("is read with a bounded look-ahead, which ends with the first failure", async () => {
    let open = 0;
    let mostOpen = 0;
    const asked: number[] = [];
    const reading = (failAt: number) =>
      wholeList<number>({
        ...NUMBERED_LIST,
        page: async (at) => {
          const index = indexOf(at);
          asked.push(index);
          mostOpen = Math.max(mostOpen, ++open);
          await new Promise((resolve) => setTimeout(resolve, 1));
          open--;
          if (index === failAt) throw new Error("lost");
          return { items: numbers(100, index * 100), total: 10_000 };
        },
      });
    expect(await reading(-1)).toEqual(numbers(10_000));
    expect(mostOpen).toBe(16);
    asked.length = 0;
    expect((await failure(reading(20))).message).toBe("lost");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(Math.max(...asked)).toBeLessThan(20 + 2 * 16);
  });

  test.each([
    [
      { items: numbers(100), total: 2_000_000 },
      `has at least 2000000 entries, and at most ${MOST_ENTRIES} are read`,
    ],
    [{ items: numbers(1), total: 50_000 }, `has at least 50000 pages, and at most ${MOST_PAGES} are read`],
  ])("of too many entries is refused before more is asked for", async (first, message) => {
    let asked = 0;
    const page = () => Promise.resolve((asked++, first));
    const error = await failure(wholeList({ ...NUMBERED_LIST, page }));
    expect(error.message).toBe(
      `GET /things ${message}: the answers don't seem to be the service's. Check that the domain is the tenant's own.`,
    );
    expect(asked).toBe(1);
  });

  test.each([true, false])("whose pages hold more than was said is given up (totals: %s)", async (totals) => {
    let asked = 0;
    const page = (at?: object) => {
      const index = indexOf(at);
      asked++;
      const items = index === 0 ? numbers(100) : numbers(2_000, index * 2_000);
      return Promise.resolve({ items, ...(totals ? { total: 60_000 } : { style: "array" as const }) });
    };
    const error = await failure(wholeList({ ...NUMBERED_LIST, page }));
    expect(error.message).toMatch(/^GET \/things has at least 10\d{5} entries/);
    expect(asked).toBeLessThan(560);
  });

  test("that shrinks between two pages is read again, so that no entry is missed", async () => {
    // Entry 100 moves to the first page after that page was read.
    const after = numbers(150).filter((n) => n !== 0);
    const { items, asked } = await read((request) => (request === 1 ? numbers(150) : after));
    expect(items).toEqual(after);
    expect(asked).toEqual([0, 1, 0, 1]);
  });

  test("that grows between two pages is read again, so that no entry is doubled or missed", async () => {
    const after = [999, ...numbers(200)];
    const { items, asked } = await read((request) => (request === 1 ? numbers(200) : after));
    expect(items).toEqual(after);
    expect(asked).toEqual([0, 1, 0, 1, 2]);
  });

  test("whose order changes between two pages is read again", async () => {
    const turned = numbers(150).reverse();
    const { items, asked } = await read((request) => (request === 1 ? numbers(150) : turned));
    expect(items).toEqual(turned);
    expect(asked).toEqual([0, 1, 0, 1]);
  });

  test("without totals is read again when an entry appears twice", async () => {
    const after = [999, ...numbers(150)];
    const { items } = await read((request) => (request === 1 ? numbers(150) : after), { totals: false });
    expect(items).toEqual(after);
  });

  test("that never stands still fails with what to do", async () => {
    const reading = read((request) => numbers(200 + request));
    await expect(reading).rejects.toThrow(
      "The pages of GET /things did not fit together, 3 times in a row: the list is being changed while it is read. " +
        "Run this again.",
    );
  });

  test("may put less on a page than it was asked for, of which the others are then asked for", async () => {
    const items = (at: object | undefined) => entriesAt(at, 120, 50).slice(0, 50);
    expect(await readOf(NUMBERED_LIST, (at) => ({ items: items(at), total: 120 }))).toEqual({
      items: numbers(120),
      asked: [0, [1, 50], [2, 50]],
    });
    expect(await readOf(NUMBERED_LIST, (at) => ({ items: items(at), style: "array" }))).toEqual({
      items: numbers(120),
      asked: [0, [1, 50], [2, 50], [3, 50]],
    });
  });

  test("may repeat an entry, which is given once", async () => {
    const repeated = [...numbers(120), 7];
    expect((await read(() => repeated)).items).toEqual(numbers(120));
  });

  test("may ignore page numbers, if it answers more than was asked for", async () => {
    expect((await read(() => numbers(250), { ignorePages: true })).asked).toEqual([0]);
    const withoutTotals = await read(() => numbers(250), { ignorePages: true, totals: false });
    expect(withoutTotals).toEqual({ items: numbers(250), asked: [0, 1] });
  });
});

describe("a list that says of itself otherwise than is documented", () => {
  test("is followed by a cursor, where a numbered list has one", async () => {
    const pages: Record<string, Page<number>> = {
      first: { items: numbers(50), next: "a" },
      a: { items: numbers(50, 50), next: "b" },
      b: { items: [100] },
    };
    const page = (at: object | undefined) => pages[(at as { from?: string } | undefined)?.from ?? "first"]!;
    expect(await readOf(NUMBERED_LIST, page)).toEqual({ items: numbers(101), asked: [0, "a", "b"] });
    expect(await readOf(NUMBERED_LIST, (at) => ({ ...page(at), total: 101 }))).toMatchObject({
      asked: [0, "a", "b"],
    });
    // Only the second page has it.
    const later = (at: object | undefined): Page<number> =>
      at === undefined
        ? { items: [-1], style: "array" as const }
        : "page" in at
          ? { items: numbers(50), next: "a" }
          : page(at);
    const { items, asked } = await readOf(NUMBERED_LIST, later);
    expect([items.length, asked]).toEqual([102, [0, [1, 1], "a", "b"]]);
  });

  test("ends where a numbered list answers an envelope without a cursor or total, as those with a cursor do", async () => {
    expect(await readOf(NUMBERED_LIST, () => ({ items: numbers(30) }))).toEqual({
      items: numbers(30),
      asked: [0],
    });
  });

  test("goes on, where an envelope says neither, and is full or tells where it is", async () => {
    for (const style of ["cursor", "numbers"] as const) {
      const { items, asked } = await readOf(NUMBERED_LIST, (at) => ({ items: entriesAt(at, 120), style }));
      expect([items.length, asked]).toEqual([120, [0, [1, 100], [2, 100]]]);
    }
    const short = await readOf(NUMBERED_LIST, (at) => ({ items: entriesAt(at, 30), style: "numbers" }));
    expect(short).toEqual({ items: numbers(30), asked: [0, [1, 30]] });
    // Ignored page numbers, and no cursor: this is everything.
    const full = await readOf(NUMBERED_LIST, () => ({ items: numbers(100), style: "cursor" }));
    expect(full).toEqual({ items: numbers(100), asked: [0, [1, 100]] });
  });

  test("is asked for by number, where a list with a cursor has a total and none", async () => {
    const page = (at: object | undefined) => ({ items: entriesAt(at, 120, 50), total: 120 });
    expect(await readOf(CURSOR_LIST, page)).toEqual({ items: numbers(120), asked: [0, [1, 50], [2, 50]] });
  });

  test("goes on by number, where a list with a cursor answers the envelope of a numbered one", async () => {
    const page = (at: object | undefined): Page<number> => ({ items: entriesAt(at, 120), style: "numbers" });
    expect(await readOf(CURSOR_LIST, page)).toEqual({ items: numbers(120), asked: [0, [1, 100], [2, 100]] });
  });

  test.each([CURSOR_LIST, NUMBERED_LIST])(
    "ends where it says that there is no more: $isNumbered",
    async (list) => {
      const { items, asked } = await readOf(list, (at) => {
        const index = (at as { page: number } | undefined)?.page ?? 0;
        return { items: numbers(100, 100 * index), style: "numbers", hasMore: index < 2 };
      });
      expect([items.length, asked]).toEqual([300, [0, [1, 100], [2, 100]]]);
    },
  );

  test("has the total of its first page, whatever the later ones say", async () => {
    const { items, asked } = await readOf(NUMBERED_LIST, (at) => {
      const index = (at as { page: number } | undefined)?.page ?? 0;
      return { items: numbers(250).slice(100 * index, 100 * index + 100), total: index === 0 ? 250 : 0 };
    });
    expect([items.length, asked.length]).toEqual([250, 3]);
  });

  test("is read to an empty page, where the total is less than is there", async () => {
    const { items, asked } = await readOf(NUMBERED_LIST, (at) => ({
      items: at === undefined ? numbers(50) : [],
      total: 0,
    }));
    expect([items.length, asked]).toEqual([50, [0, [1, 50]]]);
  });
});

describe("a list that can't be read whole is an error, which knows what was read", () => {
  test.each([
    ["numbered", NUMBERED_LIST],
    ["with a cursor", CURSOR_LIST],
  ])("%s: its total says that there is more, and nothing else comes", async (_, list) => {
    const { items, asked, incomplete } = await readOf(list, () => ({ items: numbers(50), total: 120 }));
    expect(items).toEqual(numbers(50));
    expect(incomplete).toBe(
      "GET /things can't be read whole: it counts 120 entries, and answers 50. " +
        "Run this again; if it stays so, ask the service's support.",
    );
    expect(asked).toHaveLength(6);
  });

  test("with a cursor: its total says that there is more, and page numbers are refused", async () => {
    const { items, asked, incomplete } = await readOf(CURSOR_LIST, (at) => {
      if (at !== undefined) throw refusal("Additional properties not allowed: page");
      return { items: numbers(50), total: 1_200 };
    });
    expect(items).toEqual(numbers(50));
    // Once in each of two readings, not for each page that the total promises.
    expect(asked).toEqual([0, [1, 50], 0, [1, 50]]);
    expect(incomplete).toMatch(
      /^GET \/things can't be read whole: it counts 1200 entries, and answers 50\. /,
    );
  });

  test("numbered: the same page for each number, without a total", async () => {
    const { items, asked, incomplete } = await readOf(NUMBERED_LIST, () => ({
      items: numbers(50),
      style: "array" as const,
    }));
    expect(items).toEqual(numbers(50));
    expect(incomplete).toMatch(
      /it answers the same 50 entries for the next page, and not how many there are\./,
    );
    expect(asked).toHaveLength(4);
  });

  test.each([true, false])("numbered: the service ends it (totals: %s)", async (totals) => {
    const { items, incomplete } = await readOf(NUMBERED_LIST, (at) => {
      const index = (at as { page: number } | undefined)?.page ?? 0;
      if (index >= 10) throw refusal("You can only page through the first 1000 records.");
      return {
        items: numbers(100, 100 * index),
        ...(totals ? { total: 1_200 } : { style: "array" as const }),
      };
    });
    expect(items).toEqual(numbers(1_000));
    expect(incomplete).toBe(
      `GET /things can't be read whole: after 1000${totals ? " of 1200" : ""} entries it answered 400: You can only ` +
        "page through the first 1000 records. Running this again won't help: ask the service's support.",
    );
  });

  test.each([
    ["on the first page", {}],
    ["on a later one", { next: "a" }],
  ])("with a cursor: it says that there is more, and not where, %s", async (_, first) => {
    const { items, incomplete } = await readOf(CURSOR_LIST, (at) => {
      if (at !== undefined && "page" in at) throw refusal("Additional properties not allowed: page");
      const isFirst = at === undefined;
      return { items: numbers(50, isFirst ? 0 : 50), ...(isFirst && first), hasMore: true };
    });
    expect(items).toEqual(numbers("next" in first ? 100 : 50));
    expect(incomplete).toMatch(/^GET \/things can't be read whole: /);
  });

  test("numbered: it says that there is more, and repeats itself", async () => {
    const { items, incomplete } = await readOf(NUMBERED_LIST, () => ({
      items: numbers(50),
      style: "cursor",
      hasMore: true,
    }));
    expect(items).toEqual(numbers(50));
    expect(incomplete).toMatch(/it answers the same 50 entries for the next page/);
  });

  test("with a cursor: the service does not take its own cursor", async () => {
    const { items, incomplete } = await readOf(CURSOR_LIST, (at) => {
      if (at !== undefined) throw refusal("Invalid cursor");
      return { items: numbers(100), next: "a" };
    });
    expect(items).toEqual(numbers(100));
    expect(incomplete).toMatch(/after 100 entries it answered 400: Invalid cursor\. Run this again;/);
  });

  test("a page that fails otherwise is that failure", async () => {
    const lost = new Error("lost");
    const reading = readOf(NUMBERED_LIST, (at) => {
      if (at !== undefined) throw lost;
      return { items: numbers(100), total: 200 };
    });
    expect(await failure(reading)).toBe(lost);
    expect(await failure(readOf(NUMBERED_LIST, () => Promise.reject(lost) as never))).toBe(lost);
    expect(new IncompleteListError("GET /things", "it ends", [1], "").part).toEqual([1]);
  });
});
