import { type Fault, type SeedInput } from "../../../simulator";
import { DEFAULT_SEED } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { type Holders, reading, type TenantReader } from "../../../testkit/cli/reading";
import { useSimulator } from "../../../testkit/simulator";

/* Who has which role, asked by role or by group, whichever takes fewer requests: the answer is the same. */

const simulator = useSimulator();

const numbered = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index + 1111).replaceAll("0", "z")}`);
const ROLES = numbered("rol_", 40);
const GROUPS = numbered("grp_AAAAAAAAAAAA", 6);
const GONE = "grp_gone2222222222";
const [FIRST = "", SECOND = ""] = ROLES;

/** Each group has every role whose place it divides. */
function seed(more: SeedInput = {}, groups: readonly string[] = GROUPS): void {
  simulator.seed({
    ...DEFAULT_SEED,
    users: [],
    groups: groups.map((id, index) => ({ id, name: `group ${index}` })),
    roles: ROLES.map((id, place) => ({
      id,
      name: `role ${place}`,
      groups: groups.slice(0, 60).filter((_, index) => place % (index + 1) === 0),
    })),
    ...more,
  });
  simulator.reset();
}

/** Returns the groups of each role, or the reason why they are unknown, and the requests. */
async function asked(ask: (reader: TenantReader) => ReturnType<TenantReader["groupsOfRoles"]>) {
  let answers: unknown[] = [];
  const requests = await reading(simulator, async (reader) => {
    const found = await ask(reader);
    answers = [...found]
      .map(
        ([role, answer]) =>
          [role, answer.value?.map(({ id, name }) => `${id} ${name}`).sort() ?? answer.reason] as const,
      )
      .sort(([one], [other]) => (one < other ? -1 : 1));
  });
  return { answers, requests };
}

const short = (how?: Holders) => asked((reader) => reader.holdersOfRoles(ROLES, how));

/** What the roles' own lists say. */
async function byRole(): Promise<unknown[]> {
  const { answers } = await asked((reader) => reader.groupsOfRoles(ROLES));
  simulator.reset();
  return answers;
}

const rolesOf = (groups: readonly string[]) => groups.map((id) => `/groups/${id}/roles`);
const groupsOf = (roles: readonly string[]) => roles.map((id) => `/roles/${id}/groups`);

test("fewer groups than roles: each group is asked once, and names come with the list", async () => {
  seed();
  const expected = await byRole();
  const { answers, requests } = await short();
  expect(answers).toEqual(expected);
  expect(requests.sort()).toEqual(["/roles", "/groups", ...rolesOf(GROUPS)].sort());
});

test("few roles: by role, and the list of groups isn't read", async () => {
  seed();
  const some = ROLES.slice(0, 33);
  const { requests } = await asked((reader) => reader.holdersOfRoles(some));
  expect(requests.sort()).toEqual(groupsOf(some).sort());
});

test("more groups than roles: by role, after one page of groups", async () => {
  seed({}, numbered("grp_AAAAAAAAAAAA", 500));
  const expected = await byRole();
  const { answers, requests } = await short();
  expect(answers).toEqual(expected);
  expect(requests.sort()).toEqual(["/roles", "/groups", ...groupsOf(ROLES)].sort());
});

const SPARE: [string, { seed?: SeedInput; fault?: Fault; asked?: Holders }][] = [
  ["a part of the roles", { seed: { behaviour: { max_numbered_entries: 20, max_page_size: 20 } } }],
  ["a part of the groups", { seed: { behaviour: { cursor_lists: "total", max_page_size: 4 } } }],
  ["no scope for the list of groups", { seed: { clients: clientsWithout("read:groups") } }],
  [
    "a list of groups that the tenant doesn't know",
    { fault: { path: "/api/v2/groups", action: { status: 404 } } },
  ],
  ["a list of groups that fails", { fault: { path: "/api/v2/groups", times: 9, action: { status: 500 } } }],
  ["a list of groups in another form", { fault: { path: "/api/v2/groups", action: { garbage: "html" } } }],
  [
    "an empty list of groups",
    { fault: { path: "/api/v2/groups", action: { status: 200, body: { groups: [] } } } },
  ],
  ["the first group is refused", { fault: { path: "/api/v2/groups/*/roles", action: { status: 403 } } }],
  [
    "a later group is refused",
    { fault: { path: "/api/v2/groups/*/roles", after: 3, action: { status: 403 } } },
  ],
  [
    "a listed group is gone",
    { fault: { path: "/api/v2/groups/*/roles", after: 3, action: { status: 404 } } },
  ],
  [
    "the list of a group's roles is cut off",
    {
      fault: {
        path: "/api/v2/groups/*/roles",
        after: 3,
        action: { status: 200, body: { roles: [{ id: FIRST }], has_more: true } },
      },
    },
  ],
  [
    "another group is refused",
    {
      fault: { path: `/api/v2/groups/${GONE}/roles`, action: { status: 403 } },
      asked: { named: [{ role: FIRST, group: GONE }] },
    },
  ],
];

test.each(SPARE)("%s: by role after all, and never a shorter answer", async (_, given) => {
  seed(given.seed);
  const expected = await byRole();
  if (given.fault !== undefined) simulator.fail(given.fault);
  const { answers, requests } = await short(given.asked);
  expect(answers).toEqual(expected);
  expect(requests).toEqual(expect.arrayContaining(groupsOf(ROLES)));
});

describe("groups that states and rules name", () => {
  const named = [
    { role: SECOND, group: GONE },
    { role: FIRST, group: GROUPS[0]! },
  ];

  test("are asked, too, if the list of groups lacks them", async () => {
    seed({}, [...GROUPS, GONE]);
    const expected = await byRole();
    const listed = GROUPS.map((id, index) => ({ id, name: `group ${index}` }));
    simulator.fail({ path: "/api/v2/groups", action: { status: 200, body: { groups: listed } } });
    const { answers, requests } = await short({ named });
    expect(answers).toEqual(expected);
    expect(requests.sort()).toEqual(
      ["/roles", "/groups", `/groups/${GONE}`, ...rolesOf([...GROUPS, GONE])].sort(),
    );
  });

  test("if they are gone, the roles that they are to have are asked", async () => {
    seed();
    const expected = await byRole();
    const { answers, requests } = await short({ named });
    expect(answers).toEqual(expected);
    expect(requests.sort()).toEqual(
      ["/roles", "/groups", ...rolesOf([...GROUPS, GONE]), ...groupsOf([SECOND])].sort(),
    );
  });

  test("roles that are to be asked alone are", async () => {
    seed();
    const { requests } = await short({ alone: [SECOND] });
    expect(requests.sort()).toEqual(["/roles", "/groups", ...rolesOf(GROUPS), ...groupsOf([SECOND])].sort());
  });
});

describe("names of groups", () => {
  const names = (groups: readonly string[]) =>
    reading(simulator, async (reader) => {
      const found = await reader.namesOfGroups(groups);
      expect([...found.values()]).toEqual(groups.map((id) => ({ value: `group ${GROUPS.indexOf(id)}` })));
    });

  test("many come from one page of the list, few one by one", async () => {
    seed();
    expect(await names(GROUPS)).toEqual(["/groups"]);
    simulator.reset();
    expect((await names(GROUPS.slice(0, 3))).sort()).toEqual(GROUPS.slice(0, 3).map((id) => `/groups/${id}`));
  });

  test("those that the page lacks are asked one by one", async () => {
    seed();
    const listed = GROUPS.slice(1).map((id, index) => ({ id, name: `group ${index + 1}` }));
    simulator.fail({ path: "/api/v2/groups", action: { status: 200, body: { groups: listed } } });
    expect(await names(GROUPS)).toEqual(["/groups", `/groups/${GROUPS[0]}`]);
  });

  test("a missing scope is found out by one request", async () => {
    seed({ clients: clientsWithout("read:groups") });
    const requests = await reading(simulator, async (reader) => {
      const found = await reader.namesOfGroups(GROUPS);
      expect([...found.values()]).toEqual(
        GROUPS.map(() => expect.objectContaining({ reason: "needs read:groups" }) as unknown),
      );
    });
    expect(requests).toEqual(["/groups"]);
  });
});
