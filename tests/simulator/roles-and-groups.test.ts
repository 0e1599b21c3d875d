import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* GET /roles and GET /groups; tests/simulator/contract.test.ts asks both with the official client. */

const numbered = (index: number) => String(index + 111).replaceAll("0", "Z");
const ROLES = Array.from({ length: 120 }, (_, index) => ({ id: `rol_${index}`, name: `role ${index}` }));
const GROUPS = Array.from({ length: 120 }, (_, index) => ({
  id: `grp_AAAAAAAAAAAA${numbered(index)}`,
  name: `group ${index >> 1}`,
  connection_id: index % 2 === 0 ? "con_even" : "con_odd",
  external_id: `EXT-${index}`,
}));

const simulator = useSimulator({
  seed: {
    tokens: [{ access_token: "both", scope: "read:roles read:groups" }],
    groups: [...GROUPS, { id: "grp_BBBBBBBBBBBBBB" }],
    roles: [
      ...ROLES,
      { id: "rol_support", name: "Support Agent", description: "Answers", groups: [GROUPS[0]!.id] },
      { id: "rol_nameless" },
    ],
  },
});
const api = caller(simulator, "both");

const idsOf = (list: { id: string }[]) => list.map(({ id }) => id);

describe("GET /roles", () => {
  const roles = async (query = "") => (await api("GET", `/roles${query}`)).body;

  test("is a plain list of 50, without the groups of the roles", async () => {
    expect(await roles()).toEqual(ROLES.slice(0, 50));
    expect(await roles("?page=2")).toEqual([
      ...ROLES.slice(100),
      { id: "rol_support", name: "Support Agent", description: "Answers" },
      { id: "rol_nameless" },
    ]);
  });

  test("with totals it says where the page begins; past the end it is empty", async () => {
    expect(await roles("?include_totals=true&per_page=100&page=1")).toMatchObject({
      start: 100,
      limit: 100,
      total: 122,
      roles: expect.arrayContaining([{ id: "rol_nameless" }]) as unknown,
    });
    expect(await roles("?include_totals=true&page=9")).toMatchObject({ roles: [], total: 122 });
    expect(await roles("?page=9")).toEqual([]);
  });

  test.each([
    ["support", ["rol_support"]],
    ["AGENT", ["rol_support"]],
    ["role 11", ["rol_11", ...Array.from({ length: 10 }, (_, index) => `rol_11${index}`)]],
    ["nobody", []],
  ])("name_filter %s keeps a part of the name, in any case", async (filter, expected) => {
    expect(
      idsOf((await roles(`?name_filter=${encodeURIComponent(filter)}`)) as { id: string }[]).sort(),
    ).toEqual([...expected].sort());
  });
});

describe("GET /groups", () => {
  type Page = { groups: (typeof GROUPS)[number][]; next?: string };
  const page = async (query = "") => (await api("GET", `/groups${query}`)).body as Page;

  test.each<[query: string, expected: object[]]>([
    ["name=group%207", [GROUPS[14]!, GROUPS[15]!]],
    ["name=Group%207", []],
    ["name=group%207&connection_id=con_odd", [GROUPS[15]!]],
    ["external_id=EXT-3", [GROUPS[3]!]],
    ["search=ext-33", [GROUPS[33]!]],
    ["search=GROUP%2033", [GROUPS[66]!, GROUPS[67]!]],
    ["name=group%207&fields=id", [{ id: GROUPS[14]!.id }, { id: GROUPS[15]!.id }]],
  ])("?%s", async (query, expected) => {
    expect(await page(`?${query}`)).toEqual({ groups: expected });
  });

  test("a filter goes on from page to page", async () => {
    const first = await page("?connection_id=con_odd&take=40");
    const second = await page(`?connection_id=con_odd&take=40&from=${first.next}`);
    expect([...first.groups, ...second.groups].every((group) => group.connection_id === "con_odd")).toBe(
      true,
    );
    expect([first.groups.length, second.groups.length, second.next]).toEqual([40, 20, undefined]);
  });

  test("one group has every field", async () => {
    expect((await api("GET", `/groups/${GROUPS[5]!.id}`)).body).toEqual(GROUPS[5]);
  });
});

