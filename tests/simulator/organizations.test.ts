import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* Organizations and the roles in them; tests/simulator/contract.test.ts asks with the official client. */

const [DESK, TEAM, STRANGER] = ["grp_AAAAAAAAAAAAAA", "grp_BBBBBBBBBBBBBB", "grp_CCCCCCCCCCCCCC"] as const;
const ORG = "org_5vJmTq8XbRz3kWcY";
const ROLES_OF_DESK = `/organizations/${ORG}/groups/${DESK}/roles`;

const SEED = {
  tokens: [
    {
      access_token: "all",
      scope:
        "read:roles read:organizations read:organization_groups create:organization_group_roles " +
        "read:organization_group_roles delete:organization_group_roles read:organization_member_roles",
    },
  ],
  users: [{ user_id: "auth0|1" }],
  groups: [DESK, TEAM, STRANGER].map((id) => ({ id, name: id.toLowerCase() })),
  roles: [
    { id: "rol_tenant", name: "support-agent" },
    { id: "rol_own", name: "order-manager", type: "organization" as const, owner_id: ORG },
    { id: "rol_foreign", name: "order-manager", type: "organization" as const, owner_id: "org_other" },
  ],
  organizations: [
    {
      id: ORG,
      name: "acme",
      groups: [DESK, TEAM],
      roles: [{ id: "rol_tenant", groups: [TEAM], members: ["auth0|1"] }],
    },
    { id: "org_other", name: "globex" },
  ],
};

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() => simulator.seed(SEED));

const groupsWith = async (role: string) =>
  (
    (await api("GET", `/organizations/${ORG}/roles/${role}/groups`)).body as { groups: { id: string }[] }
  ).groups.map(({ id }) => id);

test("a group gets roles of the tenant and of the organization, and loses them", async () => {
  const both = { roles: ["rol_tenant", "rol_own"] };
  expect((await api("POST", ROLES_OF_DESK, both)).status).toBe(204);
  expect(await groupsWith("rol_tenant")).toEqual([TEAM, DESK]);
  expect(await groupsWith("rol_own")).toEqual([DESK]);
  expect((await api("POST", ROLES_OF_DESK, both)).status).toBe(204);
  expect((await api("DELETE", ROLES_OF_DESK, { roles: ["rol_tenant"] })).status).toBe(204);
  expect(await groupsWith("rol_tenant")).toEqual([TEAM]);
  expect(await groupsWith("rol_own")).toEqual([DESK]);
  expect(simulator.state().organizations[0]?.roles).toContainEqual({
    id: "rol_own",
    groups: [DESK],
    members: [],
  });
  simulator.seed({ ...SEED, organizations: simulator.state().organizations });
  expect(await groupsWith("rol_own")).toEqual([DESK]);
});

test.each<[what: string, path: string, role: string, status: number, message: string]>([
  ["a role of another organization", ROLES_OF_DESK, "rol_foreign", 400, "belongs to another organization"],
  ["a role that doesn't exist", ROLES_OF_DESK, "rol_none", 404, "The role does not exist."],
  [
    "a group outside of the organization",
    `/organizations/${ORG}/groups/${STRANGER}/roles`,
    "rol_tenant",
    404,
    "is not in the organization",
  ],
  [
    "an organization that doesn't exist",
    `/organizations/org_none/groups/${DESK}/roles`,
    "rol_tenant",
    404,
    "No organization found",
  ],
])("%s is refused, and nothing changes", async (_, path, role, status, message) => {
  const { organizations } = simulator.state();
  expect((await api("POST", path, { roles: ["rol_tenant", role] })).body).toMatchObject({
    statusCode: status,
    message: expect.stringContaining(message) as unknown,
  });
  expect(simulator.state().organizations).toEqual(organizations);
});

test("switches: a role that is there already, one that isn't, and a refused group", async () => {
  const behaviour = { assign_assigned_group: "error", remove_absent_group: "error" } as const;
  simulator.seed({ ...SEED, behaviour: { ...behaviour, refused_groups: { [DESK]: 403 } } });
  const ofTeam = `/organizations/${ORG}/groups/${TEAM}/roles`;
  expect((await api("POST", ofTeam, { roles: ["rol_tenant"] })).status).toBe(409);
  expect((await api("DELETE", ofTeam, { roles: ["rol_own"] })).status).toBe(404);
  expect((await api("POST", ROLES_OF_DESK, { roles: ["rol_own"] })).status).toBe(403);
});

test("a group has at most 10 roles in an organization", async () => {
  const roles = Array.from({ length: 11 }, (_, i) => ({ id: `rol_${i}` }));
  simulator.seed({ ...SEED, roles: [...SEED.roles, ...roles] });
  for (const { id } of roles.slice(0, 10))
    expect((await api("POST", ROLES_OF_DESK, { roles: [id] })).status).toBe(204);
  expect((await api("POST", ROLES_OF_DESK, { roles: ["rol_10"] })).body).toMatchObject({
    statusCode: 403,
    errorCode: "insufficient_entitlement",
  });
});

test("roles by type and owner", async () => {
  const ids = async (query: string) =>
    ((await api("GET", `/roles?${query}`)).body as { id: string }[]).map(({ id }) => id);
  expect(await ids("type=tenant")).toEqual(["rol_tenant"]);
  expect(await ids(`type=organization&owner_id=${ORG}`)).toEqual(["rol_own"]);
});

test("System Roles are listed by their owner alone, and given in every organization", async () => {
  const system = { id: "rol_system", name: "sys-admin", type: "organization" as const, owner_id: "auth0" };
  simulator.seed({ ...SEED, roles: [...SEED.roles, system] });
  const { body } = await api("GET", "/roles?type=organization&owner_id=auth0");
  expect(body).toEqual([system]);
  expect((await api("GET", "/roles")).body).not.toContainEqual(system);
  expect((await api("POST", ROLES_OF_DESK, { roles: [system.id] })).status).toBe(204);
  expect(await groupsWith(system.id)).toEqual([DESK]);
});

test("a seed with a group that isn't in the organization is refused, with its path", () => {
  const organizations = [
    { id: ORG, name: "acme", groups: [DESK], roles: [{ id: "rol_tenant", groups: [TEAM] }] },
  ];
  expect(() => simulator.seed({ ...SEED, organizations })).toThrow(
    `The group ${TEAM} is not among the organization's groups.`,
  );
});
