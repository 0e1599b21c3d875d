import { type SeedInput } from "../../../simulator";
import { CLIENT_ID, CLIENT_SECRET } from "../../../simulator/default-seed";
import { adopted, registeredBy } from "../../../testkit/cli/adopt";
import { useSimulator } from "../../../testkit/simulator";

/* Programs that look roles and groups up by name, if the name is unambiguous. */

const [AGENT, TWIN, OTHER_TWIN, OF_ORGANIZATION] = ["rol_agent", "rol_twin", "rol_twin2", "rol_org"] as const;
/** Ids of groups sort as these ends do. */
const idOf = (end: string) => `grp_${end.replaceAll("0", "a").padStart(18, "A")}`;
const [DESK, TWO, OTHER_TWO, HIDDEN, NAMELESS] = ["d", "t", "t2", "h", "n"].map(idOf) as [
  string,
  string,
  string,
  string,
  string,
];

const SEED: SeedInput = {
  connection_profiles: [],
  groups: [
    { id: DESK, name: "Support desk" },
    { id: TWO, name: "two", connection_id: "con_1" },
    { id: OTHER_TWO, name: "two", connection_id: "con_2" },
    { id: HIDDEN, name: "\u202eksed" },
    { id: NAMELESS },
  ],
  roles: [
    { id: AGENT, name: "Support agent", groups: [DESK, TWO, HIDDEN, NAMELESS] },
    { id: TWIN, name: "twin", groups: [DESK] },
    { id: OTHER_TWIN, name: "twin" },
    { id: OF_ORGANIZATION, name: "org's", type: "organization", owner_id: "org_1", groups: [DESK] },
  ],
};
const ROLES = [AGENT, TWIN, OF_ORGANIZATION];

const simulator = useSimulator({ seed: SEED });
beforeEach(() => {
  simulator.seed(SEED);
  simulator.reset();
});

const statements = (program: string) => program.slice(program.indexOf("import "));
const withScope = (scope: string) =>
  simulator.seed({ ...SEED, clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope }] });

test("a name that one object has finds it; else its id stands there, with the reason", async () => {
  expect(statements(await adopted(simulator, { role: ROLES })))
    .toBe(`import { getGroupOutput, getRoleOutput, RoleGroupAssignment } from "pulumi-identity";

// There is no connection profile.

new RoleGroupAssignment("support-agent", {
  roleId: getRoleOutput({ name: "Support agent" }).id,
  groupIds: [
    getGroupOutput({ name: "Support desk" }).id,
    "${HIDDEN}", // "\\u202eksed"
    "${NAMELESS}",
    "${TWO}", // "two": 2 groups have this name
  ],
  deleteOnDestroy: false,
});

// The role "org's": it belongs to an organization.
new RoleGroupAssignment("rol_org", {
  roleId: "rol_org",
  groupIds: [getGroupOutput({ name: "Support desk" }).id],
  deleteOnDestroy: false,
});

// The role "twin": 2 roles have this name.
new RoleGroupAssignment("rol_twin", {
  roleId: "rol_twin",
  groupIds: [getGroupOutput({ name: "Support desk" }).id],
  deleteOnDestroy: false,
});
`);
});

test("--ids writes ids, and reads no names", async () => {
  const program = await adopted(simulator, { role: [AGENT], ids: true });
  expect(program).toContain(`import { RoleGroupAssignment } from`);
  expect(program).toContain(`    "${DESK}", // "Support desk"\n`);
  expect(
    simulator
      .requests()
      .map(({ path }) => path)
      .filter((path) => /\/(roles|groups)\?/.test(path.replace("/groups?take", ""))),
  ).toEqual([]);
});

test("a client that may not read names gets ids, and the head of the program says why", async () => {
  withScope("read:connection_profiles read:group_roles");
  const program = await adopted(simulator, { role: [AGENT] });
  expect(program).toContain("// Roles are given by id: their names could not be read (needs read:roles).\n");
  expect(program).toContain(
    "// Groups are given by id: their names could not be read (needs read:groups).\n",
  );
  expect(program).toContain(`roleId: "${AGENT}"`);

  withScope("read:connection_profiles read:group_roles read:roles");
  const half = await adopted(simulator, { role: [AGENT] });
  expect(half).toContain('roleId: getRoleOutput({ name: "Support agent" }).id');
  expect(half).toContain(`"${DESK}", // "Support desk"`);
});

test("more groups than previews should look up go by id", async () => {
  const groups = Array.from({ length: 51 }, (_, i) => ({ id: idOf(String(i)), name: `group ${i}` }));
  simulator.seed({ ...SEED, groups, roles: [{ id: AGENT, name: "a", groups: groups.map(({ id }) => id) }] });
  const program = await adopted(simulator, { role: [AGENT] });
  expect(program).toContain("// Groups are given by id: to look 51 of them up by name would take as many");
  expect(program).not.toContain("getGroupOutput");
  expect(program).toContain("getRoleOutput");
});

test.each([9, 40])("of %d groups, each is found under its name alone", async (count) => {
  const groups = Array.from({ length: count }, (_, i) => ({ id: idOf(String(i)), name: `group ${i}` }));
  const twin = { id: idOf("twin"), name: "group 3", connection_id: "con_9" };
  simulator.seed({
    ...SEED,
    groups: [...groups, twin],
    roles: [{ id: AGENT, name: "a", groups: groups.map(({ id }) => id) }],
  });
  const program = await adopted(simulator, { role: [AGENT] });
  expect(program.match(/getGroupOutput\(/g)).toHaveLength(count - 1);
  expect(program).toContain(`"${idOf("3")}", // "group 3": 2 groups have this name`);
  const [registered] = await registeredBy(program, (_, name) => idOf(name.replace("group ", "")));
  expect(registered?.inputs["groupIds"]).toEqual(groups.map(({ id }) => id).sort());
});
