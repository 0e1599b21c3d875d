import { outcomeOf } from "../../provider/http/errors";
import {
  allOffsetPages,
  allPages,
  eachOnce,
  MOST_ENTRIES,
  MOST_IDLE_PAGES,
  MOST_PAGES,
  type OffsetPage,
} from "../../provider/http/pages";
import { failure } from "./tenant";

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

  test("has each entry once, as it was read last", () => {
    const twice = [{ id: "a", name: "old" }, { id: "b" }, { id: "a", name: "new" }];
    expect(eachOnce(twice)).toEqual([{ id: "a", name: "new" }, { id: "b" }]);
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
    // A page that is empty now and then is no end of it.
    expect(await endless((page) => (page % 50 === 0 ? Array(50_000).fill(page) : []) as number[])).toContain(
      "entries",
    );
  });
});

describe("a list with page numbers", () => {
  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => i + from);

  /** Reads a list whose contents may differ with every request, 100 to a page. */
  async function read(
    listAt: (request: number) => number[],
    { totals = true, most = 100, ignorePages = false } = {},
  ) {
    const asked: number[] = [];
    const items = await allOffsetPages<number>({
      name: "GET /things",
      page: (index): Promise<OffsetPage<number>> => {
        const list = listAt(asked.push(index));
        const page = ignorePages ? list : list.slice(index * most, (index + 1) * most);
        return Promise.resolve({ items: page, ...(totals && { total: list.length }) });
      },
      keyOf: String,
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
    [99, 1],
    [100, 2],
    [101, 2],
    [200, 3],
  ])("of %i entries takes %i requests when they are not", async (count, requests) => {
    const result = await read(() => numbers(count), { totals: false });
    expect(result).toEqual({ items: numbers(count), asked: numbers(requests) });
  });

  test("pages after the first are asked for at once when totals are told", async () => {
    let open = 0;
    let mostOpen = 0;
    await allOffsetPages<number>({
      name: "GET /things",
      page: async (index) => {
        mostOpen = Math.max(mostOpen, ++open);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
        return { items: numbers(100, index * 100), total: 500 };
      },
      keyOf: String,
    });
    expect(mostOpen).toBe(4);
  });

  test("is read with a bounded look-ahead, which ends with the first failure", async () => {
    let open = 0;
    let mostOpen = 0;
    const asked: number[] = [];
    const reading = (failAt: number) =>
      allOffsetPages<number>({
        name: "GET /things",
        page: async (index) => {
          asked.push(index);
          mostOpen = Math.max(mostOpen, ++open);
          await new Promise((resolve) => setTimeout(resolve, 1));
          open--;
          if (index === failAt) throw new Error("lost");
          return { items: numbers(100, index * 100), total: 10_000 };
        },
        keyOf: String,
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
    const error = await failure(allOffsetPages({ name: "GET /things", page, keyOf: String }));
    expect(error.message).toBe(
      `GET /things ${message}: the answers don't seem to be the service's. Check that the domain is the tenant's own.`,
    );
    expect(asked).toBe(1);
  });

  test.each([true, false])("whose pages hold more than was said is given up (totals: %s)", async (totals) => {
    let asked = 0;
    const page = (index: number) => {
      asked++;
      const items = index === 0 ? numbers(100) : numbers(2_000, index * 2_000);
      return Promise.resolve({ items, ...(totals && { total: 60_000 }) });
    };
    const error = await failure(allOffsetPages({ name: "GET /things", page, keyOf: String }));
    expect(error.message).toMatch(/^GET \/things has at least 10\d{5} entries/);
    expect(asked).toBeLessThan(560);
  });

  test("that shrinks between two pages is read again, so that no entry is missed", async () => {
    // The entry 100 moves to the first page after that page was read.
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

  test("that holds less than its total, always, fails instead of being taken for whole", async () => {
    const reading = allOffsetPages<number>({
      name: "GET /things",
      page: (index) => Promise.resolve({ items: index === 0 ? numbers(100) : [], total: 150 }),
      keyOf: String,
    });
    await expect(reading).rejects.toThrow("did not fit together");
  });

  test("may put less on a page than it was asked for", async () => {
    const { items, asked } = await read(() => numbers(120), { most: 50 });
    expect(items).toEqual(numbers(120));
    expect(asked).toEqual([0, 1, 2]);
  });

  test("may repeat an entry, which is given once", async () => {
    const repeated = [...numbers(120), 7];
    expect((await read(() => repeated)).items).toEqual(numbers(120));
  });

  test("may ignore page numbers", async () => {
    expect((await read(() => numbers(250), { ignorePages: true })).asked).toEqual([0]);
    const withoutTotals = await read(() => numbers(250), { ignorePages: true, totals: false });
    expect(withoutTotals.items).toEqual(numbers(250));
  });
});
