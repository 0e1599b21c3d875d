import { ALL_SCOPES } from "../../simulator/default-seed";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* What every endpoint has: a scope, rules for its query, an answer for what isn't there, pages. */

const ROLE = "/roles/rol_0";
const ORG = "/organizations/org_0";
const numbered = (index: number) => `grp_AAAAAAAAAAAA${String(index + 111).replaceAll("0", "Z")}`;
const GROUPS = Array.from({ length: 120 }, (_, index) => numbered(index));
const [GROUP = ""] = GROUPS;
const scopes = ALL_SCOPES.split(" ");

const simulator = useSimulator();
beforeEach(() => {
  const roles = Array.from({ length: 120 }, (_, index) => ({ id: `rol_${index}` }));
  simulator.seed({
    tokens: [
      { access_token: "all", scope: ALL_SCOPES },
      ...scopes.flatMap((one) => [
        { access_token: `only-${one}`, scope: one },
        { access_token: `without-${one}`, scope: scopes.filter((scope) => scope !== one).join(" ") },
      ]),
    ],
    users: [{ user_id: "auth0|1", groups: [GROUP] }],
    groups: GROUPS.map((id) => ({ id })),
    roles: [{ ...roles[0]!, groups: GROUPS }, ...roles.slice(1)],
    organizations: [{ id: "org_0", name: "acme", groups: GROUPS, roles: [{ id: "rol_0", groups: GROUPS }] }],
    connection_profiles: [{ id: "cop_0", name: "a" }],
    device_credentials: [{ id: "dcr_0", type: "refresh_token" }],
  });
});

const ask = (method: string, path: string, body?: object, token = "all") =>
  caller(simulator, token)(method, path, body);

test.each<[method: string, path: string, scope: string, ...body: object[]]>([
  ["GET", "/connection-profiles", "read:connection_profiles"],
  ["GET", "/connection-profiles/cop_0", "read:connection_profiles"],
  ["POST", "/connection-profiles", "create:connection_profiles", { name: "b" }],
  ["PATCH", "/connection-profiles/cop_0", "update:connection_profiles", { name: "b" }],
  ["DELETE", "/connection-profiles/cop_0", "delete:connection_profiles"],
  ["GET", "/device-credentials", "read:device_credentials"],
  ["DELETE", "/device-credentials/dcr_0", "delete:device_credentials"],
  ["GET", "/users/auth0%7C1/permissions", "read:users"],
  ["GET", "/roles", "read:roles"],
  ["GET", ROLE, "read:roles"],
  ["GET", `${ROLE}/permissions`, "read:roles"],
  ["GET", "/groups", "read:groups"],
  ["GET", `/groups/${GROUP}`, "read:groups"],
  ["GET", `/groups/${GROUP}/members`, "read:group_members"],
  ["GET", `${ROLE}/groups`, "read:group_roles"],
  ["POST", `${ROLE}/groups`, "create:group_roles", { groups: [GROUP] }],
  ["DELETE", `${ROLE}/groups`, "delete:group_roles", { groups: [GROUP] }],
  ["GET", ORG, "read:organizations"],
  ["GET", `${ORG}/groups`, "read:organization_groups"],
  ["GET", `${ORG}/roles/rol_0/groups`, "read:organization_group_roles"],
  ["GET", `${ORG}/roles/rol_0/members`, "read:organization_member_roles"],
  ["GET", `${ORG}/groups/${GROUP}/roles`, "read:organization_group_roles"],
  ["POST", `${ORG}/groups/${GROUP}/roles`, "create:organization_group_roles", { roles: ["rol_0"] }],
  ["DELETE", `${ORG}/groups/${GROUP}/roles`, "delete:organization_group_roles", { roles: ["rol_0"] }],
])("%s %s needs %s", async (method, path, scope, ...[body]) => {
  const before = simulator.state();
  expect((await ask(method, path, body, `without-${scope}`)).body).toMatchObject({
    statusCode: 403,
    errorCode: "insufficient_scope",
    message: `Insufficient scope, expected any of: ${scope}`,
  });
  expect(simulator.state()).toEqual(before);
  expect((await ask(method, path, body, `only-${scope}`)).status).toBeLessThan(300);
});

test.each([
  ["/roles", ["per_page=101", "per_page=0", "page=-1", "take=5", "name=x", "type=organization"]],
  ["/groups", ["take=0", "from=nonsense", "page=0", "name_filter=x"]],
  [`${ROLE}/groups`, ["take=0", "take=x", "from=nonsense", "page=0"]],
  ["/connection-profiles", ["take=0", "take=11", "from=nonsense", "per_page=5"]],
  ["/device-credentials", ["type=password", "per_page=101", "page=-1", "id=dcr_1"]],
])("%s refuses %j", async (path, queries) => {
  for (const query of queries)
    expect([query, (await ask("GET", `${path}?${query}`)).body]).toEqual([
      query,
      expect.objectContaining({ statusCode: 400, errorCode: "invalid_query_string" }),
    ]);
});

test.each<[method: string, path: string, message: string, ...body: object[]]>([
  ["GET", "/roles/rol_none", "The role does not exist."],
  ["GET", "/roles/rol_none/groups", "The role does not exist."],
  ["GET", "/roles/rol_none/permissions", "The role does not exist."],
  ["POST", "/roles/rol_none/groups", "The role does not exist.", { groups: [GROUP] }],
  ["DELETE", "/roles/rol_none/groups", "The role does not exist.", { groups: [GROUP] }],
  ["GET", "/groups/grp_zzzzzzzzzzzzzz", "The group does not exist."],
  ["GET", "/groups/grp_zzzzzzzzzzzzzz/members", "The group does not exist."],
  ["PATCH", "/connection-profiles/cop_none", "The connection profile does not exist.", {}],
  ["GET", "/organizations/org_none", "No organization found by that id or name."],
  ["GET", "/organizations/name/nobody", "No organization found by that id or name."],
  ["GET", "/organizations/org_none/groups", "No organization found by that id or name."],
])("%s %s: 404", async (method, path, message, ...[body]) => {
  expect((await ask(method, path, body)).body).toMatchObject({ statusCode: 404, message });
});

test.each(["/groups", `${ROLE}/groups`, `${ORG}/groups`, `${ORG}/roles/rol_0/groups`])(
  "%s has pages of 50 unless told otherwise, and no cursor at the end",
  async (path) => {
    const sizes: number[] = [];
    const seen: string[] = [];
    let query = "";
    do {
      const page = (await ask("GET", path + query)).body as { groups: { id: string }[]; next?: string };
      sizes.push(page.groups.length);
      seen.push(...page.groups.map(({ id }) => id));
      query = page.next === undefined ? "" : `?from=${page.next}`;
    } while (query !== "");
    expect(sizes).toEqual([50, 50, 20]);
    expect(seen).toEqual(GROUPS);
    expect((await ask("GET", `${path}?take=120`)).body).not.toHaveProperty("next");
  },
);
