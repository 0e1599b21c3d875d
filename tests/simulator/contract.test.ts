import { type Management, ManagementClient, ManagementError } from "auth0";
import { generateKeyPairSync } from "node:crypto";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  DEFAULT_SEED,
  LAPTOP,
  PHONE,
  SUPPORT,
  TABLET,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { startSimulator, type Simulator } from "../../simulator/index";

/** The service's official client checks the simulator's interface: paths, verbs and shapes. */
const DOMAIN = "tenant.example";
const ORG = "org_5vJmTq8XbRz3kWcY";
const OTHER = "auth0|other";
const SEED = {
  ...DEFAULT_SEED,
  users: [...DEFAULT_SEED.users!, { ...DEFAULT_SEED.users![0]!, user_id: OTHER, roles: [VIEWER, AGENT] }],
  organizations: [
    {
      id: ORG,
      name: "acme",
      groups: [SUPPORT, BILLING],
      members: [USER_ID],
      roles: [{ id: AGENT, groups: [SUPPORT], members: [USER_ID] }],
    },
    { id: "org_other", name: "globex" },
  ],
};
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

let simulator: Simulator;
let client: ManagementClient;

/** The client speaks only https to its domain; its requests go to the simulator unchanged. */
const toSimulator: typeof fetch = (input, init) =>
  fetch((input as string).replace(`https://${DOMAIN}`, simulator.url), init);

beforeEach(async () => {
  simulator = await startSimulator({ tenantUrl: `https://${DOMAIN}`, seed: SEED });
  client = new ManagementClient({
    domain: DOMAIN,
    clientId: simulator.clientId,
    clientSecret: simulator.clientSecret,
    fetch: toSimulator,
    maxRetries: 0,
  });
});
afterEach(() => simulator.close());

async function collect<T>(page: Promise<AsyncIterable<T>>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of await page) items.push(item);
  return items;
}

const ids = async (page: Promise<AsyncIterable<{ id?: string | undefined }>>) =>
  (await collect(page)).map(({ id }) => id);

const sources = async (page: Promise<AsyncIterable<{ id?: string; sources?: string[] }>>) =>
  (await collect(page)).map((role) => [role.id, role.sources]);

async function refusal(call: Promise<unknown>): Promise<{ statusCode?: number; body?: unknown }> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ManagementError);
  const { statusCode, body } = error as ManagementError;
  return { statusCode, body };
}

describe("tokens", () => {
  test("with a secret, fetched once for all calls", async () => {
    await client.users.get(USER_ID);
    await client.users.get(USER_ID, { fields: "email" });
    expect(simulator.log()).toEqual([
      "POST /oauth/token 200",
      `GET /api/v2/users/${encodeURIComponent(USER_ID)} 200`,
      `GET /api/v2/users/${encodeURIComponent(USER_ID)}?fields=email 200`,
    ]);
  });

  test("with a private key", async () => {
    const public_key = keys.publicKey.export({ type: "spki", format: "pem" }).toString();
    const clients = [{ client_id: "key-app", public_key, scope: "read:users" }];
    simulator.seed({ ...DEFAULT_SEED, clients });
    const keyClient = new ManagementClient({
      domain: DOMAIN,
      clientId: "key-app",
      clientAssertionSigningKey: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      fetch: toSimulator,
    });
    expect(await keyClient.users.get(USER_ID)).toMatchObject({ user_id: USER_ID });
  });

  test("refused", async () => {
    const { clientId } = simulator;
    const wrong = new ManagementClient({
      domain: DOMAIN,
      clientId,
      clientSecret: "wrong",
      fetch: toSimulator,
    });
    expect(await refusal(wrong.users.get(USER_ID))).toEqual({
      statusCode: 401,
      body: { error: "access_denied", error_description: "Unauthorized" },
    });
  });
});

const credentials = (type: Management.DeviceCredentialTypeEnum) =>
  ids(client.deviceCredentials.list({ user_id: USER_ID, type, per_page: 1 }));

