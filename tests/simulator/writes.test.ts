import { type BehaviourInput, type SeedInput, startSimulator } from "../../simulator/index";
import { type Answer, caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/* What each write does and refuses, with each switch of `behaviour`. reads.test.ts has what GETs answer. */

const GROUPS = Array.from(
  { length: 120 },
  (_, index) => `grp_AAAAAAAAAAAA${String(index + 111).replaceAll("0", "Z")}`,
);
const [A, B, C] = GROUPS as [string, string, string];
const UNKNOWN = "grp_zzzzzzzzzzzzzz";
const ROLE = "/roles/rol_one/groups";
const OF_A = `/organizations/org_0/groups/${A}/roles`;
const OF_B = `/organizations/org_0/groups/${B}/roles`;
const PROFILE = "/connection-profiles/cop_1";
const SCOPES = [
  ...["connection_profiles", "group_roles", "organization_group_roles"].flatMap((of) =>
    ["create", "read", "update", "delete"].map((verb) => `${verb}:${of}`),
  ),
  "delete:device_credentials delete:sessions delete:refresh_tokens read:refresh_tokens read:tenant_settings",
].join(" ");
const FULL: NonNullable<SeedInput["connection_profiles"]>[number] & { name: string } = {
  name: "partners",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  connection_name_prefix_template: "c-{org_name}",
  enabled_features: ["scim", "universal_logout"],
  connection_config: {},
  strategy_overrides: {
    oidc: { enabled_features: ["scim"], connection_config: {} },
    "google-apps": { enabled_features: [] },
  },
};
const UNSET = {
  organization: null,
  connection_name_prefix_template: null,
  enabled_features: null,
  connection_config: {},
  strategy_overrides: null,
};
const OF_U1 = { user_id: "u1", client_id: "app" };

const simulator = useSimulator();
const api = caller(simulator, "all");

function seed(behaviour: BehaviourInput = {}, { roles = [], ...more }: SeedInput = {}): void {
  simulator.seed({
    behaviour,
    tokens: [{ access_token: "all", scope: SCOPES }],
    users: [{ user_id: "u1" }, { user_id: "u2" }],
    groups: GROUPS.map((id) => ({ id })),
    roles: [
      { id: "rol_one", groups: [A] },
      { id: "rol_two" },
      { id: "rol_own", type: "organization", owner_id: "org_0" },
      { id: "rol_foreign", type: "organization", owner_id: "org_other" },
      { id: "rol_system", type: "organization", owner_id: "auth0" },
      ...roles,
    ],
    organizations: [
      { id: "org_0", name: "acme", groups: [A, B], roles: [{ id: "rol_one", groups: [B] }] },
      { id: "org_other", name: "globex" },
    ],
    connection_profiles: [
      { id: "cop_1", ...FULL },
      { id: "cop_2", name: "taken" },
    ],
    device_credentials: [
      { id: "d1", type: "refresh_token", ...OF_U1 },
      { id: "d2", type: "rotating_refresh_token", ...OF_U1 },
      { id: "d3", type: "public_key", ...OF_U1 },
      { id: "d4", type: "refresh_token", ...OF_U1, client_id: "other" },
    ],
    sessions: ["u1", "u2"].map((user_id) => ({ id: `session-${user_id}`, user_id })),
    refresh_tokens: [
      { id: "t1", ...OF_U1 },
      { id: "t2", ...OF_U1, client_id: "other" },
      { id: "t3", ...OF_U1, user_id: "u2" },
    ],
    ...more,
  });
}
beforeEach(() => seed());

function ask(request: string, body?: object): Promise<Answer> {
  const [method, path] = request.split(" ") as [string, string];
  return api(method, path, body);
}
const create = async (body: object) => (await ask("POST /connection-profiles", body)).body as { id: string };
const patch = async (body: object) => (await ask(`PATCH ${PROFILE}`, body)).body;

/** The lists that writes change. */
function stored() {
  const { roles, organizations, connection_profiles, ...rest } = simulator.state();
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join(" ");
  return {
    one: roles[0]?.groups,
    two: roles[1]?.groups,
    ofOrganization: Object.fromEntries(organizations[0]!.roles.map(({ id, groups }) => [id, groups])),
    profiles: connection_profiles.map(({ name }) => name),
    credentials: ids(rest.device_credentials),
    sessions: ids(rest.sessions),
    tokens: ids(rest.refresh_tokens),
  };
}

type Write = [request: string, body: object | undefined, status: number, changed: object];

test.each<[behaviour: BehaviourInput, ...write: Write]>([
  [{}, `POST ${ROLE}`, { groups: [B, C] }, 204, { one: [A, B, C] }],
  [{}, `POST ${ROLE}`, { groups: [A, B] }, 204, { one: [A, B] }],
  [{ assign_assigned_group: "error" }, `POST ${ROLE}`, { groups: [B, A] }, 400, {}],
  [{}, `POST ${ROLE}`, { groups: GROUPS }, 204, { one: GROUPS }],
  [{ max_groups_per_call: 2 }, `POST ${ROLE}`, { groups: [A, B, C] }, 400, {}],
  [{ max_groups_per_call: 2 }, `POST ${ROLE}`, { groups: [B, C] }, 204, { one: [A, B, C] }],
  [{ max_groups_per_call: 2 }, `DELETE ${ROLE}`, { groups: [A, B, C] }, 400, {}],
  [{ refused_groups: { [B]: 403 } }, `POST ${ROLE}`, { groups: [B, C] }, 403, {}],
  [{}, `POST ${ROLE}`, { groups: [B, UNKNOWN] }, 404, {}],
  [{}, "POST /roles/rol_none/groups", { groups: [B] }, 404, {}],
  [{}, `DELETE ${ROLE}`, { groups: [A, C] }, 204, { one: [] }],
  [{}, `DELETE ${ROLE}`, { groups: [B, UNKNOWN] }, 204, {}],
  [{ remove_absent_group: "error" }, `DELETE ${ROLE}`, { groups: [A, B] }, 404, {}],
  [{}, `DELETE ${ROLE}`, undefined, 400, {}],
  [{}, `DELETE ${ROLE}`, { groups: [] }, 400, {}],
  [{}, `DELETE ${ROLE}`, new URLSearchParams({ groups: A }), 415, {}],
  [{}, "DELETE /roles/rol_none/groups", { groups: [B] }, 404, {}],
  ...(
    [
      ["groups", [B]],
      ["groups", [B, C]],
      ["groups[]", [B]],
      ["groups[]", [B, C]],
    ] as const
  ).map(([name, ids]): [BehaviourInput, ...Write] => {
    const form = new URLSearchParams(ids.map((id): [string, string] => [name, id]));
    return [{}, `POST ${ROLE}`, form, 204, { one: [A, ...ids] }];
  }),
  // Roles of the tenant, of the organization and of the service can be given there.
  [
    {},
    `POST ${OF_A}`,
    { roles: ["rol_one", "rol_own", "rol_system"] },
    204,
    { ofOrganization: { rol_one: [B, A], rol_own: [A], rol_system: [A] } },
  ],
  [{}, `POST ${OF_B}`, { roles: ["rol_one"] }, 204, {}],
  [{ assign_assigned_group: "error" }, `POST ${OF_B}`, { roles: ["rol_one"] }, 409, {}],
  [{ refused_groups: { [A]: 403 } }, `POST ${OF_A}`, { roles: ["rol_own"] }, 403, {}],
  [{}, `POST ${OF_A}`, { roles: ["rol_one", "rol_foreign"] }, 400, {}],
  [{}, `POST ${OF_A}`, { roles: ["rol_one", "rol_none"] }, 404, {}],
  [{}, `POST /organizations/org_0/groups/${C}/roles`, { roles: ["rol_one"] }, 404, {}],
  [{}, `POST /organizations/org_none/groups/${A}/roles`, { roles: ["rol_one"] }, 404, {}],
  [{}, `DELETE ${OF_B}`, { roles: ["rol_one"] }, 204, { ofOrganization: { rol_one: [] } }],
  [{}, `DELETE ${OF_B}`, { roles: ["rol_own"] }, 204, {}],
  [{ remove_absent_group: "error" }, `DELETE ${OF_B}`, { roles: ["rol_own"] }, 404, {}],
  [{}, "DELETE /device-credentials/d1", undefined, 204, { credentials: "d2 d3 d4" }],
  [
    { revoke_refresh_token_grant: true },
    "DELETE /device-credentials/d1",
    undefined,
    204,
    { credentials: "d3 d4" },
  ],
  [{ delete_unknown_device_credential: 204 }, "DELETE /device-credentials/none", undefined, 204, {}],
  [{ delete_unknown_device_credential: 404 }, "DELETE /device-credentials/none", undefined, 404, {}],
  [{}, "DELETE /users/u1/sessions", undefined, 202, { sessions: "session-u2" }],
  [{}, "DELETE /users/u1/refresh-tokens", undefined, 202, { tokens: "t3" }],
  [{}, "POST /refresh-tokens/revoke", { user_id: "u1", client_id: "other" }, 202, { tokens: "t1 t3" }],
  [{}, "POST /refresh-tokens/revoke", { client_id: "app" }, 400, {}],
  [{}, "DELETE /users/nobody/sessions", undefined, 404, {}],
  [{ user_sessions: "not_served" }, "DELETE /users/u1/sessions", undefined, 404, {}],
  [{ user_sessions: "not_entitled" }, "GET /users/u1/refresh-tokens", undefined, 403, {}],
  [{}, `DELETE ${PROFILE}`, undefined, 204, { profiles: ["taken"] }],
  [{}, "DELETE /connection-profiles/cop_none", undefined, 404, {}],
  [{ delete_unknown_profile: 204 }, "DELETE /connection-profiles/cop_none", undefined, 204, {}],
  [{}, "PATCH /connection-profiles/cop_none", {}, 404, {}],
  [{}, "POST /connection-profiles", { name: "taken" }, 409, {}],
  [{}, `PATCH ${PROFILE}`, { name: "taken" }, 409, {}],
  [{}, `PATCH ${PROFILE}`, { name: "partners" }, 200, {}],
  [
    { profile_name_conflict: "allow" },
    "POST /connection-profiles",
    { name: "taken" },
    201,
    { profiles: ["partners", "taken", "taken"] },
  ],
  [
    { profile_name_conflict: "allow" },
    `PATCH ${PROFILE}`,
    { name: "taken" },
    200,
    { profiles: ["taken", "taken"] },
  ],
  [{}, "POST /connection-profiles", new URLSearchParams({ name: "x" }), 415, {}],
])("%j: %s %j: %i", async (behaviour, request, body, status, changed) => {
  seed(behaviour);
  const before = stored();
  const answer = await ask(request, body);
  expect(answer).toMatchObject({ status, ...([202, 204].includes(status) && { body: "" }) });
  expect(stored()).toEqual({ ...before, ...changed });
});

test.each<[request: string, body: unknown, message: string]>([
  [`POST ${ROLE}`, {}, "Missing required property: groups' on property groups"],
  [`POST ${ROLE}`, { groups: [] }, "Array is too short (0), minimum 1' on property groups"],
  [`POST ${ROLE}`, { groups: A }, "Expected type array but found type string' on property groups"],
  [
    `POST ${ROLE}`,
    { groups: [B, "grp_1"] },
    "String is too short (5 chars), minimum 18' on property groups.1",
  ],
  [
    `POST ${ROLE}`,
    { groups: [`grp_${"1".repeat(23)}`] },
    "String is too long (27 chars), maximum 26' on property groups.0",
  ],
  [
    `POST ${ROLE}`,
    { groups: ["grp_AAAAAAAAAAAAA0"] },
    "String does not match pattern /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/' on property groups.0",
  ],
  [`POST ${ROLE}`, { groups: [B], role: "x" }, "Additional properties not allowed: role' on property role"],
  ...[
    [{}, "Missing required property: name' on property name"],
    [{ name: "" }, "String is too short (0 chars), minimum 1' on property name"],
    // A character counts once, whatever it takes to encode it.
    [{ name: "🌍".repeat(51) }, "String is too long (51 chars), maximum 50' on property name"],
    [{ name: null }, "Expected type string but found type null' on property name"],
    [{ name: 5 }, "Expected type string but found type integer' on property name"],
    [{ name: "x", id: "cop_1" }, "Additional properties not allowed: id' on property id"],
    [
      { name: "x", enabled_features: ["scim", "sso"] },
      `No enum match for: "sso"' on property enabled_features.1`,
    ],
    [
      { name: "x", connection_name_prefix_template: "x".repeat(16) },
      "String is too long (16 chars), maximum 15' on property connection_name_prefix_template",
    ],
    [
      { name: "x", organization: { show_as_button: "always" } },
      `No enum match for: "always"' on property organization.show_as_button`,
    ],
    [
      { name: "x", organization: { hidden: true } },
      "Additional properties not allowed: hidden' on property organization.hidden",
    ],
    [
      { name: "x", connection_config: { a: 1 } },
      "Additional properties not allowed: a' on property connection_config.a",
    ],
    [
      { name: "x", strategy_overrides: { saml: {} } },
      "Additional properties not allowed: saml' on property strategy_overrides.saml",
    ],
    [
      { name: "x", strategy_overrides: { ad: { name: "x" } } },
      "Additional properties not allowed: name' on property strategy_overrides.ad.name",
    ],
    [
      { name: "x", cross_app_access_resource_app: {} },
      "Missing required property: status' on property cross_app_access_resource_app.status",
    ],
    [
      { name: "x", provisioning: { scim: { tokens: { scopes: ["users"] } } } },
      `No enum match for: "users"' on property provisioning.scim.tokens.scopes.0`,
    ],
    [[], "Expected type object but found type array'"],
  ].map(([body, message]): [string, unknown, string] => [
    "POST /connection-profiles",
    body,
    message as string,
  ]),
  [`PATCH ${PROFILE}`, { name: "" }, "String is too short (0 chars), minimum 1' on property name"],
  [`PATCH ${PROFILE}`, { id: "cop_1" }, "Additional properties not allowed: id' on property id"],
])("%s %j: 400", async (request, body, message) => {
  const before = simulator.state();
  expect((await ask(request, body as object)).body).toEqual({
    statusCode: 400,
    error: "Bad Request",
    message: `Payload validation error: '${message}.`,
    errorCode: "invalid_body",
  });
  expect(simulator.state()).toEqual(before);
});

test("no body, or one that is neither JSON nor a form: 400 and 415", async () => {
  expect(await api("POST", ROLE)).toMatchObject({ status: 400, body: { errorCode: "invalid_body" } });
  expect((await api("POST", ROLE, "{", { "content-type": "application/json" })).body).toMatchObject({
    statusCode: 400,
    message: "Invalid request payload JSON format",
  });
  expect((await api("POST", ROLE, "<a/>", { "content-type": "application/xml" })).status).toBe(415);
});

const ENTITLEMENT = { status: 403, body: { errorCode: "insufficient_entitlement" } };

test("a group has at most 10 roles, in the tenant and in an organization", async () => {
  seed({}, { roles: Array.from({ length: 10 }, (_, i) => ({ id: `rol_${i}`, groups: [B] })) });
  expect(await ask(`POST ${ROLE}`, { groups: [C, B] })).toMatchObject(ENTITLEMENT);
  expect(stored().one).toEqual([A]);
  expect(await ask("POST /roles/rol_0/groups", { groups: [B] })).toMatchObject({ status: 204 });
  for (let i = 0; i < 10; i++)
    expect(await ask(`POST ${OF_A}`, { roles: [`rol_${i}`] })).toMatchObject({ status: 204 });
  expect(await ask(`POST ${OF_A}`, { roles: ["rol_two"] })).toMatchObject(ENTITLEMENT);
});

test("at most 100 roles are on groups", async () => {
  seed({}, { roles: Array.from({ length: 99 }, (_, i) => ({ id: `rol_${i}`, groups: [GROUPS[i + 3]!] })) });
  expect(await ask("POST /roles/rol_two/groups", { groups: [B] })).toMatchObject(ENTITLEMENT);
  expect(await ask(`POST ${ROLE}`, { groups: [B] })).toMatchObject({ status: 204 });
});

test("a cursor keeps its place when entries before it go, or others come", async () => {
  const list = async (path: string) =>
    (await ask(`GET ${path}`)).body as { next: string } & Record<string, { id: string; name?: string }[]>;
  await ask(`POST ${ROLE}`, { groups: [B, C] });
  const { next } = await list(`${ROLE}?take=2`);
  await ask(`DELETE ${ROLE}`, { groups: [A, B] });
  expect((await list(`${ROLE}?from=${next}`)).groups).toEqual([{ id: C }]);
  const profiles = await list("/connection-profiles?take=1");
  await ask(`DELETE ${PROFILE}`);
  await create({ name: "new" });
  const { connection_profiles } = await list(`/connection-profiles?from=${profiles.next}`);
  expect(connection_profiles!.map(({ name }) => name)).toEqual(["taken", "new"]);
});

test("device credentials can have a bucket of their own", async () => {
  let now = 0;
  const one = await startSimulator({ now: () => now, deviceCredentialRate: { burst: 1, perSecond: 1 } });
  one.seed({
    tokens: [{ access_token: "all", scope: SCOPES }],
    device_credentials: ["d1", "d2"].map((id) => ({ id, type: "public_key" })),
  });
  const call = caller(one, "all");
  const first = await call("DELETE", "/device-credentials/d1");
  expect([first.status, first.headers.get("x-ratelimit-limit")]).toEqual([204, "1"]);
  expect((await call("DELETE", "/device-credentials/d2")).status).toBe(429);
  const { headers } = await call("GET", "/connection-profiles");
  expect(["limit", "remaining"].map((name) => headers.get(`x-ratelimit-${name}`))).toEqual(["50", "49"]);
  now += 1000;
  expect((await call("DELETE", "/device-credentials/d2")).status).toBe(204);
  await one.close();
});

test.each([
  [null, {}],
  [true, { revoke_refresh_token_grant: true }],
])("revoke_refresh_token_grant %j is in the settings", async (revoke_refresh_token_grant, flags) => {
  seed({ revoke_refresh_token_grant });
  const { body } = await ask("GET /tenants/settings?fields=flags&include_fields=true");
  expect(body).toEqual({ flags });
});

describe("a connection profile", () => {
  const all = { id: "cop_1", ...FULL };

  test("is made with every key, also those that are unset, and a generated id", async () => {
    const { id, ...rest } = await create({ name: "bare" });
    expect(id).toMatch(/^cop_[1-9A-HJ-NP-Za-km-z]{22}$/);
    expect(rest).toEqual({ name: "bare", ...UNSET });
    expect((await ask(`GET /connection-profiles/${id}`)).body).toEqual({ id, ...rest });
    expect(simulator.state().connection_profiles.at(-1)).toEqual({ id, ...rest });
  });

  test("has another id within a run, the same in the next, and never one that was deleted", async () => {
    const ids = async () => [(await create({ name: "a" })).id, (await create({ name: "b" })).id];
    const first = await ids();
    expect(new Set(first).size).toBe(2);
    seed();
    expect(await ids()).toEqual(first);
    seed({}, { connection_profiles: [{ id: first[0]!, name: "seeded" }] });
    await ask(`DELETE /connection-profiles/${first[0]}`);
    expect((await create({ name: "a" })).id).not.toBe(first[0]);
  });

  test("keeps what is newer than the document, and shows it once it is set", async () => {
    const fields = {
      enabled_features: ["directory_sync"],
      provisioning: { scim: { tokens: { scopes: ["get:users"], default_expiry: null } }, later: 1 },
      cross_app_access_resource_app: {
        status: { default_value: "enabled", allowed_values: ["enabled", "disabled"] },
      },
    };
    expect(await patch({ ...fields, strategy_overrides: { okta: fields } })).toMatchObject(fields);
    const { body } = await ask(`PATCH ${PROFILE}`, { cross_app_access_resource_app: null });
    expect(body).not.toHaveProperty("cross_app_access_resource_app");
  });

  test.each(["", "a-b", "{org_id}", "{org_name}-1", "x".repeat(15)])("has the template %j", async (fits) => {
    expect(await create({ name: "🌍".repeat(50), connection_name_prefix_template: fits })).toMatchObject({
      name: "🌍".repeat(50),
      connection_name_prefix_template: fits,
    });
  });

  test.each(["-a", "a--b", "{org}", "a b", "ä"])("hasn't the template %j", async (template) => {
    expect(await create({ name: "x", connection_name_prefix_template: template })).toMatchObject({
      errorCode: "invalid_body",
    });
  });

  test("has every strategy", async () => {
    const strategies = ["pingfederate", "ad", "adfs", "waad", "google-apps", "okta", "oidc", "samlp"];
    const strategy_overrides = Object.fromEntries(strategies.map((strategy) => [strategy, {}]));
    expect(await create({ name: "x", strategy_overrides })).toMatchObject({ strategy_overrides });
  });

  const nested = {
    organization: { show_as_button: "none" },
    strategy_overrides: { oidc: { enabled_features: ["universal_logout"] }, ad: {} },
  };
  const merged = {
    ...all,
    organization: { show_as_button: "none", assign_membership_on_login: "required" },
    strategy_overrides: {
      oidc: { enabled_features: ["universal_logout"], connection_config: {} },
      "google-apps": { enabled_features: [] },
      ad: {},
    },
  };
  const nulls = { ...UNSET, connection_config: null };
  const nestedNulls = { organization: { show_as_button: null }, strategy_overrides: { oidc: null } };

  test.each<[behaviour: BehaviourInput, body: object, answer: object]>([
    [{}, { name: "others", enabled_features: [] }, { ...all, name: "others", enabled_features: [] }],
    [{}, nested, { ...all, ...nested }],
    [{ nested_patch: "merge" }, nested, merged],
    [{}, nulls, { id: "cop_1", name: "partners", ...UNSET }],
    [
      { nested_patch: "merge" },
      nestedNulls,
      {
        ...all,
        organization: { assign_membership_on_login: "required" },
        strategy_overrides: { "google-apps": { enabled_features: [] } },
      },
    ],
    [
      { null_in_patch: "keep" },
      { ...nulls, enabled_features: ["scim"] },
      { ...all, enabled_features: ["scim"] },
    ],
    [
      { null_in_patch: "reject" },
      { organization: null },
      {
        statusCode: 400,
        error: "Bad Request",
        message:
          "Payload validation error: 'Expected type object but found type null' on property organization.",
        errorCode: "invalid_body",
      },
    ],
  ])("with %j is changed by %j", async (behaviour, body, answer) => {
    seed(behaviour);
    expect(await patch(body)).toEqual(answer);
    const isRefused = "statusCode" in answer;
    expect(simulator.state().connection_profiles[0]).toEqual(isRefused ? all : answer);
  });

  const overrides = (...hosts: string[]) => ({ okta: { provisioning: { hosts } } });

  test("profile_values tidied: another form of what was sent", async () => {
    seed({ profile_values: "tidied" });
    const given = {
      name: "a ",
      connection_name_prefix_template: "Con",
      organization: { show_as_button: "none" },
      strategy_overrides: overrides("https://b.example.com", "https://a.example.com"),
    };
    const tidied = {
      name: "a",
      connection_name_prefix_template: "con",
      organization: {},
      strategy_overrides: overrides("https://a.example.com/", "https://b.example.com/"),
    };
    const { id, ...made } = await create(given);
    expect(made).toMatchObject(tidied);
    expect((await ask(`PATCH /connection-profiles/${id}`, given)).body).toMatchObject(tidied);
  });

  test("profile_values completed: with what organization leaves out", async () => {
    seed({ profile_values: "completed" });
    expect(await create({ name: "a", organization: { show_as_button: "required" } })).toMatchObject({
      organization: { show_as_button: "required", assign_membership_on_login: "none" },
    });
  });

  test("profile_reads: without what the answer to the write has", async () => {
    seed({ profile_reads: "without_none" });
    const organization = { show_as_button: "none", assign_membership_on_login: "required" };
    expect(await patch({ organization })).toMatchObject({ organization });
    const shown = { ...all, organization: { assign_membership_on_login: "required" } };
    expect((await ask(`GET ${PROFILE}`)).body).toEqual(shown);
    expect((await ask("GET /connection-profiles?take=1")).body).toMatchObject({
      connection_profiles: [shown],
    });
  });
});

test.each<[write: string, body: object | undefined, read: string, seen: unknown[]]>([
  [`PATCH ${PROFILE}`, { name: "after" }, PROFILE, ["partners", "partners", "after"]],
  [`DELETE ${PROFILE}`, undefined, PROFILE, ["partners", "partners", 404]],
  [`POST ${ROLE}`, { groups: [B] }, ROLE, [1, 1, 2]],
  ["POST /connection-profiles", { name: "new" }, "/connection-profiles/NEW", [404, 404, "new"]],
])("read_lag 2: %s %j is seen by the third read", async (write, body, read, seen) => {
  seed({ read_lag: 2 });
  const made = (await ask(write, body)).body as { id: string };
  const reads: unknown[] = [];
  for (let i = 0; i < 3; i++) {
    const answer = await ask(`GET ${read.replace("NEW", made.id)}`);
    const { name, groups } = answer.body as { name?: string; groups?: unknown[] };
    reads.push(name ?? groups?.length ?? answer.status);
  }
  expect(reads).toEqual(seen);
});

test("a state is a seed again, and one whose groups aren't in the organization is none", async () => {
  await ask(`POST ${OF_A}`, { roles: ["rol_own"] });
  const { roles, organizations, groups } = simulator.state();
  seed({}, { organizations });
  expect(simulator.state().organizations).toEqual(organizations);
  organizations[0]!.groups = [A];
  expect(() => simulator.seed({ roles, organizations, groups })).toThrow(
    `The group ${B} is not among the organization's groups.`,
  );
});
