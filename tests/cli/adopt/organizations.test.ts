import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { adopted, adopting, type Registered, registeredBy } from "../../../testkit/cli/adopt";
import { ACME, assignment, GLOBEX, inOrganization, state } from "../../../testkit/cli/access";
import { useSimulator } from "../../../testkit/simulator";

/* Roles that groups have in organizations, as a program and as a file for `pulumi import`. */

const MANAGER = "rol_2kCvRw7ZtMh9sPxE";
const SEED: SeedInput = {
  ...DEFAULT_SEED,
  connection_profiles: [],
  roles: [
    { id: AGENT, name: "support-agent" },
    { id: VIEWER, name: "billing-viewer" },
    { id: MANAGER, name: "order-manager", type: "organization", owner_id: ACME },
  ],
  organizations: [
    {
      id: ACME,
      name: "acme",
      groups: [ADMINS, BILLING],
      roles: [
        { id: AGENT, groups: [ADMINS] },
        { id: MANAGER, groups: [ADMINS, BILLING] },
      ],
    },
    { id: GLOBEX, name: "globex", groups: [BILLING], roles: [{ id: AGENT, groups: [BILLING] }] },
  ],
};

const simulator = useSimulator();
beforeEach(() => simulator.seed(SEED));

const byName = (registered: Registered[]) =>
  registered.sort((one, other) => (one.name < other.name ? -1 : 1));
type Options = NonNullable<Parameters<typeof adopted>[1]>;
const written = (options: Options) => adopted(simulator, options);

test("a program looks up the organization, and the role in it, by name", async () => {
  const program = await written({ organization: ["acme"] });
  expect(program).toContain(
    `new OrganizationRoleGroupAssignment("acme-order-manager", {
  organizationId: getOrganizationOutput({ name: "acme" }).id,
  roleId: getRoleOutput({ name: "order-manager", organization: getOrganizationOutput({ name: "acme" }).id }).id,
`,
  );
  expect(program).toContain(
    `import { getGroupOutput, getOrganizationOutput, getRoleOutput, OrganizationRoleGroupAssignment } from "pulumi-identity";`,
  );
  const ids: Record<string, string> = {
    [`${ACME} order-manager`]: MANAGER,
    [`${ACME} support-agent`]: AGENT,
    acme: ACME,
    "directory-admins": ADMINS,
    "billing-team": BILLING,
  };
  const registered = byName(await registeredBy(program, (_, name) => ids[name] ?? name));
  expect(registered.map(({ name, inputs }) => [name, inputs])).toEqual([
    [
      "acme-order-manager",
      expect.objectContaining({ organizationId: ACME, roleId: MANAGER, deleteOnDestroy: false }),
    ],
    [
      "acme-support-agent",
      expect.objectContaining({ organizationId: ACME, roleId: AGENT, groupIds: [ADMINS] }),
    ],
  ]);
});

test("with --ids it has ids, and all organizations if so asked", async () => {
  const registered = byName(await registeredBy(await written({ organization: ["all"], ids: true })));
  expect(registered.map(({ kind, name }) => [kind, name])).toEqual(
    [`${ACME}-${MANAGER}`, `${ACME}-${AGENT}`, `${GLOBEX}-${AGENT}`].map((name) => [
      "OrganizationRoleGroupAssignment",
      name,
    ]),
  );
});

const ASK = "Name them by --organization, or give --organization all.";
const notes = async (organization?: string[], more: Options = { allRoles: true }) =>
  (await adopting(simulator, { ...more, ...(organization && { organization }) })).notes;

test("--all-roles says which organizations it leaves out", async () => {
  expect(await notes()).toEqual([`Left out: what groups have in ${ACME} "acme", ${GLOBEX} "globex". ${ASK}`]);
  expect(await notes(["globex"])).toEqual([`Left out: what groups have in ${ACME} "acme". ${ASK}`]);
  expect(await notes(["all"])).toEqual([]);
  expect(await notes(undefined, { role: [AGENT] })).toEqual([]);
});

test("of many organizations it names the first, and of unread ones it has the reason", async () => {
  const organizations = Array.from({ length: 12 }, (_, at) => ({ id: `org_${at}`, name: `customer-${at}` }));
  simulator.seed({ ...SEED, organizations });
  expect(await notes()).toEqual([
    expect.stringMatching(/in org_0 "customer-0", .*, org_9 "customer-9", and 2 more\. Name them by/),
  ]);
  simulator.seed({ ...SEED, organizations: [] });
  expect(await notes()).toEqual([]);
  simulator.seed({ ...SEED, clients: clientsWithout("read:organizations") });
  expect(await notes()).toEqual([
    expect.stringMatching(
      /^Left out: what groups have in organizations, which were not read \(.*read:organizations/,
    ),
  ]);
});

test("the file for an import has their ids, and a type of its own", async () => {
  const { resources } = JSON.parse(await written({ organization: [ACME], format: "import" })) as {
    resources: object[];
  };
  const type = "identity:index:OrganizationRoleGroupAssignment";
  expect(resources).toEqual([
    { type, name: "acme-order-manager", id: `${ACME}/${MANAGER}` },
    { type, name: "acme-support-agent", id: `${ACME}/${AGENT}` },
  ]);
});

test("--unmanaged leaves out what a state has there; the same role in the tenant is another one", async () => {
  const inAcme = inOrganization(ACME, MANAGER, [ADMINS]);
  const exports = [
    state(new URL(simulator.url).host, "access/prod", { o: inAcme, a: assignment(AGENT, [ADMINS]) }),
  ];
  const registered = await registeredBy(
    await written({ organization: ["acme"], unmanaged: true, exports, ids: true }),
  );
  expect(registered.map(({ inputs }) => [inputs["roleId"], inputs["groupIds"]])).toEqual([
    [MANAGER, [BILLING]],
    [AGENT, [ADMINS]],
  ]);
});

test("two roles of one name go by their ids, with the reason", async () => {
  simulator.seed({
    ...SEED,
    roles: [
      ...(SEED.roles ?? []).slice(0, 2),
      { id: MANAGER, name: "support-agent", type: "organization", owner_id: ACME },
    ],
  });
  // Its own is named also where the tenant's list of all roles lacks it.
  const path = "/api/v2/roles?page=0&per_page=100&include_totals=true";
  const body = { roles: [{ id: AGENT, name: "support-agent" }], start: 0, limit: 100, total: 1 };
  for (const isListed of [true, false]) {
    if (!isListed) simulator.fail({ path, action: { status: 200, body } });
    const program = await written({ organization: ["acme"] });
    expect(program.match(/\/\/ The role "support-agent": 2 roles have this name\.\n/g)).toHaveLength(2);
    expect(program).toContain(`roleId: "${AGENT}",`);
  }
});

test("without the scope for names, ids; without that for their roles, an error that names it", async () => {
  simulator.seed({ ...SEED, clients: clientsWithout("read:organizations") });
  const program = await written({ organization: [ACME] });
  expect(program).toContain(`organizationId: "${ACME}",`);
  expect(program).toMatch(
    /Organizations are given by id: their names could not be read \(.*read:organizations/,
  );
  simulator.seed({ ...SEED, clients: clientsWithout("read:organization_group_roles") });
  await expect(written({ organization: [ACME] })).rejects.toThrow("read:organization_group_roles");
});
