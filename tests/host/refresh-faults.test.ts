import { GROUP_ADMINS, OTHER_ROLE_ID } from "../../simulator/default-seed";
import { type Fault } from "../../simulator";
import { assignment, Engine, failed, profile, type Program } from "../../testkit/engine";
import { useTenant } from "../../testkit/tenant";

/*
 * Two faults in a row on a request of a refresh, of which tests/faults draws others. Nothing may leave state
 * unless the service itself says that this very object doesn't exist.
 */

const tenant = useTenant();

const HTML = { "content-type": "text/html" };
const GATEWAY: Fault["action"] = { status: 504, headers: HTML, body: "<h1>Gateway</h1>" };
const NOT_FOUND: Fault["action"] = { status: 404 };
const PAIRS: [string, Fault["action"], Fault["action"]][] = [
  ["504 as HTML, then 404", GATEWAY, NOT_FOUND],
  ["503, then 404 as HTML", { status: 503 }, { status: 404, headers: HTML, body: "<h1>Not found</h1>" }],
];

const several = (): Program =>
  Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, profile({ name })]));

async function refreshed(program: Program, path: string, first: Fault["action"], last: Fault["action"]) {
  const engine = new Engine(tenant);
  await engine.up(program);
  tenant.clear();
  tenant.fail({ method: "GET", path, action: first }, { method: "GET", path, action: last });
  const run = await engine.refresh().catch((error: unknown) => (error as { run: { errors: string[] } }).run);
  return { state: [...engine.state.keys()].sort(), errors: run.errors };
}

describe("the list of all profiles", () => {
  test.each(PAIRS)("%s: every profile stays in state", async (_, first, last) => {
    const { state } = await refreshed(several(), "/api/v2/connection-profiles", first, last);
    expect(state).toEqual(["a", "b", "c", "d"]);
  });

  test("the 404 of the list after an answer that was lost is the error of each", async () => {
    const engine = new Engine(tenant);
    await engine.up(several());
    tenant.clear();
    tenant.fail(
      { method: "GET", action: { drop: "before" } },
      { method: "GET", times: 100, action: { status: 404 } },
    );
    const { errors } = await failed(engine.refresh());
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatch(/answered 404.* names no object that could be missing/);
    expect([...engine.state.keys()].sort()).toEqual(["a", "b", "c", "d"]);
  });
});

describe.each([
  ["a profile", { a: profile({ name: "a" }) }, "/api/v2/connection-profiles/*"],
  [
    "the groups of a role",
    { a: assignment({ roleId: OTHER_ROLE_ID, groupIds: [GROUP_ADMINS] }) },
    "/api/v2/roles/*",
  ],
])("%s itself", (_, program: Program, path) => {
  test.each(PAIRS)("%s", async (_, first, last) => {
    const { state, errors } = await refreshed(program, path, first, last);
    // The service says, in its own words, that the object is gone.
    const isGone = last === NOT_FOUND;
    expect(state).toEqual(isGone ? [] : ["a"]);
    expect(errors).toHaveLength(isGone ? 0 : 1);
  });
});
