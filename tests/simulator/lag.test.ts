import { ALL_SCOPES } from "../../simulator/default-seed";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* Reads that lag behind writes: README.md, "Switches of `behaviour`". */

const PROFILE = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const GROUP = "grp_7TqWc2nYx5RkHbVd9sPmZa";

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() =>
  simulator.seed({
    behaviour: { read_lag: 2 },
    tokens: [{ access_token: "all", scope: ALL_SCOPES }],
    groups: [{ id: GROUP }],
    roles: [{ id: "rol_1" }],
    connection_profiles: [{ id: PROFILE, name: "before" }],
  }),
);

/** Returns the results of this many reads, one after the other. */
async function reads(path: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const { status, body } = await api("GET", path);
    const { name, groups } = body as { name?: string; groups?: unknown[] };
    seen.push(name ?? groups?.length ?? status);
  }
  return seen;
}

test("a change is answered, and shown by the third read", async () => {
  const path = `/connection-profiles/${PROFILE}`;
  expect(await api("PATCH", path, { name: "after" })).toMatchObject({ status: 200, body: { name: "after" } });
  expect(await reads(path)).toEqual(["before", "before", "after"]);
});

test("so is a create, which answers 404 before", async () => {
  const { status, body } = await api("POST", "/connection-profiles", { name: "new" });
  expect(status).toBe(201);
  expect(await reads(`/connection-profiles/${(body as { id: string }).id}`)).toEqual([404, 404, "new"]);
});

test("and a delete, whose object is still there before", async () => {
  expect(await api("DELETE", `/connection-profiles/${PROFILE}`)).toMatchObject({ status: 204 });
  expect(await reads(`/connection-profiles/${PROFILE}`)).toEqual(["before", "before", 404]);
});

test("and the groups of a role", async () => {
  expect(await api("POST", "/roles/rol_1/groups", { groups: [GROUP] })).toMatchObject({ status: 204 });
  expect(await reads("/roles/rol_1/groups")).toEqual([0, 0, 1]);
});
