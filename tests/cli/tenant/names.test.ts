import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { asked } from "../../../testkit/cli/access";
import { adopted } from "../../../testkit/cli/adopt";
import { clientsWithout } from "../../../testkit/cli/asked";
import { useSimulator } from "../../../testkit/simulator";
import { UNUSUAL_IDS } from "../../../testkit/unusual-ids";

/* `--role` and `--group` take names as well as ids. */

const simulator = useSimulator();
beforeEach(() => seed({}));

function seed(more: SeedInput): void {
  simulator.seed({ ...DEFAULT_SEED, ...more });
  simulator.reset();
}

const NO_STATE = [{ file: "state.json", text: '{"version":3,"deployment":{"resources":[]}}' }];
const access = async (role: string[], group: string[] = []) => {
  const { roles } = await asked(simulator, { role, group, exports: NO_STATE });
  return roles.map(({ id, groups }) => [id, groups.map((one) => one.id)]);
};

test("a role by its name", async () => {
  expect(await access(["support-agent"])).toEqual([[AGENT, [SUPPORT]]]);
  expect(await access(["billing-viewer", AGENT])).toHaveLength(2);
});

test("a group by its name", async () =>
  expect(await access([], ["support-desk"])).toEqual([[AGENT, [SUPPORT]]]));

test("a role for adopt", async () =>
  expect(await adopted(simulator, { role: ["support-agent"], ids: true })).toContain(`roleId: "${AGENT}"`));

test.each([
  [
    "no such role",
    ["suport-agent"],
    [],
    /^--role: no role of \S+ is called "suport-agent"\. Did you mean "support-agent"\?$/,
  ],
  [
    "another case",
    ["Support-Agent"],
    [],
    /is called "Support-Agent"\. "support-agent" differs only in case\.$/,
  ],
  ["no such group", [], ["nobody"], /^--group: no group of \S+ is called "nobody"\.$/],
  [
    "a group in another case",
    [],
    ["Support-Desk"],
    /^--group: no group of \S+ is called "Support-Desk"\. "support-desk" differs only in case\.$/,
  ],
])("%s: an error that says what is meant", async (_, role, group, message) =>
  expect(access(role, group)).rejects.toThrow(message),
);

test("two groups of one name are told with their connections", async () => {
  const groups = [
    { id: SUPPORT, name: "desk", connection_id: "con_entra" },
    { id: BILLING, name: "desk", connection_id: "con_okta" },
    { id: ADMINS, name: "desk" },
  ];
  seed({ groups, roles: [], users: [] });
  await expect(access([], ["desk"])).rejects.toThrow(
    `is called "desk": write an id, ${SUPPORT} (connection con_entra), ${BILLING} (connection con_okta), ${ADMINS} (no connection).`,
  );
});

test("a role of an organization has no name here, and a part of the list no names at all", async () => {
  const roles = [{ id: AGENT, name: "support-agent", type: "organization" as const, owner_id: "org_1" }];
  seed({ roles });
  await expect(access(["support-agent"])).rejects.toThrow("no role of");
  seed({ behaviour: { max_numbered_entries: 1, max_page_size: 1 } });
  await expect(access(["support-agent"])).rejects.toThrow("GET /roles can't be read whole");
});

test("ids need neither list", async () => {
  seed({ clients: clientsWithout("read:groups", "read:roles") });
  expect(await adopted(simulator, { role: [VIEWER], ids: true })).toContain(VIEWER);
});

test.each(UNUSUAL_IDS)("a role by the id %s, which is no name although it could be one", async (id) => {
  seed({
    roles: [
      { id: AGENT, name: id, groups: [SUPPORT] },
      { id, name: "another", groups: [ADMINS] },
    ],
    users: [],
  });
  expect(await access([id])).toEqual([[id, [ADMINS]]]);
  expect(await adopted(simulator, { role: [id], ids: true })).toContain(`roleId: "${id}"`);
});

test.each([
  ["Zürich", "Zu\u0308rich", `Unicode form: write its id, ${AGENT}`],
  ["ADMIN", "admin", "case"],
  ["Ａdmin", "admin", "case"],
])("%j and %j differ only in %s", async (wanted, name, difference) => {
  seed({ roles: [{ id: AGENT, name }], users: [] });
  await expect(access([wanted])).rejects.toThrow(
    `is called ${JSON.stringify(wanted)}. ${JSON.stringify(name)} differs only in ${difference}.`,
  );
});
