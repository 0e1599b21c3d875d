import { type FaultAction } from "../../simulator";
import { Engine, type Run, RunFailed } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { profiles } from "../../testkit/programs";
import fc, { NEW_SEED } from "../../testkit/properties";
import { useTenant } from "../../testkit/tenant";

/* The requests of a refresh of profiles: ten a page where it has many, one each where it has few. */

const tenant = useTenant();
catchLines();

const LIST = "/api/v2/connection-profiles";
const TOKEN_PATH = "/oauth/token*";

/** A stack of profiles, on a tenant that has others before them. */
async function stackOf(count: number, others = 0, parallel = 16): Promise<Engine> {
  tenant.seed({
    connection_profiles: Array.from({ length: others }, (_, n) => ({
      id: `cop_${String(n).padStart(22, "a")}`,
      name: `theirs ${n}`,
    })),
  });
  const engine = new Engine(tenant, { startHost: inProcess, parallel });
  await engine.up(profiles(count));
  tenant.sent();
  return engine;
}

async function refreshed(engine: Engine): Promise<Run & { sent: string[] }> {
  const run = await engine.refresh().catch((error: unknown) => {
    if (error instanceof RunFailed) return error.run;
    throw error;
  });
  const sent = tenant
    .sent()
    .filter((line) => line.includes("/connection-profiles"))
    .map((line) => line.replace(/^GET \S*\?\S*/, "page").replace(/^GET \S+/, "profile"));
  return { ...run, sent };
}

test.each([
  ["all profiles, two at a time", 60, 0, 2, 6 + 2],
  ["all profiles", 60, 0, 16, 6],
  ["a few among many", 10, 1_000, 16, 12],
  ["two, singly", 2, 200, 16, 2],
])("%s", async (_title, count, others, parallel, most) => {
  const { steps, sent } = await refreshed(await stackOf(count, others, parallel));
  expect(steps).toEqual([]);
  expect(sent.length).toBeLessThanOrEqual(most);
});

test("whatever there is, and however many at a time, requests stay within the bounds that BulkReads names", () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom(1, 2, 8, 16, 100),
      async (count, others, parallel) => {
        const { steps, sent } = await refreshed(await stackOf(count, others, parallel));
        expect(steps).toEqual([]);
        expect(sent.length).toBeLessThan(count === 3 ? 5 : 1.3 * count);
        expect(sent.length).toBeLessThan(4.34 * Math.ceil((count + others) / 10));
      },
    ),
    { seed: NEW_SEED, numRuns: 10 },
  ));

test("a profile that is not in the list is gone only when its own 404 says so", async () => {
  const engine = await stackOf(5);
  await tenant.outside("DELETE", `/connection-profiles/${engine.resource("p3").id}`);
  tenant.sent();
  const { steps, sent } = await refreshed(engine);
  expect(steps).toEqual(["gone p3"]);
  expect(sent).toEqual(["page 200", "profile 404"]);
});

describe("a list that fails", () => {
  test.each<[string, FaultAction]>([
    ["is refused", { status: 403 }],
    ["can't be read", { garbage: "html" }],
    ["is not what the service documents", { status: 200, body: { connection_profiles: [{ id: 7 }] } }],
  ])("because it %s is asked for once, and profiles are read singly", async (_why, action) => {
    const engine = await stackOf(30);
    tenant.fail({ method: "GET", path: LIST, times: 99, action });
    const { errors, sent } = await refreshed(engine);
    expect(errors).toEqual([]);
    expect(sent.filter((line) => line.startsWith("page"))).toHaveLength(1);
    expect(sent).toHaveLength(31);
  });

  test("on a later page keeps what earlier ones have shown", async () => {
    const engine = await stackOf(30);
    tenant.fail({ path: LIST, action: { delay: 0 } }, { path: LIST, action: { status: 400 } });
    const { errors, sent } = await refreshed(engine);
    expect(errors).toEqual([]);
    expect(sent).toHaveLength(22);
  });

  const SCOPE = { statusCode: 403, error: "Forbidden", message: "No.", errorCode: "insufficient_scope" };
  test.each<[string, string, FaultAction, string[], string]>([
    ["with 404", `${LIST}*`, { status: 404 }, ["page 404"], "names no object that could be missing"],
    [
      "for want of the scope",
      `${LIST}*`,
      { status: 403, body: SCOPE },
      ["page 403"],
      "read:connection_profiles",
    ],
    ["for want of a token", TOKEN_PATH, { status: 400, body: { error: "no" } }, [], "gave no token"],
  ])("%s fails all reads, and no other request follows", async (_why, path, action, expected, error) => {
    const engine = await stackOf(30);
    tenant.fail({ path, times: 99, action });
    const { errors, sent } = await refreshed(engine);
    expect(errors).toHaveLength(30);
    expect(errors.join()).toContain(error);
    expect(sent).toEqual(expected);
    expect(engine.state.size).toBe(30);
  });
});
