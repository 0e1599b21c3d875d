import { ALL_SCOPES } from "../../simulator/default-seed";
import { type BehaviourInput } from "../../simulator/index";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

/*
 * What each GET answers and refuses, and its scope. contract.test.ts reads the same lists with the official
 * client.
 */

const numbers = Array.from({ length: 120 }, (_, index) => index);
const permission = (name: string) => ({
  resource_server_identifier: "https://api.example.com/",
  permission_name: name,
});
const PERMISSIONS = numbers.map((index) => permission(`read:${index}`));
const GROUPS = numbers.map((index) => ({
  id: `grp_AAAAAAAAAAAA${String(index + 111).replaceAll("0", "Z")}`,
  name: `group ${index >> 1}`,
  connection_id: index % 2 === 0 ? "con_even" : "con_odd",
  external_id: `EXT-${index}`,
}));
const GROUP = GROUPS[0]!.id;
const LONELY = { id: "grp_BBBBBBBBBBBBBB", name: "lonely" };
const ROLES = numbers.map((index) => ({ id: `rol_${index}`, name: `role ${index}` }));
const SUPPORT = { id: "rol_support", name: "Support Agent", description: "Answers" };
const OWN = { id: "rol_own", name: "manager", type: "organization" as const, owner_id: "org_0" };
const SYSTEM = { id: "rol_system", name: "admin", type: "organization" as const, owner_id: "auth0" };
const IDENTITY = { connection: "directory", provider: "oidc", user_id: 7, isSocial: false };
const PROVIDER_TOKENS = { access_token: "pat", access_token_secret: "pats", refresh_token: "prt" };
const USER = "auth0|a b/c";
const user = { user_id: USER, email: "a@example.com", name: "A", blocked: false, identities: [IDENTITY] };
const PATH = `/users/${encodeURIComponent(USER)}`;
const ORG = "/organizations/org_0";
const PHONE = { id: "dcr_1", type: "refresh_token", user_id: "u1", client_id: "c1" } as const;
const KEY = { id: "dcr_2", type: "public_key", user_id: "u1", client_id: "c2", device_id: "d" } as const;
const scopes = ALL_SCOPES.split(" ");
const CURSOR = expect.any(String) as unknown;
const everyGroup = GROUPS.map(({ id }) => id);

const simulator = useSimulator();

function seed(behaviour: BehaviourInput = {}): void {
  simulator.seed({
    behaviour,
    tokens: [
      { access_token: "all", scope: ALL_SCOPES },
      { access_token: "idp", scope: "read:user_idp_tokens" },
      { access_token: "self", scope: "read:current_user", subject: USER },
      { access_token: "stranger", scope: "read:current_user", subject: "bare" },
      ...scopes.flatMap((one) => [
        { access_token: `only-${one}`, scope: one },
        { access_token: `without-${one}`, scope: scopes.filter((scope) => scope !== one).join(" ") },
      ]),
    ],
    users: [
      {
        ...user,
        groups: [GROUP],
        roles: ["rol_0"],
        identities: [{ ...IDENTITY, ...PROVIDER_TOKENS }],
        permissions: PERMISSIONS,
      },
      { user_id: "bare", roles: ["rol_0"] },
      ...numbers.slice(0, 59).map((index) => ({
        user_id: `member|${index}`,
        groups: [GROUP],
        permissions: [
          {
            ...permission("write"),
            sources: [{ source_id: "rol_1", source_name: "", source_type: "ROLE" }],
          },
        ],
      })),
    ],
    groups: [...GROUPS, LONELY],
    roles: [
      { ...ROLES[0]!, groups: everyGroup, permissions: [permission("read:0")] },
      ROLES[1]!,
      { ...ROLES[2]!, permissions: [] },
      ...ROLES.slice(3),
      { ...SUPPORT, groups: [GROUP] },
      OWN,
      SYSTEM,
    ],
    organizations: [
      {
        id: "org_0",
        name: "acme",
        groups: everyGroup,
        roles: [{ id: "rol_0", groups: everyGroup, members: [USER] }],
      },
    ],
    connection_profiles: numbers.slice(0, 12).map((index) => ({ id: `cop_${index}`, name: `p${index}` })),
    device_credentials: [
      PHONE,
      KEY,
      { ...PHONE, id: "dcr_3", type: "rotating_refresh_token" },
      { ...PHONE, id: "dcr_4", user_id: "u2" },
      { ...PHONE, id: "dcr_5" },
    ],
    sessions: ["s1", "s2"].map((id) => ({ id, user_id: id === "s1" ? "bare" : USER })),
    refresh_tokens: ["t1", "t2", "t3"].map((id) => ({
      id,
      user_id: id === "t3" ? USER : "bare",
      client_id: "c",
    })),
  });
}
beforeAll(() => seed());

