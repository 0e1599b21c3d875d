import { type BehaviourInput } from "../../simulator/index";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* Lists as real tenants have them: README.md, "Lists, and groups that are refused". */

const numbered = (index: number) => String(index + 111).replaceAll("0", "Z");
const GROUPS = Array.from({ length: 120 }, (_, index) => ({ id: `grp_AAAAAAAAAAAA${numbered(index)}` }));
const ROLES = Array.from({ length: 120 }, (_, index) => ({ id: `rol_${index}` }));
const USER = "auth0|1";

const simulator = useSimulator();
const api = caller(simulator, "all");

function behave(behaviour: BehaviourInput): void {
  simulator.seed({
    behaviour,
    tokens: [{ access_token: "all", scope: "read:roles read:users read:group_roles" }],
    groups: GROUPS,
    roles: [...ROLES, { id: "rol_all", groups: GROUPS.map(({ id }) => id) }],
    users: [{ user_id: USER }],
  });
}

/** `GET /roles?page=1`: returns the number of entries, and everything else in the answer. */
async function answered(path: string): Promise<unknown> {
  const { status, body } = await api("GET", path);
  if (status !== 200) return [status, (body as { message: string }).message];
  if (Array.isArray(body)) return body.length;
  return Object.fromEntries(
    Object.entries(body as object).map(([key, value]: [string, unknown]) => [
      key,
      Array.isArray(value) ? value.length : value,
    ]),
  );
}

test("max_page_size: pages are shorter than was asked, of both kinds", async () => {
  behave({ max_page_size: 50 });
  const roles = await answered("/roles?per_page=100&page=2&include_totals=true");
  expect(roles).toEqual({ roles: 21, start: 100, limit: 50, total: 121 });
  expect(await answered("/roles/rol_all/groups?take=100")).toMatchObject({
    groups: 50,
    next: expect.any(String) as string,
  });
});

test("numbered_lists: page numbers are ignored, and a cursor goes on", async () => {
  behave({ numbered_lists: "cursor" });
  const { body } = await api("GET", "/roles?per_page=100&page=1&include_totals=true");
  const { roles, next } = body as { roles: unknown[]; next: string };
  expect(roles[0]).toEqual(ROLES[0]);
  expect(await answered(`/roles?take=100&from=${next}`)).toEqual({ roles: 21 });
  behave({});
  expect(await answered("/roles?take=100")).toEqual([400, expect.stringContaining("take")]);
});

test("totals: of the first page only, or none", async () => {
  behave({ totals: "first_page" });
  expect(await answered("/roles?include_totals=true")).toMatchObject({ total: 121 });
  expect(await answered("/roles?include_totals=true&page=1")).toMatchObject({ roles: 50, total: 0 });
  behave({ totals: "none" });
  expect(await answered("/roles?include_totals=true")).toBe(50);
});

test("max_numbered_entries: no page begins behind the last one", async () => {
  behave({ max_numbered_entries: 100 });
  expect(await answered("/roles?page=1")).toBe(50);
  expect(await answered("/roles?page=2")).toEqual([400, "You can only page through the first 100 records."]);
});

test("cursor_lists: a total without a cursor, with page numbers or without", async () => {
  behave({ cursor_lists: "numbers" });
  expect(await answered("/roles/rol_all/groups")).toEqual({ groups: 50, total: 120 });
  expect(await answered("/roles/rol_all/groups?page=2&per_page=50")).toEqual({ groups: 20, total: 120 });
  behave({ cursor_lists: "total" });
  expect(await answered("/roles/rol_all/groups")).toEqual({ groups: 50, total: 120 });
  expect(await answered("/roles/rol_all/groups?page=1")).toEqual([400, expect.stringContaining("page")]);
});

test("empty_lists: without an envelope", async () => {
  behave({ empty_lists: "plain" });
  expect(await answered("/roles/rol_1/groups")).toBe(0);
  expect(await answered(`/users/${encodeURIComponent(USER)}/permissions?include_totals=true`)).toBe(0);
});
