import { InsufficientScopeError, NotFoundError } from "../../../provider/http/errors";
import { BulkReads } from "../../../provider/resources/connection-profile/profiles-of-run";
import { type FaultAction } from "../../../simulator";
import { DEFAULT_SEED } from "../../../simulator/default-seed";
import { closeAll, startTenant } from "../../../testkit/client";
import fc, { NEW_SEED } from "../../../testkit/properties";
import { pagesOf, PER_PAGE, type Refresh, refreshes, refreshOf, type RefreshShape } from "./refresh-order";

afterEach(closeAll);

const LIST = "/api/v2/connection-profiles";
const idOf = (place: number) =>
  `cop_${String(place + 1)
    .replaceAll("0", "a")
    .padStart(22, "z")}`;
const profilesOf = (listed: number) =>
  Array.from({ length: listed }, (_, place) => ({ id: idOf(place), name: `profile ${place}` }));

async function startTenantOf(listed: number) {
  const tenant = await startTenant({ seed: { ...DEFAULT_SEED, connection_profiles: profilesOf(listed) } });
  const reads = new BulkReads(tenant.client, () => undefined);
  const sent = () =>
    tenant.simulator
      .requests()
      .filter(({ path }) => path.startsWith(LIST))
      .map(({ method, path, status }) => `${method} ${path.includes("?") ? "page" : "profile"} ${status}`);
  return { ...tenant, reads, sent };
}

/** Reads like the engine: the next as soon as there is room. Returns each result. */
async function readAll(reads: BulkReads, { asks, bursts }: Refresh): Promise<PromiseSettledResult<string>[]> {
  const waiting = new Set<Promise<unknown>>();
  const all: Promise<string>[] = [];
  for (const [i, place] of asks.entries()) {
    const room = bursts[i % bursts.length] as number;
    while (waiting.size >= room) await Promise.race(waiting);
    const read = reads.read(idOf(place)).then(({ name }) => name);
    const done: Promise<unknown> = read.catch(() => undefined).then(() => waiting.delete(done));
    waiting.add(done);
    all.push(read);
  }
  return Promise.allSettled(all);
}

async function requestsOf(count: number, listed: number, shape: Partial<RefreshShape>): Promise<number> {
  const { reads, sent } = await startTenantOf(listed);
  const refresh = refreshOf(count, listed, shape);
  const results = await readAll(reads, refresh);
  expect(results).toEqual(refresh.asks.map((place) => ({ status: "fulfilled", value: `profile ${place}` })));
  return sent().length;
}

describe("requests, without the one for a token", () => {
  test.each([2, 16, Infinity])("of a refresh of all profiles, --parallel %d", async (parallel) => {
    const unseen = parallel < 3 ? 2 : 0;
    expect(await requestsOf(200, 200, { parallel })).toBe(20 + unseen);
  });

  test.each([1, 16])("of a refresh of a few among many, --parallel %d", async (parallel) => {
    expect(await requestsOf(10, 2_000, { parallel, places: "even" })).toBe(12);
    expect(await requestsOf(20, 600, { parallel, places: "last" })).toBe(25);
  });

  test("stay within the bounds that BulkReads names, and each read gets its own profile", async () => {
    await fc.assert(
      fc.asyncProperty(refreshes(60), async (refresh) => {
        const { reads, sent } = await startTenantOf(refresh.listed);
        const results = await readAll(reads, refresh);
        expect(results).toEqual(
          refresh.asks.map((place) => ({ status: "fulfilled", value: `profile ${place}` })),
        );
        const { length } = refresh.asks;
        expect(sent().length).toBeLessThan(length === 3 ? 5 : 1.3 * length);
        expect(sent().length).toBeLessThan(4.34 * pagesOf(refresh));
        if (length < 3) expect(sent()).toEqual(refresh.asks.map(() => "GET profile 200"));
        await closeAll();
      }),
      { seed: NEW_SEED, numRuns: 15 },
    );
  });
});

