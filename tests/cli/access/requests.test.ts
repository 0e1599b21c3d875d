import { type AccessRequest } from "../../../cli/access/ask";
import { AGENT, DEFAULT_SEED, SUPPORT, USER_ID } from "../../../simulator/default-seed";
import { asked, assignment, jsonOf, state } from "../../../testkit/cli/access";
import { useSimulator } from "../../../testkit/simulator";

const simulator = useSimulator();
beforeEach(() => simulator.reset());

const tenant = () => new URL(simulator.url).host;

test("the role of an organization is labelled", async () => {
  const named = { name: "support-agent", groups: [SUPPORT] };
  simulator.seed({
    ...DEFAULT_SEED,
    roles: [
      { id: "rol_1", type: "tenant", ...named },
      { id: "rol_2", type: "organization", owner_id: "org_1", ...named },
    ],
  });
  const exports = [state(tenant(), "access/prod", {})];
  const names = async (request: Partial<AccessRequest>) =>
    jsonOf(await asked(simulator, { exports, ...request })).roles.map(({ name }) => name);
  expect(await names({})).toEqual(["support-agent", "support-agent (organization)"]);
  expect(await names({ user: USER_ID })).toContain("support-agent (organization)");
});

const [client] = DEFAULT_SEED.clients ?? [];

/** SECURITY.md, "Least privilege". */
const SCOPES: [string, Partial<AccessRequest>, string[]][] = [
  ["all", { direct: false }, ["read:roles", "read:group_roles"]],
  ["--role", { role: [AGENT] }, ["read:roles", "read:group_roles"]],
  ["--group", { group: [SUPPORT] }, ["read:roles", "read:group_roles"]],
  ["--user", { user: USER_ID }, ["read:users", "read:group_roles"]],
];

describe.each(SCOPES)("%s", (_, request, scopes) => {
  const ask = (scope: string) => {
    simulator.seed({ ...DEFAULT_SEED, clients: [{ ...client!, scope }] });
    const exports = [state(tenant(), "access/prod", { a: assignment(AGENT, [SUPPORT]) })];
    return asked(simulator, { ...request, exports });
  };

  test(`${scopes.join(" and ")} suffice, and nothing is sent but reads`, async () => {
    expect((await ask(scopes.join(" "))).roles.length).toBeGreaterThan(0);
    const writes = simulator.log().filter((line) => !line.startsWith("GET "));
    expect(writes).toEqual(["POST /oauth/token 200"]);
  });

  test.each(scopes)("without %s it fails, and names it", async (missing) => {
    const others = scopes.filter((scope) => scope !== missing);
    await expect(ask(others.join(" "))).rejects.toThrow(`Grant ${missing} to the client`);
  });
});

test("--user: with the scopes of the user's roles it reads no role's groups, and tells through which group", async () => {
  const [user] = DEFAULT_SEED.users ?? [];
  const scope = "read:users read:user_effective_roles read:user_role_source_groups";
  const clients = [{ ...client!, scope }];
  const roles = [{ id: AGENT, groups: [SUPPORT] }];
  simulator.seed({ ...DEFAULT_SEED, clients, roles, users: [{ ...user!, groups: [SUPPORT] }] });
  const exports = [state(tenant(), "access/prod", { a: assignment(AGENT, [SUPPORT]) })];
  const json = jsonOf(await asked(simulator, { user: USER_ID, exports }));
  expect(json.user).toMatchObject({ unread: null, ends: [{ ends: true }] });
  expect(simulator.log().filter((line) => line.includes("/api/v2/roles"))).toEqual([]);
});

test("--group: without read:groups it tells all but the name", async () => {
  const ask = async (scope: string) => {
    simulator.seed({ ...DEFAULT_SEED, clients: [{ ...client!, scope }] });
    const exports = [state(tenant(), "access/prod", {})];
    const { roles } = jsonOf(await asked(simulator, { group: [SUPPORT], exports }));
    return roles.flatMap(({ groups }) => groups.map(({ id, name }) => [id, name]));
  };
  const scopes = "read:roles read:group_roles";
  expect(await ask(scopes)).toEqual([[SUPPORT, null]]);
  expect(await ask(`${scopes} read:groups`)).toEqual([[SUPPORT, "support-desk"]]);
});
