import { type AdoptRequest } from "../../../cli/adopt/adopt";
import { type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { adopted, type Registered, registeredBy } from "../../../testkit/cli/adopt";
import { assignment, state } from "../../../testkit/cli/access";
import { shownOnTerminal } from "../../../testkit/cli/terminal";
import { useSimulator } from "../../../testkit/simulator";

/* Roles that groups have in organizations, as a program and as a file for `pulumi import`. */

const [ACME, GLOBEX] = ["org_5vJmTq8XbRz3kWcY", "org_9sJdYp3LfGe7uXaK"];
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
const written = (options: Partial<AdoptRequest>) => adopted(simulator, options);

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

test.each([
  ["all", false],
  ["globex", true],
])(
  "roles of organizations that --all-roles leaves out are told, beside --organization %s",
  async (name, isTold) => {
    const told = await shownOnTerminal(() => written({ allRoles: true, organization: [name] }));
    expect(told).toContain("Read: 0 connection profiles");
    expect(
      told.includes("Left out: 1 role of organizations. Name the organizations by --organization."),
    ).toBe(isTold);
  },
);

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
  const inAcme = {
    ...assignment(`${ACME}/${MANAGER}`, [ADMINS], { organizationId: ACME, roleId: MANAGER }),
    type: "pulumi-nodejs:dynamic/identity:OrganizationRoleGroupAssignment",
  };
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