const get = (path: string, token = "all") => caller(simulator, token)("GET", path);
const bodyOf = async (path: string, token?: string) => (await get(path, token)).body;

/** A list's answer with ids in place of its entries. */
async function idsOf(path: string): Promise<unknown> {
  const { status, body } = await get(path);
  if (status !== 200) return [status, (body as { message: string }).message];
  const ids = (value: unknown) =>
    Array.isArray(value)
      ? (value as { id?: string; user_id?: string }[]).map(({ id, user_id }) => id ?? user_id)
      : value;
  if (Array.isArray(body)) return ids(body);
  return Object.fromEntries(Object.entries(body as object).map(([key, value]) => [key, ids(value)]));
}

/** The same with the number of entries. */
async function sizesOf(path: string): Promise<unknown> {
  const ids = await idsOf(path);
  if (Array.isArray(ids)) return typeof ids[0] === "number" ? ids : ids.length;
  const size = (value: unknown) => (Array.isArray(value) ? value.length : value);
  return Object.fromEntries(Object.entries(ids as object).map(([key, value]) => [key, size(value)]));
}

test.each<[path: string, body: unknown, ...token: string[]]>([
  // What is unset is absent, and permissions are no field of a user. Tokens of identities take a scope.
  [PATH, user, "only-read:users"],
  ["/users/bare", { user_id: "bare" }],
  [PATH, { ...user, identities: [{ ...IDENTITY, ...PROVIDER_TOKENS }] }, "idp"],
  [PATH, user, "self"],
  [`${PATH}?fields=`, user, "self"],
  [`${PATH}?fields=&include_fields=false`, user, "self"],
  [`${PATH}?include_fields=false`, user, "self"],
  [`${PATH}?fields=email,name`, { email: "a@example.com", name: "A" }],
  [`${PATH}?fields=email&include_fields=true`, { email: "a@example.com" }],
  [`${PATH}?fields=nickname`, {}],
  [`${PATH}?fields=email,name,identities&include_fields=false`, { user_id: USER, blocked: false }],
  [`${PATH}/permissions`, PERMISSIONS.slice(0, 50)],
  [`${PATH}/permissions?per_page=1&page=119`, PERMISSIONS.slice(119)],
  [`${PATH}/permissions?per_page=100&page=2`, []],
  [`${PATH}/permissions?include_totals=false&per_page=1`, PERMISSIONS.slice(0, 1)],
  [
    `${PATH}/permissions?include_totals=true&page=2`,
    { permissions: PERMISSIONS.slice(100), start: 100, limit: 50, total: 120 },
  ],
  [`${PATH}/permissions?include_totals=true&page=9`, { permissions: [], start: 450, limit: 50, total: 120 }],
  ["/users/bare/permissions", []],
  ["/users/bare/sessions", { sessions: [{ id: "s1", user_id: "bare" }] }],
  ["/roles/rol_0", ROLES[0]],
  ["/roles?name_filter=AGENT", [SUPPORT]],
  ["/roles?name_filter=nobody", []],
  // System Roles are listed by their owner alone.
  ["/roles?page=2", [...ROLES.slice(100), SUPPORT, OWN]],
  ["/roles?type=tenant&page=2", [...ROLES.slice(100), SUPPORT]],
  ["/roles?type=organization&owner_id=org_0", [OWN]],
  ["/roles?type=organization&owner_id=auth0", [SYSTEM]],
  // A role's own permissions, or those that users have through it.
  ["/roles/rol_0/permissions", [permission("read:0")]],
  [
    "/roles/rol_1/permissions?include_totals=true",
    { start: 0, limit: 50, total: 1, permissions: [permission("write")] },
  ],
  ["/roles/rol_2/permissions", []],
  // Who has a role through a group isn't among its users.
  ["/roles/rol_support/users", { users: [] }],
  ["/roles/rol_0/users", { users: [{ user_id: USER, email: user.email, name: "A" }, { user_id: "bare" }] }],
  [`/groups/${GROUP}`, GROUPS[0]],
  ["/groups?name=group%207", { groups: GROUPS.slice(14, 16) }],
  ["/groups?name=Group%207", { groups: [] }],
  ["/groups?name=group%207&connection_id=con_odd", { groups: [GROUPS[15]] }],
  ["/groups?external_id=EXT-3", { groups: [GROUPS[3]] }],
  ["/groups?search=ext-33", { groups: [GROUPS[33]] }],
  ["/groups?search=GROUP%2033", { groups: GROUPS.slice(66, 68) }],
  ["/groups?name=group%207&fields=id", { groups: GROUPS.slice(14, 16).map(({ id }) => ({ id })) }],
  [`/groups/${LONELY.id}/members`, { members: [] }],
  [
    `/groups/${GROUP}/members?fields=member_type&take=1`,
    { members: [{ member_type: "user" }], next: CURSOR },
  ],
  ["/roles/rol_support/groups", { groups: [GROUPS[0]] }],
  ["/roles/rol_1/groups", { groups: [] }],
  // Without a type: no rotating tokens, and all at once whatever the paging says.
  ["/device-credentials?user_id=u1&fields=id", ["dcr_1", "dcr_2", "dcr_5"].map((id) => ({ id }))],
  ["/device-credentials?user_id=u1&client_id=c2&per_page=1&page=3&include_totals=true", [KEY]],
  ["/device-credentials?user_id=nobody", []],
  ["/device-credentials?type=rotating_refresh_token&fields=id", [{ id: "dcr_3" }]],
  ["/device-credentials?type=refresh_token&user_id=u2&fields=id", [{ id: "dcr_4" }]],
  ["/device-credentials?type=refresh_token&per_page=2&page=1&fields=id", [{ id: "dcr_5" }]],
  [
    "/device-credentials?type=refresh_token&per_page=2&page=7&include_totals=true",
    { device_credentials: [], start: 14, limit: 2, total: 3 },
  ],
  [
    "/device-credentials?type=public_key&fields=id,type&include_fields=false",
    [{ user_id: "u1", client_id: "c2", device_id: "d" }],
  ],
])("GET %s", async (path, body, ...[token]) => {
  expect(await bodyOf(path, token)).toEqual(body);
});