test("in the order of a list with three profiles or more a page, at most two more than that has pages", async () => {
  const dense = fc.record({
    pages: fc.array(fc.integer({ min: 3, max: PER_PAGE }), { minLength: 1, maxLength: 12 }),
    bursts: fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(dense, async ({ pages, bursts }) => {
      const { reads, sent } = await startTenantOf(pages.length * PER_PAGE);
      const asks = pages.flatMap((size, page) => Array.from({ length: size }, (_, i) => page * PER_PAGE + i));
      await readAll(reads, { asks, listed: pages.length * PER_PAGE, bursts });
      expect(sent().length).toBeLessThanOrEqual(pages.length + 2);
      await closeAll();
    }),
    { seed: NEW_SEED, numRuns: 10 },
  );
});

test("a profile is read once, however often it is asked for", async () => {
  const { reads, sent } = await startTenantOf(1);
  await Promise.all([reads.read(idOf(0)), reads.read(idOf(0))]);
  await reads.read(idOf(0));
  expect(sent()).toEqual(["GET profile 200"]);
});

test("a profile that is not in the list is gone only when its own 404 says so", async () => {
  const { reads, sent } = await startTenantOf(4);

  const results = await readAll(reads, { asks: [0, 1, 2, 3, 7], listed: 4, bursts: [5] });

  expect(results.map(({ status }) => status)).toEqual([...Array<string>(4).fill("fulfilled"), "rejected"]);
  expect((results[4] as PromiseRejectedResult).reason).toBeInstanceOf(NotFoundError);
  expect(sent()).toEqual(["GET page 200", "GET profile 404"]);
});

describe("a list that fails", () => {
  test.each<[string, FaultAction]>([
    ["is refused", { status: 403 }],
    ["can't be read", { garbage: "html" }],
    ["is not what the service documents", { status: 200, body: { connection_profiles: [{ id: 7 }] } }],
  ])("because it %s is asked for once, and profiles are read singly", async (_why, action) => {
    const { simulator, reads, sent } = await startTenantOf(30);
    simulator.fail({ method: "GET", path: LIST, times: 99, action });

    const results = await readAll(reads, refreshOf(30, 30, { parallel: 8 }));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["fulfilled"]));
    const pages = sent().filter((line) => line.startsWith("GET page"));
    expect(pages).toHaveLength(1);
    expect(sent()).toHaveLength(31);
  });

  test("on a later page keeps what earlier ones have shown", async () => {
    const { simulator, reads, sent } = await startTenantOf(30);
    simulator.fail({ path: LIST, action: { delay: 0 } }, { path: LIST, action: { status: 400 } });

    const results = await readAll(reads, refreshOf(30, 30, { parallel: 8 }));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(["fulfilled"]));
    expect(sent()).toHaveLength(22);
  });

  test("with 404 fails the reads: if there is no list, the 404 of a profile would not say that it is gone", async () => {
    const { simulator, reads, sent } = await startTenantOf(30);
    simulator.fail({ method: "GET", path: `${LIST}*`, times: 99, action: { status: 404 } });

    const results = await readAll(reads, refreshOf(30, 30, { parallel: 8 }));

    for (const result of results) {
      expect((result as PromiseRejectedResult).reason).not.toBeInstanceOf(NotFoundError);
      expect(String((result as PromiseRejectedResult).reason)).toContain(
        "names no object that could be missing",
      );
    }
    expect(sent()).toEqual(["GET page 404"]);
  });

  test("for want of the scope, which profiles need as well, fails the reads", async () => {
    const { simulator, reads, sent } = await startTenantOf(30);
    const body = { statusCode: 403, error: "Forbidden", message: "No.", errorCode: "insufficient_scope" };
    simulator.fail({ method: "GET", path: `${LIST}*`, times: 99, action: { status: 403, body } });

    const results = await readAll(reads, refreshOf(30, 30, { parallel: 8 }));

    for (const result of results) {
      expect((result as PromiseRejectedResult).reason).toBeInstanceOf(InsufficientScopeError);
    }
    expect(sent()).toEqual(["GET page 403"]);
  });

  test("because nothing could be sent fails the reads that wait, and no other request follows", async () => {
    const { simulator, reads } = await startTenantOf(5);
    simulator.fail({ path: "/oauth/token*", times: 99, action: { status: 400, body: { error: "no" } } });

    const results = await readAll(reads, refreshOf(5, 5, { parallel: 5 }));

    expect(results.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
    expect(simulator.requests().filter(({ path }) => path.startsWith(LIST))).toEqual([]);
    expect(new Set(results.map((result) => (result as PromiseRejectedResult).reason as unknown)).size).toBe(
      1,
    );
  });
});
