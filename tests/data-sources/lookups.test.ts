import { InvalidInputError, NotFoundError, UnexpectedAnswerError } from "../../provider";
import { type SeedInput } from "../../simulator";
import { ADMINS, AGENT } from "../../simulator/default-seed";
import { type Call, type Row, table } from "./table";
import { USER_ID } from "./tenant";

/* Lookups by name, and lists: what each asks, what it finds, and what is none of what it asked for. */

const answering = (body: unknown, path?: string): Pick<Row, "faults"> => ({
  faults: [{ ...(path !== undefined && { path }), action: { status: 200, body } }],
});
const named = (find: string, names: readonly string[], more = {}): Call[] =>
  names.map((name) => [find, { name, ...more }]);
const many = <Of>(count: number, of: (index: number) => Of): Of[] =>
  Array.from({ length: count }, (_, index) => of(index));

type Role = NonNullable<SeedInput["roles"]>[number];
const SUPPORT: Role = { id: AGENT, name: "support-agent", description: "Answers tickets" };
const BILLING: Role = { id: "rol_9sJdYp3LfGe7uXaK", name: "billing-viewer" };
const ROLES = "GET /roles?page=0&per_page=100&include_totals=true 200";
const ACME = "org_5vJmTq8XbRz3kWcY";
const OWN = { id: "rol_own", name: "order-manager", type: "organization" as const, owner_id: ACME };
const FOREIGN = { ...OWN, id: "rol_foreign", owner_id: "org_other" };
const SYSTEM = { ...OWN, id: "rol_system", name: "sys-admin", owner_id: "auth0" };
const ofAcme = (name: string): Call => ["getRole", { name, organization: ACME }];
const rolesOf = (owner: string) =>
  `GET /roles?type=organization&owner_id=${owner}&page=0&per_page=100&include_totals=true 200`;