const invalid = (message: string) => `Query validation error: '${message}.`;
const STRANGER = "User to be acted on does not match subject in bearer token.";
const NO_ORGANIZATION = "No organization found by that id or name.";

test.each<[path: string, status: number, code: string | undefined, message: unknown, ...token: string[]]>([
  [PATH, 403, undefined, STRANGER, "stranger"],
  ["/users/nobody", 403, undefined, STRANGER, "stranger"],
  ["/users/nobody", 404, "inexistent_user", "The user does not exist."],
  [`/users/${"x".repeat(600)}`, 404, "inexistent_user", "The user does not exist."],
  ["/users/nobody/permissions", 404, "inexistent_user", "The user does not exist."],
  ["/users/auth0%zz", 400, "invalid_uri", expect.any(String)],
  ["/roles/rol_none", 404, undefined, "The role does not exist."],
  ["/roles/rol_none/groups", 404, undefined, "The role does not exist."],
  ["/roles/rol_none/permissions", 404, undefined, "The role does not exist."],
  ["/roles/rol_none/users", 404, undefined, "The role does not exist."],
  ["/groups/grp_zzzzzzzzzzzzzz", 404, undefined, "The group does not exist."],
  ["/groups/grp_zzzzzzzzzzzzzz/members", 404, undefined, "The group does not exist."],
  ["/organizations/org_none", 404, undefined, NO_ORGANIZATION],
  ["/organizations/name/nobody", 404, undefined, NO_ORGANIZATION],
  ["/organizations/org_none/groups", 404, undefined, NO_ORGANIZATION],
  ["/device-credentials/dcr_1", 404, undefined, expect.any(String)],
  ["/roles/rol_0/users", 403, "insufficient_scope", expect.any(String), "only-read:users"],
])("GET %s: %i %s", async (path, statusCode, errorCode, message, ...[token]) => {
  const error = { 400: "Bad Request", 403: "Forbidden", 404: "Not Found" }[statusCode];
  expect(await bodyOf(path, token)).toEqual({ statusCode, error, message, ...(errorCode && { errorCode }) });
});