// Lists are read page by page.
test.each<[what: string, read: () => Promise<unknown>, expected: unknown]>([
  [
    "fields of a user",
    async () => Object.keys(await client.users.get(USER_ID, { fields: "email,name", include_fields: true })),
    ["email", "name"],
  ],
  [
    "permissions of a user",
    async () =>
      (await collect(client.users.permissions.list(USER_ID, { per_page: 2 }))).map(
        ({ permission_name: name }) => name,
      ),
    ["read:tickets", "close:tickets", "read:reports"],
  ],
  ["roles", () => ids(client.roles.list({ per_page: 1 })), [AGENT, VIEWER]],
  ["roles by name", () => ids(client.roles.list({ name_filter: "SUPPORT" })), [AGENT]],
  [
    "a role",
    () => client.roles.get(AGENT),
    { id: AGENT, name: "support-agent", description: "Answers tickets" },
  ],
  ["groups", () => ids(client.groups.list({ take: 1 })), [ADMINS, SUPPORT, BILLING, CONTRACTORS]],
  ["groups by name", () => ids(client.groups.list({ name: "billing-team" })), [BILLING]],
  ["a group", () => client.groups.get(BILLING), { id: BILLING, name: "billing-team" }],
  [
    "no such group",
    () => refusal(client.groups.get("grp_zzzzzzzzzzzzzz")),
    expect.objectContaining({ statusCode: 404 }),
  ],
  ["a group's roles", () => ids(client.groups.roles.list(SUPPORT, { take: 1 })), [AGENT]],
  [
    "a user's roles, through groups",
    () => sources(client.users.effectiveRoles.list(USER_ID, { take: 1 })),
    [[AGENT, ["groups"]]],
  ],
  [
    "a user's roles, directly too",
    () => sources(client.users.effectiveRoles.list(OTHER, { take: 1 })),
    [
      [AGENT, ["direct", "groups"]],
      [VIEWER, ["direct"]],
    ],
  ],
  [
    "the groups that give a user a role",
    () => ids(client.users.effectiveRoles.sources.groups.list(USER_ID, { role_id: AGENT })),
    [SUPPORT],
  ],
  ["organizations", () => ids(client.organizations.list({ take: 1 })), [ORG, "org_other"]],
  ["an organization", () => client.organizations.get(ORG), { id: ORG, name: "acme" }],
  [
    "one by name",
    () => client.organizations.getByName("globex"),
    expect.objectContaining({ id: "org_other" }),
  ],
  [
    "an organization's groups",
    () => ids(client.organizations.groups.list(ORG, { take: 1 })),
    [SUPPORT, BILLING],
  ],
  [
    "who has a role there",
    () => collect(client.organizations.roles.members.list(ORG, AGENT)),
    [{ user_id: USER_ID }],
  ],
  [
    "a user's organizations",
    () => ids(client.users.organizations.list(USER_ID, { include_totals: true })),
    [ORG],
  ],
  // Whoever has not signed in yet is no member.
  ["a stranger's", () => ids(client.users.organizations.list(OTHER, { include_totals: true })), []],
  [
    "a member's roles",
    () => sources(client.organizations.members.effectiveRoles.list(ORG, USER_ID, { take: 1 })),
    [[AGENT, ["direct", "groups"]]],
  ],
  [
    "a stranger's roles",
    () => refusal(client.organizations.members.effectiveRoles.list("org_other", USER_ID)),
    expect.objectContaining({ statusCode: 404 }),
  ],
  [
    "the groups that give a member a role",
    () =>
      ids(client.organizations.members.effectiveRoles.sources.groups.list(ORG, USER_ID, { role_id: AGENT })),
    [SUPPORT],
  ],
  ["refresh tokens", () => credentials("refresh_token"), [PHONE]],
  ["rotating ones", () => credentials("rotating_refresh_token"), [LAPTOP]],
  ["public keys", () => credentials("public_key"), [TABLET]],
])("reads %s", async (_, read, expected) => {
  expect(await read()).toEqual(expected);
});

test("gives a role to groups, and takes it back", async () => {
  const { groups } = client.roles;
  await groups.create(AGENT, { groups: [ADMINS, BILLING] });
  expect(await ids(groups.get(AGENT, { take: 1 }))).toEqual([SUPPORT, ADMINS, BILLING]);
  await groups.delete(AGENT, { groups: [SUPPORT, ADMINS] });
  expect(await ids(groups.get(AGENT, {}))).toEqual([BILLING]);
});

test("gives roles in an organization, and takes them back", async () => {
  const { groups, roles } = client.organizations;
  await groups.roles.create(ORG, BILLING, { roles: [AGENT, VIEWER] });
  expect(await ids(roles.groups.list(ORG, AGENT, { take: 1 }))).toEqual([SUPPORT, BILLING]);
  await groups.roles.delete(ORG, BILLING, { roles: [AGENT] });
  expect(await ids(groups.roles.list(ORG, BILLING, { take: 1 }))).toEqual([VIEWER]);
});

describe("connection profiles", () => {
  const profile: Management.CreateConnectionProfileRequestContent = {
    name: "partners",
    organization: { show_as_button: "optional", assign_membership_on_login: "required" },
    connection_name_prefix_template: "c-{org_name}",
    enabled_features: ["scim", "universal_logout"],
    connection_config: {},
    strategy_overrides: { okta: { enabled_features: ["scim"], connection_config: {} } },
  };

  test("create, get, update, delete", async () => {
    const { connectionProfiles } = client;
    const created = await connectionProfiles.create(profile);
    expect(created).toMatchObject(profile);
    const id = created.id!;
    expect(await connectionProfiles.get(id)).toEqual(created);
    const updated = { ...created, enabled_features: [] };
    expect(await connectionProfiles.update(id, { enabled_features: [] })).toEqual(updated);
    expect(await connectionProfiles.update(id, {})).toEqual(updated);
    await connectionProfiles.delete(id);
    expect(await refusal(connectionProfiles.get(id))).toMatchObject({ statusCode: 404 });
  });

  test("list, page by page", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `profile ${index}`);
    for (const name of names) await client.connectionProfiles.create({ name });
    const listed = await collect(client.connectionProfiles.list({ take: 10 }));
    expect(listed.map(({ name }) => name)).toEqual(names);
  });

  test("an invalid body is refused in a shape the client understands", async () => {
    const invalid = { name: "x", enabled_features: ["sso"] } as unknown as typeof profile;
    expect(await refusal(client.connectionProfiles.create(invalid))).toMatchObject({
      statusCode: 400,
      body: { errorCode: "invalid_body" },
    });
  });
});

test("deletes a device credential", async () => {
  await client.deviceCredentials.delete(PHONE);
  expect(simulator.state().device_credentials.map(({ id }) => id)).not.toContain(PHONE);
});

test("the client reads the rate limit from the answers' headers", async () => {
  const { rawResponse } = await client.users.get(USER_ID).withRawResponse();
  expect(Number(rawResponse.headers.get("x-ratelimit-limit"))).toBe(50);
});
