import { GROUP_ADMINS, OTHER_ROLE_ID } from "../../simulator/default-seed";
import { type Fault } from "../../simulator";
import { assignment, Engine, failed, profile, type Program } from "./engine";
import { useTenant } from "./tenant";

/*
 * Two faults in a row on a request of a refresh. Nothing may leave state unless the service itself says that
 * this very object doesn't exist.
 */

const tenant = useTenant();

const HTML = { status: 404, headers: { "content-type": "text/html" }, body: "<h1>Not found</h1>" };
const FIRST: Record<string, Fault["action"]> = {
  lost: { drop: "before" },
  "429": { status: 429, headers: { "retry-after": "0" } },
  "503": { status: 503 },
  "504 as HTML": { status: 504, headers: { "content-type": "text/html" }, body: "<h1>Gateway</h1>" },
};
const LAST: Record<string, Fault["action"]> = {
  "404": { status: 404 },
  "404 as HTML": HTML,
  "403": { status: 403 },
  "500": { status: 500 },
};
const pairs = Object.keys(FIRST).flatMap((first) => Object.keys(LAST).map((last) => [first, last] as const));

const several = (): Program =>
  Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, profile({ name })]));

async function refreshed(program: Program, path: string, first: string, last: string) {
  const engine = new Engine(tenant);
  await engine.up(program);
  tenant.clear();
  tenant.fail(
    { method: "GET", path, action: FIRST[first] as Fault["action"] },
    { method: "GET", path, action: LAST[last] as Fault["action"] },
  );
  const run = await engine.refresh().catch((error: unknown) => (error as { run: { errors: string[] } }).run);
  return { state: [...engine.state.keys()].sort(), errors: run.errors };
}

describe("the list of all profiles", () => {
  test.each(pairs)("%s, then %s: every profile stays in state", async (first, last) => {
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
  test.each(pairs)("%s, then %s", async (first, last) => {
    const { state, errors } = await refreshed(program, path, first, last);
    // The service says, in its own words, that the object is gone.
    expect(state).toEqual(last === "404" ? [] : ["a"]);
    expect(errors).toHaveLength(last === "404" ? 0 : 1);
  });
});