test.each<[path: string, query: string, message: string]>([
  [PATH, "include_fields=yes", "Expected type boolean but found type string' on property include_fields"],
  [PATH, "include_fields=", "Expected type boolean but found type string' on property include_fields"],
  [PATH, "page=1", "Additional properties not allowed: page' on property page"],
  [PATH, "fields=a&fields=b", "Expected type string but found type array' on property fields"],
  ["/roles", "per_page=0", "Value 0 is less than minimum 1' on property per_page"],
  ["/roles", "per_page=101", "Value 101 is greater than maximum 100' on property per_page"],
  ["/roles", "page=-1", "Value -1 is less than minimum 0' on property page"],
  ["/roles", "page=1.5", "Expected type integer but found type string' on property page"],
  ["/roles", "include_totals=1", "Expected type boolean but found type string' on property include_totals"],
  ["/roles", "take=5", "Additional properties not allowed: take' on property take"],
  ["/roles", "type=organization", `owner_id is required with type "organization"'`],
  ["/groups", "take=0", "Value 0 is less than minimum 1' on property take"],
  ["/groups", "from=nonsense", "Invalid cursor' on property from"],
  ["/groups", "page=0", "Additional properties not allowed: page' on property page"],
  ["/connection-profiles", "take=11", "Value 11 is greater than maximum 10' on property take"],
  ["/device-credentials", "type=password", `No enum match for: "password"' on property type`],
])("GET %s?%s: 400", async (path, query, message) => {
  expect(await bodyOf(`${path}?${query}`)).toEqual({
    statusCode: 400,
    error: "Bad Request",
    message: invalid(message),
    errorCode: "invalid_query_string",
  });
});

test.each<[path: string, key: string, sizes: number[], query?: string]>([
  ["/groups", "groups", [50, 50, 21]],
  ["/groups", "groups", [40, 20], "connection_id=con_odd&take=40"],
  ["/roles/rol_0/groups", "groups", [50, 50, 20]],
  [`${ORG}/groups`, "groups", [50, 50, 20]],
  [`${ORG}/roles/rol_0/groups`, "groups", [50, 50, 20]],
  [`/groups/${GROUP}/members`, "members", [50, 10]],
  ["/connection-profiles", "connection_profiles", [5, 5, 2]],
  ["/users/bare/refresh-tokens", "tokens", [1, 1], "take=1"],
])("GET %s: all %s, in pages of %j", async (path, key, sizes, query = "") => {
  const seen: unknown[][] = [];
  for (let next: string | undefined = ""; next !== undefined;) {
    const page = (await idsOf(`${path}?${query}${next}`)) as Record<string, unknown>;
    seen.push(page[key] as unknown[]);
    next = page["next"] === undefined ? undefined : `&from=${page["next"] as string}`;
  }
  expect(seen.map(({ length }) => length)).toEqual(sizes);
  expect(new Set(seen.flat()).size).toBe(seen.flat().length);
});