table("getRole", [
  {
    title: "a role has its id and name, and its description where there is one; calls share one list",
    tenant: { roles: [SUPPORT, BILLING] },
    asks: named("getRole", ["support-agent", "billing-viewer"]),
    sends: [ROLES],
    finds: [SUPPORT, BILLING],
  },
  {
    title: "every page of the list is read",
    tenant: { roles: [...many(250, (n) => ({ id: `rol_${n}`, name: `role ${n}` })), SUPPORT] },
    asks: named("getRole", ["role 0", "role 249", "support-agent"]),
    sends: 3,
    finds: [{ id: "rol_0", name: "role 0" }, { id: "rol_249", name: "role 249" }, SUPPORT],
  },
  {
    title: "a name that no role has exactly fails, with the nearest names",
    tenant: { roles: [BILLING, SUPPORT, { id: "rol_nameless" }] },
    asks: named("getRole", ["suport-agent", "support_agent", "support"]),
    fails: new RegExp(
      `^getRole\\(\\{ name: "sup\\w+(-agent)?" \\}\\) on \\S+: No role has exactly this name\\. Nearest names: ` +
        `"support-agent" \\(${AGENT}\\), "billing-viewer" \\(${BILLING.id}\\)\\.$`,
    ),
  },
  {
    title: "at most five names are told, each cut",
    tenant: { roles: many(9, (n) => ({ id: `rol_${n}`, name: `role ${n} ${"x".repeat(99)}` })) },
    asks: ["getRole", { name: "role 3" }],
    fails: /: (?!.*x{80})[^(]*(\(rol_\d\)[^(]*){5}$/,
  },
  {
    title: "a tenant without roles has none to tell",
    tenant: { roles: [] },
    asks: ["getRole", { name: "role 3" }],
    fails: /No role has exactly this name\.$/,
  },
  {
    title: "a name that several roles have fails, with their ids",
    tenant: { roles: [{ ...SUPPORT, id: "rol_b" }, BILLING, { ...SUPPORT, id: "rol_a" }] },
    asks: ["getRole", { name: "support-agent" }],
    fails:
      /: 2 roles have exactly this name: rol_a, rol_b\. Write the id of the one that you mean in place of this call\.$/,
  },
  {
    title: "where organizations have roles, too, a name finds the tenant's own",
    tenant: {
      roles: [{ ...SUPPORT, id: "rol_org", type: "organization", owner_id: "org_1" }, SUPPORT],
    },
    asks: ["getRole", { name: "support-agent" }],
    finds: SUPPORT,
  },
  {
    title: "a name that only organizations use is refused, with the ids",
    tenant: { roles: [OWN, { ...OWN, id: "rol_more" }, BILLING] },
    asks: ["getRole", { name: "order-manager" }],
    fails:
      /: No role of the tenant has exactly this name, only organizations have one: rol_more, rol_own\. If you mean such a role, give getRole its organization, too\.$/,
  },
  {
    title: "… and never suggested",
    tenant: { roles: [OWN, BILLING] },
    asks: ["getRole", { name: "order-managers" }],
    fails: /Nearest names: "billing-viewer" \(rol_9sJdYp3LfGe7uXaK\)\.$/,
  },
  {
    title: "in an organization, its own roles and the tenant's are found, in one list each",
    tenant: { roles: [SUPPORT, OWN, FOREIGN] },
    asks: [ofAcme("order-manager"), ofAcme("support-agent")],
    sends: [ROLES, rolesOf(ACME)],
    finds: [{ id: OWN.id, name: OWN.name }, SUPPORT].map((role) => expect.objectContaining(role) as unknown),
  },
  {
    title: "… and the service's own, asked for once where no other role has the name",
    tenant: { roles: [SUPPORT, OWN, SYSTEM, { ...SYSTEM, id: "rol_more", name: "sys-reader" }] },
    asks: [ofAcme("sys-admin"), ofAcme("sys-reader")],
    sends: [ROLES, rolesOf(ACME), rolesOf("auth0")],
    finds: ["rol_system", "rol_more"].map((id) => expect.objectContaining({ id }) as unknown),
  },
  {
    title: "… which count among the nearest names",
    tenant: { roles: [SUPPORT, SYSTEM] },
    asks: ofAcme("sys-admins"),
    fails: /: No role has exactly this name\. Nearest names: "sys-admin" \(rol_system\)/,
  },
  {
    title: "… and belong to no name outside of an organization",
    tenant: { roles: [SUPPORT, SYSTEM] },
    asks: ["getRole", { name: "sys-admin" }],
    fails: "No role",
  },
  {
    title: "… a name that both have is refused, with both ids",
    tenant: { roles: [{ ...SUPPORT, name: "order-manager" }, OWN] },
    asks: ofAcme("order-manager"),
    fails: /: 2 roles have exactly this name: rol_4hNkVx8QmTz2bRcW, rol_own \(organization\)\. Write the id/,
  },
  {
    title: "… a role of another organization is never found",
    tenant: { roles: [SUPPORT, FOREIGN] },
    asks: ofAcme("order-manager"),
    fails:
      /: No role of the tenant or of it has exactly this name, only other organizations have one: rol_foreign\. /,
  },
  {
    title: "… even where the tenant ignores the filters",
    tenant: { roles: [SUPPORT] },
    ...answering({ roles: [FOREIGN, BILLING], start: 0, limit: 100, total: 2 }, "*?type=organization*"),
    asks: ofAcme("order-manager"),
    fails: /: No role has exactly this name\. Nearest names: "support-agent"/,
  },
  {
    title:
      "a list that ends before its end decides nothing: the service's limit is named, and the way around it",
    tenant: {
      roles: [SUPPORT, ...many(1_200, (n) => ({ id: `rol_${n}`, name: `role ${n}` }))],
      behaviour: { max_numbered_entries: 1_000 },
    },
    asks: named("getRole", ["support-agent", "role 1199"]),
    fails:
      /: GET \/roles can't be read whole: after 1000 of 1201 entries it answered 400: You can only page through the first 1000 records\. Running this again won't help: ask the service's support\. Write the id of the role in place of this call\.$/,
  },
]);

type Group = NonNullable<SeedInput["groups"]>[number];
const A = "grp_3KzLp8fGt6NvXeJw4uQhCy";
const B = "grp_5BmRd9aSj2WqTgFx7cUkEn";
const C = "grp_7TqWc2nYx5RkHbVd9sPmZa";
const DESK: Group = { id: A, name: "support-desk", connection_id: "con_entra", external_id: "7d0e" };
const OTHER_DESK: Group = { id: B, name: "support-desk", connection_id: "con_okta" };
const TEAM: Group = { id: C, name: "billing-team" };
const desk = (connectionId: string): Call => ["getGroup", { name: "support-desk", connectionId }];

table("getGroup", [
  {
    title: "a group has its id and name, and its connection and external id where there are some",
    tenant: { groups: [DESK, TEAM] },
    asks: named("getGroup", ["support-desk", "billing-team", "support-desk"]),
    sends: ["support-desk", "billing-team"].map((name) => `GET /groups?name=${name}&take=100 200`),
    finds: [0, 1, 0].map((n) =>
      n === 0 ? { id: A, name: "support-desk", connectionId: "con_entra", externalId: "7d0e" } : TEAM,
    ),
  },
  {
    title: "a connection tells groups of the same name apart",
    tenant: { groups: [DESK, OTHER_DESK] },
    asks: desk("con_okta"),
    sends: ["GET /groups?name=support-desk&connection_id=con_okta&take=100 200"],
    finds: { id: B, name: "support-desk", connectionId: "con_okta" },
  },
  {
    title: "… without one, it's refused, with the connections of both",
    tenant: { groups: [DESK, OTHER_DESK] },
    asks: ["getGroup", { name: "support-desk" }],
    fails: new RegExp(
      `: 2 groups have exactly this name: ${A} \\(connection con_entra\\), ${B} \\(connection con_okta\\)\\. ` +
        "Give the connectionId of the one that you mean, or write its id in place of this call\\.$",
    ),
  },
  {
    title: "… a group of another connection is told",
    tenant: { groups: [DESK, OTHER_DESK] },
    asks: desk("con_ping"),
    fails: new RegExp(
      `: No group of this connection has exactly this name; elsewhere it is that of ${A} \\(connection con_entra\\), ` +
        `${B} \\(connection con_okta\\)\\.$`,
    ),
  },
  {
    title: "a name that no group has exactly fails, with the nearest names and all their ids",
    tenant: { groups: [DESK, OTHER_DESK, TEAM, { id: "grp_8HvYs4eMk3ZpLfDr6tXbNj" }] },
    asks: ["getGroup", { name: "suport desk" }],
    sends: ["GET /groups?name=suport+desk&take=100 200", "GET /groups?take=100 200"],
    fails: new RegExp(
      `^getGroup\\(\\{ name: "suport desk" \\}\\) on \\S+: No group has exactly this name\\. Nearest names: ` +
        `"support-desk" \\(${A}, ${B}\\), "billing-team" \\(${C}\\)\\.$`,
    ),
  },
  {
    title: "of many groups the first hundred are looked at for a name that is near",
    tenant: {
      groups: many(120, (n) => ({
        id: `grp_AAAAAAAAAAAA${String(n + 111).replaceAll("0", "Z")}`,
        name: `team ${n}`,
      })),
    },
    asks: ["getGroup", { name: "taem 7" }],
    sends: 2,
    fails: 'Nearest names among the first 100 groups: "team 7"',
  },
  {
    title: "a filter that the service doesn't know changes nothing",
    tenant: {},
    ...answering({ groups: [TEAM, OTHER_DESK, DESK] }),
    asks: desk("con_okta"),
    finds: { id: B, name: "support-desk", connectionId: "con_okta" },
  },
  {
    title: "an id of another kind fails the call",
    ...answering({ groups: [{ id: "grp_", name: "x" }] }),
    asks: ["getGroup", { name: "x" }],
    fails: [UnexpectedAnswerError, "getGroup"],
  },
]);

const acme = { id: ACME, name: "acme", display_name: "Acme Inc." };
const globex = { id: "org_9sJdYp3LfGe7uXaK", name: "globex" };
const byName = "/api/v2/organizations/name/*";

table("getOrganization", [
  {
    title:
      "an organization has its id and name, and the name that people see where there is one, in one request",
    tenant: { organizations: [acme, globex] },
    asks: named("getOrganization", ["acme", "globex"]),
    sends: ["GET /organizations/name/acme 200", "GET /organizations/name/globex 200"],
    finds: [{ id: ACME, name: "acme", displayName: "Acme Inc." }, globex],
  },
  {
    title: "a name that none has exactly fails, with the nearest names",
    tenant: { organizations: [globex, acme] },
    asks: named("getOrganization", ["acne", "Acme Inc."]),
    fails:
      /^getOrganization\(\{ name: "[^"]+" \}\) on \S+: No organization has exactly this name\. Nearest names: "acme" \(org_5vJmTq8XbRz3kWcY\), /,
  },
  {
    title: "one that differs only in case is told alone",
    tenant: { organizations: [globex, acme] },
    asks: ["getOrganization", { name: "Acme" }],
    fails: 'No organization has exactly this name. "acme" (org_5vJmTq8XbRz3kWcY) differs only in case.',
  },
  {
    title: "a tenant that compares names in any case finds none of another name",
    tenant: { organizations: [acme] },
    ...answering(acme, byName),
    asks: ["getOrganization", { name: "ACME" }],
    fails: "No organization has exactly",
  },
  {
    title: "an organization that only the list has by its name is found",
    tenant: { organizations: [globex, acme] },
    faults: [{ path: byName, action: { status: 404 } }],
    asks: ["getOrganization", { name: "globex" }],
    finds: globex,
  },
  {
    title: "of many organizations, the nearest of the first page are told as such",
    tenant: { organizations: many(130, (n) => ({ id: `org_${1000 + n}`, name: `customer-${n}` })) },
    asks: ["getOrganization", { name: "customer-x" }],
    sends: 2,
    fails: "Nearest names among the first 100 organizations: ",
  },
  {
    title: "an id of another kind fails the call",
    ...answering({ id: "../users", name: "x" }),
    asks: ["getOrganization", { name: "x" }],
    fails: [UnexpectedAnswerError, "getOrganization"],
  },
]);

/** Ids in the order in which they are sorted. */
const groups = many(250, (n) => `grp_${String(n + 1111).padStart(22, "7")}`.replaceAll("0", "A")).sort();
const [FIRST = ""] = groups;
const ofAgent: Call = ["getRoleGroups", { roleId: AGENT }];

table("getRoleGroups", [
  {
    title: "all groups are read, 100 a request, and sorted by id; calls for the same role share the requests",
    tenant: {
      groups: groups.map((id) => ({ id, source: "directory" })),
      roles: [{ id: AGENT, groups: [...groups].reverse() }],
    },
    asks: [ofAgent, ofAgent],
    sends: 3,
    finds: [1, 2].map(() => ({ groups: groups.map((id) => ({ id })) })),
  },
  {
    title: "a group has its id and, where the service says it, its name",
    tenant: { groups: [{ id: FIRST, name: "support-desk" }], roles: [{ id: AGENT, groups: [FIRST] }] },
    asks: ofAgent,
    finds: { groups: [{ id: FIRST, name: "support-desk" }] },
  },
  {
    title: "a name that is no text doesn't fail the call",
    ...answering({ groups: [{ id: FIRST, name: 7 }] }),
    asks: ofAgent,
    finds: { groups: [{ id: FIRST }] },
  },
  {
    title: "… and an id that is none of a group does",
    ...answering({ groups: [{ id: "grp_" }] }),
    asks: ofAgent,
    fails: [UnexpectedAnswerError, "getRoleGroups"],
  },
  {
    title: "404 is an error, never an empty list",
    tenant: { roles: [] },
    asks: ofAgent,
    fails: [
      NotFoundError,
      /^getRoleGroups\(\{ roleId: "rol_\w+" \}\) on \S+: .*Check roleId: getRole finds the id of a role by its name\.$/,
    ],
  },
]);

const profileId = (n: number) => `cop_${String(n).padStart(22, "0")}`;
const profiles = many(35, (n) => ({ id: profileId(n), name: `profile ${n}` }));
const full = {
  id: profileId(1),
  name: "enterprise",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" } as const,
  connection_name_prefix_template: "con-{org_id}",
  enabled_features: ["scim" as const, "universal_logout" as const],
  strategy_overrides: { okta: { enabled_features: ["scim" as const] } },
};

table("getConnectionProfiles", [
  {
    title: "all profiles are read, ten a request, and sorted by id",
    tenant: { connection_profiles: [...profiles].reverse() },
    asks: ["getConnectionProfiles", {}],
    sends: 4,
    finds: { connectionProfiles: profiles },
  },
  {
    title: "a profile has the fields of the resource, those that are set",
    tenant: { connection_profiles: [full, { id: profileId(2), name: "bare" }] },
    asks: ["getConnectionProfiles", {}],
    finds: {
      connectionProfiles: [
        {
          id: profileId(1),
          name: "enterprise",
          organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
          connectionNamePrefixTemplate: "con-{org_id}",
          enabledFeatures: ["scim", "universal_logout"],
          strategyOverrides: { okta: { enabledFeatures: ["scim"] } },
        },
        { id: profileId(2), name: "bare" },
      ],
    },
  },
  {
    title: "name is matched exactly, keeps all of that name, and shares the requests of other calls",
    tenant: {
      connection_profiles: ["partners", "Partners", "partners", "partners "].map((name, n) => ({
        id: profileId(n),
        name,
      })),
      behaviour: { profile_name_conflict: "allow" },
    },
    asks: named("getConnectionProfiles", ["partners", "partner"]),
    sends: 1,
    finds: [
      { connectionProfiles: [0, 2].map((n) => ({ id: profileId(n), name: "partners" })) },
      { connectionProfiles: [] },
    ],
  },
  {
    title: "a profile with an id that is none of its kind is not believed",
    ...answering({ connection_profiles: [{ id: "../users", name: "x" }] }),
    asks: ["getConnectionProfiles", {}],
    fails: [UnexpectedAnswerError, "getConnectionProfiles"],
  },
]);

type Credential = NonNullable<SeedInput["device_credentials"]>[number];
const credentialId = (n: number) => `dcr_${String(n).padStart(16, "0")}`;
const credential = (n: number, fields: Partial<Credential> = {}): Credential => ({
  id: credentialId(n),
  type: "refresh_token",
  user_id: USER_ID,
  ...fields,
});
const found = (n: number, type = "refresh_token", more = {}) => ({
  id: credentialId(n),
  type,
  userId: USER_ID,
  ...more,
});
const credentials = (type?: string): Call => [
  "getDeviceCredentials",
  { userId: USER_ID, ...(type && { type }) },
];
const page = (type: string) =>
  `GET /device-credentials?user_id=${encodeURIComponent(USER_ID)}&type=${type}&page=0&per_page=100&include_totals=true 200`;

table("getDeviceCredentials", [
  {
    title: "without a type, all three are listed; with one, that alone, in the same request",
    tenant: {
      device_credentials: [
        credential(3),
        credential(1, { type: "rotating_refresh_token" }),
        credential(2, { type: "public_key" }),
        credential(4, { user_id: "auth0|somebody-else" }),
      ],
    },
    asks: [credentials("public_key"), credentials(), credentials("rotating_refresh_token")],
    sends: ["public_key", "refresh_token", "rotating_refresh_token"].map(page),
    finds: [
      [found(2, "public_key")],
      [found(1, "rotating_refresh_token"), found(2, "public_key"), found(3)],
      [found(1, "rotating_refresh_token")],
    ].map((deviceCredentials) => ({ deviceCredentials })),
  },
  {
    title: "only that one is asked for",
    tenant: { device_credentials: [] },
    asks: credentials("public_key"),
    sends: [page("public_key")],
    finds: { deviceCredentials: [] },
  },
  {
    title: "a credential has every documented field, and nothing that could be a secret",
    tenant: {
      device_credentials: [
        credential(1, {
          device_name: "lost phone",
          device_id: "550e8400-e29b-41d4-a716-446655440000",
          client_id: "mobileApp",
          last_used: "2025-06-02T14:05:11.000Z",
          value: "the-key-itself",
          refresh_token: "the-token-itself",
        }),
        credential(2, { last_used: { of: "another type" } }),
        credential(3, { device_name: null, device_id: null, last_used: null }),
      ],
    },
    asks: credentials(),
    finds: {
      deviceCredentials: [
        found(1, "refresh_token", {
          clientId: "mobileApp",
          deviceName: "lost phone",
          deviceId: "550e8400-e29b-41d4-a716-446655440000",
          lastUsed: "2025-06-02T14:05:11.000Z",
        }),
        found(2),
        found(3),
      ],
    },
  },
  ...(
    [
      [{ user_id: "auth0|somebody-else" }, "user_id: not the user who was asked for"],
      [{ type: "public_key" }, "type: not the type that was asked for"],
      [{ id: null }, "id: "],
      [{ id: "grp_7TqWc2nYx5RkHbVd9sPmZa" }, "id: must be the id of a device"],
    ] as const
  ).map(([fields, problem]): Row => ({
    title: `a credential with ${JSON.stringify(fields)} is not believed, nor is it quoted`,
    tenant: {},
    ...answering({ device_credentials: [{ ...credential(1), ...fields }], total: 1 }),
    asks: credentials("refresh_token"),
    fails: [UnexpectedAnswerError, new RegExp(`^(?!.*somebody-else).*${problem}`)],
  })),
]);

/** Refused before any call; each begins with the name of the function. */
const REFUSED: readonly [name: string, given: unknown, message: string][] = [
  ["getRole", {}, "name: is required"],
  ["getRole", { name: "" }, "name: must be the name of a role; it is empty"],
  ["getRole", { name: "x", id: AGENT }, "id: is not an input"],
  [
    "getRole",
    { name: "x", organization: "acme" },
    "organization: must be the id of an organization: org_ and 1 to 64 letters, digits, hyphens or underscores. " +
      "getOrganization finds it by its name; received",
  ],
  ["getGroup", { name: "" }, "name: must be the name of a group; it is empty"],
  ["getGroup", { name: "x", connectionId: "" }, "connectionId: must be the id of a connection"],
  ["getOrganization", { name: "" }, "name: must be the name of an organization; it is empty"],
  ["getOrganization", { name: ".." }, "name: must be a name of 1 to 512 characters"],
  ["getConnectionProfiles", { name: "x".repeat(51) }, "name: must have 1 to 50 characters"],
  ["getConnectionProfiles", { name: 7 }, "name: must be a text"],
  ["getConnectionProfiles", { id: "cop_1" }, "id: is not an input"],
  ["getDeviceCredentials", { userId: ".." }, "userId: must be an id"],
  [
    "getDeviceCredentials",
    { userId: USER_ID, type: "password" },
    'type: must be public_key, refresh_token or rotating_refresh_token; received "password".',
  ],
  ["getRoleGroups", {}, "roleId: "],
  ["getRoleGroups", { roleId: ADMINS }, "roleId: must be the id of a role"],
  [
    "getRoleGroups",
    { roleId: "support agent" },
    "roleId: must be the id of a role: 1 to 128 letters, digits or _ . : ~ @ | -. getRole finds it by its name",
  ],
  ["getUserPermissions", { userId: "" }, "userId: must be an id"],
  ...[0, 1.5, "1"].map((maxItems) => permissions({ maxItems }, "maxItems: must be a whole number from 1")),
  ...[-1, 1.5, "0"].map((page) => permissions({ page }, "page: must be a whole number from 0")),
  ...[0, 101, 1.5, "10"].map((perPage) =>
    permissions({ perPage }, "perPage: must be a whole number from 1 to 100"),
  ),
  permissions({ page: 0, includeTotals: "yes" }, "includeTotals: must be true or false"),
  ...[{ page: 0 }, { perPage: 5 }].map((asked) =>
    permissions(
      { maxItems: 5, ...asked },
      "maxItems: must be left out with page or perPage, which ask for one page; received 5.",
    ),
  ),
  permissions({ resourceServerIdentifier: "" }, "resourceServerIdentifier: must not be empty"),
];

function permissions(asked: object, message: string): (typeof REFUSED)[number] {
  return ["getUserPermissions", { userId: USER_ID, ...asked }, message];
}

table(
  "arguments that are refused before any call",
  REFUSED.map(([name, given, message]) => ({
    title: `${name}(${JSON.stringify(given)})`,
    asks: [name, given],
    sends: 0,
    fails: [InvalidInputError, `${name} was called with invalid arguments. ${message}`],
  })),
  ["the function"],
);
