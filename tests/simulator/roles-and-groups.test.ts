import { startSimulator, type Simulator } from "../../simulator/index";
import { type Call, caller } from "./test-client";

/* GET /roles and GET /groups; tests/simulator/contract.test.ts asks both with the official client. */

const numbered = (index: number) => String(index + 111).replaceAll("0", "Z");
const ROLES = Array.from({ length: 120 }, (_, index) => ({ id: `rol_${index}`, name: `role ${index}` }));
const GROUPS = Array.from({ length: 120 }, (_, index) => ({
  id: `grp_AAAAAAAAAAAA${numbered(index)}`,
  name: `group ${index >> 1}`,
  connection_id: index % 2 === 0 ? "con_even" : "con_odd",
  external_id: `EXT-${index}`,
}));

let simulator: Simulator;
let api: Call;

beforeAll(async () => {
  simulator = await startSimulator({
    rate: { burst: 10_000, perSecond: 10_000 },
    seed: {
      tokens: [
        { access_token: "both", scope: "read:roles read:groups" },
        ...["read:roles", "read:groups", "read:group_roles"].map((scope) => ({ access_token: scope, scope })),
      ],
      groups: [...GROUPS, { id: "grp_BBBBBBBBBBBBBB" }],
      roles: [
        ...ROLES,
        { id: "rol_support", name: "Support Agent", description: "Answers", groups: [GROUPS[0]!.id] },
        { id: "rol_nameless" },
      ],
    },
  });
  api = caller(simulator, "both");
});
afterAll(() => simulator.close());

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

  test.each(["per_page=101", "per_page=0", "page=-1", "take=5", "name=x"])("?%s: 400", async (query) => {
    expect(await roles(`?${query}`)).toMatchObject({ statusCode: 400, errorCode: "invalid_query_string" });
  });

  test("one role, and none", async () => {
    expect((await api("GET", "/roles/rol_7")).body).toEqual({ id: "rol_7", name: "role 7" });
    expect((await api("GET", "/roles/rol_none")).body).toMatchObject({
      statusCode: 404,
      message: "The role does not exist.",
    });
  });
});

describe("GET /groups", () => {
  type Page = { groups: (typeof GROUPS)[number][]; next?: string };
  const page = async (query = "") => (await api("GET", `/groups${query}`)).body as Page;

  test("pages of 50 unless told otherwise, and no cursor at the end", async () => {
    const sizes: number[] = [];
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const { groups, next: following } = await page(next === undefined ? "" : `?from=${next}`);
      sizes.push(groups.length);
      seen.push(...idsOf(groups));
      next = following;
    } while (next !== undefined);
    expect(sizes).toEqual([50, 50, 21]);
    expect(seen).toEqual([...idsOf(GROUPS), "grp_BBBBBBBBBBBBBB"]);
    expect(await page("?take=121")).not.toHaveProperty("next");
  });

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

  test.each(["take=0", "from=nonsense", "page=0", "name_filter=x"])("?%s: 400", async (query) => {
    expect(await page(`?${query}`)).toMatchObject({ statusCode: 400, errorCode: "invalid_query_string" });
  });

  test("one group, and none", async () => {
    expect((await api("GET", `/groups/${GROUPS[5]!.id}`)).body).toEqual(GROUPS[5]);
    expect((await api("GET", "/groups/grp_zzzzzzzzzzzzzz")).body).toMatchObject({
      statusCode: 404,
      message: "The group does not exist.",
    });
  });
});

test.each([
  ["/roles", "read:roles"],
  ["/roles/rol_7", "read:roles"],
  ["/groups", "read:groups"],
  [`/groups/${GROUPS[5]!.id}`, "read:groups"],
])("%s needs %s", async (path, needed) => {
  for (const scope of ["read:roles", "read:groups", "read:group_roles"]) {
    const { status } = await caller(simulator, scope)("GET", path);
    expect({ scope, status }).toEqual({ scope, status: scope === needed ? 200 : 403 });
  }
});
