import { type Progress, singleReads } from "../../../provider/resources/connection-profile/read-policy";
import fc, { FIXED_SEED, NEW_SEED } from "../../properties";
import {
  cheaper,
  pagesOf,
  PER_PAGE,
  type Refresh,
  refreshes,
  refreshOf,
  type RefreshShape,
} from "./refresh-order";

const MOST_PROFILES = 2_000;

interface Count {
  requests: number;
  /** Whether pages showed what had been read singly before. */
  isLate: boolean;
  /** Whether at each choice pages had shown at least one of those asked for each. */
  paysItsWay: boolean;
}

/** A refresh by an engine that asks for the next profile as soon as one is answered, as far as it has room. */
function refresh({ asks, listed, bursts }: Refresh): Count {
  const pagesOfList = pagesOf({ listed });
  const progress: Progress = {
    asked: 0,
    found: 0,
    waiting: 0,
    pages: 0,
    late: 0,
    hasNext: true,
    askedBefore: 0,
  };
  let waiting: number[] = [];
  let paysItsWay = true;
  const readSingly: number[] = [];
  const isListed = (place: number) => place < progress.pages * PER_PAGE;
  for (let turn = 0; ; turn++) {
    const room = bursts[turn % bursts.length] as number;
    while (waiting.length < room && progress.asked < asks.length) {
      const place = asks[progress.asked++] as number;
      if (isListed(place)) progress.found++;
      else waiting.push(place);
    }
    if (waiting.length === 0)
      return { requests: progress.pages + readSingly.length, isLate: progress.late > 0, paysItsWay };
    if (progress.found < progress.pages) paysItsWay = false;
    const singly = singleReads({ ...progress, waiting: waiting.length });
    if (singly > 0) {
      progress.askedBefore = progress.asked;
      readSingly.push(...waiting.slice(0, singly));
      waiting = waiting.slice(singly);
    } else {
      progress.pages++;
      progress.hasNext = progress.pages < pagesOfList;
      const missing = waiting.filter((place) => !isListed(place));
      progress.found += waiting.length - missing.length;
      progress.late = readSingly.filter(isListed).length;
      waiting = missing;
    }
  }
}

const requestsOf = (count: number, listed: number, shape: Partial<RefreshShape> = {}) =>
  refresh(refreshOf(count, listed, shape)).requests;

describe.each([
  ["the fixed seed", FIXED_SEED],
  ["a new seed", NEW_SEED],
])("any refresh, %s", (_which, seed) => {
  const check = (property: (refresh: Refresh) => void) =>
    fc.assert(fc.property(refreshes(MOST_PROFILES), property), { seed, numRuns: 100 });

  test("takes less than 1.3 requests a profile, or 4 for three; two more if a page shows what was read before", () => {
    check((one) => {
      const { requests, isLate } = refresh(one);
      const count = one.asks.length;
      if (isLate) expect(requests).toBeLessThan(1.3 * count + 2);
      else if (count === 3) expect(requests).toBeLessThanOrEqual(4);
      else expect(requests).toBeLessThan(1.3 * count);
    });
  });

  test("takes less than 4.34 requests a page of the list", () => {
    check((one) => expect(refresh(one).requests).toBeLessThan(4.34 * pagesOf(one)));
  });

  test("takes at most two more than the list has pages, if the pages pay their way", () => {
    check((one) => {
      const { requests, paysItsWay } = refresh(one);
      if (paysItsWay) expect(requests).toBeLessThanOrEqual(pagesOf(one) + 2);
    });
  });

  test("of all at once reads the list and nothing else, if it has less than 0.3 pages a profile", () => {
    check((one) => {
      fc.pre(one.asks.length > 2 && pagesOf(one) < 0.3 * one.asks.length);
      expect(refresh({ ...one, bursts: [Infinity] }).requests).toBeLessThanOrEqual(pagesOf(one));
    });
  });

  test("in the order of a list with three profiles or more a page takes at most two more than that has pages", () => {
    const dense = fc.record({
      pages: fc.array(fc.integer({ min: 3, max: PER_PAGE }), { minLength: 1, maxLength: 200 }),
      bursts: fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 }),
    });
    fc.assert(
      fc.property(dense, ({ pages, bursts }) => {
        const asks = pages.flatMap((size, page) =>
          Array.from({ length: size }, (_, i) => page * PER_PAGE + i),
        );
        const { requests, paysItsWay } = refresh({ asks, listed: pages.length * PER_PAGE, bursts });
        expect(paysItsWay).toBe(true);
        expect(requests).toBeLessThanOrEqual(pages.length + 2);
      }),
      { seed, numRuns: 100 },
    );
  });

  test("in the order of the list, and of profiles that are spread evenly, takes at most 1.3 times what is cheaper, and 2", () => {
    const even = fc.record({
      count: fc.integer({ min: 1, max: MOST_PROFILES }),
      times: fc.oneof(fc.constant(1), fc.double({ min: 1, max: 100, noNaN: true })),
      parallel: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 64 })),
    });
    fc.assert(
      fc.property(even, ({ count, times, parallel }) => {
        const one = refreshOf(count, Math.floor(count * times), { places: "even", parallel });
        expect(refresh(one).requests).toBeLessThanOrEqual(1.3 * cheaper(one) + 2);
      }),
      { seed, numRuns: 100 },
    );
  });
});

describe("without the token", () => {
  test.each([1, 2, 4, 8, 16, 64, Infinity])("--parallel %d", (parallel) => {
    const first = { parallel };
    const few = Math.min(parallel, 3) === 3 ? 0 : 2;
    expect(requestsOf(200, 200, first)).toBe(20 + few);
    expect(requestsOf(500, 500, first)).toBe(50 + few);
    expect(requestsOf(2_000, 2_000, first)).toBe(200 + few);
    for (const places of ["last", "even", "clustered"] as const) {
      expect(requestsOf(10, 10_000, { places, parallel })).toBeLessThanOrEqual(12);
      expect(requestsOf(20, 600, { places, parallel })).toBeLessThanOrEqual(25);
    }
  });

  test("one or two profiles are read singly", () => {
    expect(requestsOf(1, 1)).toBe(1);
    expect(requestsOf(2, 2)).toBe(2);
    expect(requestsOf(2, 200)).toBe(2);
  });

  test("what the bound costs: many profiles behind others, few at a time", () => {
    expect(requestsOf(200, 600, { places: "last", parallel: 16 })).toBe(228);
    expect(requestsOf(200, 600, { places: "last", parallel: Infinity })).toBe(60);
  });
});