describe("what is in a group, and what a role allows", () => {
  const [group = { id: "" }] = GROUPS;
  const permission = { resource_server_identifier: "https://a/", permission_name: "read:a" };
  const source = (id: string) => ({ source_id: id, source_name: "", source_type: "ROLE" });
  const tenant = useSimulator({
    seed: {
      tokens: [
        { access_token: "both", scope: "read:group_members read:roles read:users" },
        { access_token: "users", scope: "read:users" },
        { access_token: "groups", scope: "read:groups read:group_roles" },
      ],
      groups: [group, { id: "grp_BBBBBBBBBBBBBB" }],
      users: Array.from({ length: 60 }, (_, index) => ({
        user_id: `auth0|${index}`,
        groups: [group.id],
        ...(index === 0 && { email: "first@example.com" }),
        ...(index < 2 && { roles: ["rol_own"] }),
        permissions: [{ ...permission, sources: [source("rol_used")] }],
      })),
      roles: [
        { id: "rol_own", permissions: [permission] },
        { id: "rol_used" },
        { id: "rol_none", permissions: [] },
      ],
    },
  });
  const ask = caller(tenant, "both");

  test("who has a role directly comes by cursor: nobody who has it through a group", async () => {
    const { body } = await ask("GET", "/roles/rol_used/users");
    expect(body).toEqual({ users: [] });
    const direct = await ask("GET", "/roles/rol_own/users?take=1");
    const { users, next } = direct.body as { users: object[]; next: string };
    expect(users).toEqual([{ user_id: "auth0|0", email: "first@example.com" }]);
    expect((await ask("GET", `/roles/rol_own/users?from=${next}`)).body).toEqual({
      users: [{ user_id: "auth0|1" }],
    });
    expect((await ask("GET", "/roles/rol_gone/users")).status).toBe(404);
    expect((await caller(tenant, "groups")("GET", "/roles/rol_own/users")).status).toBe(403);
    expect((await caller(tenant, "users")("GET", "/roles/rol_own/users")).status).toBe(403);
  });

  test("members come page by page, 50 at first, with a cursor", async () => {
    const { body } = await ask("GET", `/groups/${group.id}/members`);
    const { members, next } = body as { members: object[]; next: string };
    expect(members).toHaveLength(50);
    expect(members[0]).toEqual({ id: "auth0|0", member_type: "user" });
    const rest = await ask("GET", `/groups/${group.id}/members?from=${next}`);
    expect((rest.body as { members: object[] }).members).toHaveLength(10);
    expect(rest.body).not.toHaveProperty("next");
    expect((await ask("GET", "/groups/grp_BBBBBBBBBBBBBB/members")).body).toEqual({ members: [] });
    const few = (await ask("GET", `/groups/${group.id}/members?take=1&fields=id`)).body;
    expect((few as { members: object[] }).members).toEqual([{ id: "auth0|0" }]);
  });

  test("permissions of a role are its own, or those that users have through it", async () => {
    expect((await ask("GET", "/roles/rol_own/permissions")).body).toEqual([permission]);
    expect((await ask("GET", "/roles/rol_used/permissions?include_totals=true")).body).toEqual({
      start: 0,
      limit: 50,
      total: 1,
      permissions: [permission],
    });
    expect((await ask("GET", "/roles/rol_none/permissions")).body).toEqual([]);
    expect((await ask("GET", "/roles/rol_own")).body).toEqual({ id: "rol_own" });
  });

  test("a state that is seeded again allows the same", async () => {
    tenant.seed(tenant.state());
    expect((await ask("GET", "/roles/rol_own/permissions")).status).toBe(401);
    expect(tenant.state().roles[0]).toMatchObject({ id: "rol_own", permissions: [permission] });
  });
});