test.each<[request: string, scope: string, ...body: object[]]>([
  ["GET /connection-profiles", "read:connection_profiles"],
  ["GET /connection-profiles/cop_0", "read:connection_profiles"],
  ["POST /connection-profiles", "create:connection_profiles", { name: "b" }],
  ["PATCH /connection-profiles/cop_0", "update:connection_profiles", { name: "b" }],
  ["DELETE /connection-profiles/cop_0", "delete:connection_profiles"],
  ["GET /device-credentials", "read:device_credentials"],
  ["DELETE /device-credentials/dcr_1", "delete:device_credentials"],
  [`GET ${PATH}/permissions`, "read:users"],
  ["GET /roles", "read:roles"],
  ["GET /roles/rol_0", "read:roles"],
  ["GET /roles/rol_0/permissions", "read:roles"],
  ["GET /groups", "read:groups"],
  [`GET /groups/${GROUP}`, "read:groups"],
  [`GET /groups/${GROUP}/members`, "read:group_members"],
  ["GET /roles/rol_0/groups", "read:group_roles"],
  ["POST /roles/rol_0/groups", "create:group_roles", { groups: [GROUP] }],
  ["DELETE /roles/rol_0/groups", "delete:group_roles", { groups: [GROUP] }],
  [`GET ${ORG}`, "read:organizations"],
  [`GET ${ORG}/groups`, "read:organization_groups"],
  [`GET ${ORG}/roles/rol_0/groups`, "read:organization_group_roles"],
  [`GET ${ORG}/roles/rol_0/members`, "read:organization_member_roles"],
  [`GET ${ORG}/groups/${GROUP}/roles`, "read:organization_group_roles"],
  [`POST ${ORG}/groups/${GROUP}/roles`, "create:organization_group_roles", { roles: ["rol_0"] }],
  [`DELETE ${ORG}/groups/${GROUP}/roles`, "delete:organization_group_roles", { roles: ["rol_0"] }],
  ["GET /users/bare/sessions", "read:sessions"],
  ["DELETE /users/bare/sessions", "delete:sessions"],
  ["GET /users/bare/refresh-tokens", "read:refresh_tokens"],
  ["DELETE /users/bare/refresh-tokens", "delete:refresh_tokens"],
])("%s needs %s", async (request, scope, ...[body]) => {
  seed();
  const [method, path] = request.split(" ") as [string, string];
  const before = simulator.state();
  expect((await caller(simulator, `without-${scope}`)(method, path, body)).body).toMatchObject({
    statusCode: 403,
    errorCode: "insufficient_scope",
    message: `Insufficient scope, expected any of: ${scope}`,
  });
  expect(simulator.state()).toEqual(before);
  expect((await caller(simulator, `only-${scope}`)(method, path, body)).status).toBeLessThan(300);
});

/* README.md, "Lists, and groups that are refused" */
const NO_TAKE = invalid("Additional properties not allowed: take' on property take");
const NO_PAGE = invalid("Additional properties not allowed: page' on property page");

test.each<[behaviour: BehaviourInput, path: string, sizes: unknown]>([
  [
    { max_page_size: 50 },
    "/roles?per_page=100&page=2&include_totals=true",
    { roles: 22, start: 100, limit: 50, total: 122 },
  ],
  [{ max_page_size: 50 }, "/roles/rol_0/groups?take=100", { groups: 50, next: CURSOR }],
  // Page numbers are ignored.
  [
    { numbered_lists: "cursor" },
    "/roles?per_page=100&page=1&include_totals=true",
    { roles: 100, next: CURSOR },
  ],
  [{ numbered_lists: "cursor" }, "/roles?take=122", { roles: 122 }],
  [{}, "/roles?take=100", [400, NO_TAKE]],
  [{ totals: "first_page" }, "/roles?include_totals=true", { roles: 50, start: 0, limit: 50, total: 122 }],
  [
    { totals: "first_page" },
    "/roles?include_totals=true&page=1",
    { roles: 50, start: 50, limit: 50, total: 0 },
  ],
  [{ totals: "none" }, "/roles?include_totals=true", 50],
  [{ max_numbered_entries: 100 }, "/roles?page=1", 50],
  [{ max_numbered_entries: 100 }, "/roles?page=2", [400, "You can only page through the first 100 records."]],
  [{ cursor_lists: "numbers" }, "/roles/rol_0/groups", { groups: 50, total: 120 }],
  [{ cursor_lists: "numbers" }, "/roles/rol_0/groups?page=2&per_page=50", { groups: 20, total: 120 }],
  [{ cursor_lists: "total" }, "/roles/rol_0/groups", { groups: 50, total: 120 }],
  [{ cursor_lists: "total" }, "/roles/rol_0/groups?page=1", [400, NO_PAGE]],
  [{ empty_lists: "plain" }, "/roles/rol_1/groups", 0],
  [{ empty_lists: "plain" }, "/users/bare/permissions?include_totals=true", 0],
])("%j: GET %s", async (behaviour, path, sizes) => {
  seed(behaviour);
  expect(await sizesOf(path)).toEqual(sizes);
});

test("numbered_lists: a cursor goes on", async () => {
  seed({ numbered_lists: "cursor" });
  const { next } = (await idsOf("/roles?take=100")) as { next: string };
  expect(await idsOf(`/roles?take=100&from=${next}`)).toMatchObject({
    roles: [...ROLES.slice(100), SUPPORT, OWN].map(({ id }) => id),
  });
});
