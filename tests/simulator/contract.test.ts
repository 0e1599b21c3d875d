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
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

let simulator: Simulator;
let client: ManagementClient;

/** The client speaks only https to its domain; its requests go to the simulator unchanged. */
const toSimulator: typeof fetch = (input, init) =>
  fetch((input as string).replace(`https://${DOMAIN}`, simulator.url), init);

beforeEach(async () => {
  simulator = await startSimulator({ tenantUrl: `https://${DOMAIN}` });
  client = new ManagementClient({
    domain: DOMAIN,
    clientId: simulator.clientId,
    clientSecret: simulator.clientSecret,
    fetch: toSimulator,
    maxRetries: 0,
  });
});
afterEach(() => simulator.close());

async function collect<T>(page: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of page) items.push(item);
  return items;
}

const ids = async (page: Promise<AsyncIterable<{ id?: string | undefined }>>) =>
  (await collect(await page)).map(({ id }) => id);

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
    simulator.seed({
      ...DEFAULT_SEED,
      clients: [
        {
          client_id: "key-app",
          public_key: keys.publicKey.export({ type: "spki", format: "pem" }).toString(),
          scope: "read:users",
        },
      ],
    });
    const keyClient = new ManagementClient({
      domain: DOMAIN,
      clientId: "key-app",
      clientAssertionSigningKey: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
      fetch: toSimulator,
    });
    expect(await keyClient.users.get(USER_ID)).toMatchObject({ user_id: USER_ID });
  });

  test("refused", async () => {
    const wrong = new ManagementClient({
      domain: DOMAIN,
      clientId: simulator.clientId,
      clientSecret: "wrong",
      fetch: toSimulator,
    });
    expect(await refusal(wrong.users.get(USER_ID))).toEqual({
      statusCode: 401,
      body: { error: "access_denied", error_description: "Unauthorized" },
    });
  });
});

describe("users", () => {
  test("get", async () => {
    const user = await client.users.get(USER_ID, { fields: "email,identities", include_fields: true });
    expect(Object.keys(user).sort()).toEqual(["email", "identities"]);
    expect(user.identities![1]).toMatchObject({
      provider: "oidc",
      refresh_token: expect.any(String) as string,
    });
  });

  test("permissions, page by page", async () => {
    const page = await client.users.permissions.list(USER_ID, { per_page: 2 });
    expect(page.response).toMatchObject({ start: 0, limit: 2, total: 3 });
    expect((await collect(page)).map((permission) => permission.permission_name)).toEqual([
      "read:tickets",
      "close:tickets",
      "read:reports",
    ]);
  });
});

describe("role groups", () => {
  const groupIds = async (take?: number) =>
    (await collect(await client.roles.groups.get(AGENT, { take }))).map((group) => group.id);

  test("create, get page by page, delete", async () => {
    await client.roles.groups.create(AGENT, { groups: [ADMINS, BILLING] });
    expect(await groupIds(1)).toEqual([SUPPORT, ADMINS, BILLING]);
    await client.roles.groups.delete(AGENT, { groups: [SUPPORT, ADMINS] });
    expect(await groupIds()).toEqual([BILLING]);
  });
});

describe("roles and groups by name", () => {
  test("roles, page by page", async () => {
    const names = async (name_filter?: string) =>
      (await collect(await client.roles.list({ per_page: 1, name_filter }))).map(({ name }) => name);
    expect(await names()).toEqual(["support-agent", "billing-viewer"]);
    expect(await names("SUPPORT")).toEqual(["support-agent"]);
    expect(await client.roles.get(AGENT)).toEqual({
      id: AGENT,
      name: "support-agent",
      description: "Answers tickets",
    });
  });

  test("groups, page by page", async () => {
    const ids = async (name?: string) =>
      (await collect(await client.groups.list({ take: 1, name }))).map(({ id }) => id);
    expect(await ids()).toEqual([ADMINS, SUPPORT, BILLING, CONTRACTORS]);
    expect(await ids("billing-team")).toEqual([BILLING]);
    expect(await client.groups.get(BILLING)).toEqual({ id: BILLING, name: "billing-team" });
  });
});

describe("organizations", () => {
  const ORG = "org_5vJmTq8XbRz3kWcY";

  beforeEach(() =>
    simulator.seed({
      ...DEFAULT_SEED,
      organizations: [
        {
          id: ORG,
          name: "acme",
          groups: [ADMINS, BILLING],
          roles: [{ id: AGENT, members: [USER_ID] }],
        },
        { id: "org_other", name: "globex" },
      ],
    }),
  );

  test("by page, id and name", async () => {
    expect(await ids(client.organizations.list({ take: 1 }))).toEqual([ORG, "org_other"]);
    expect(await client.organizations.get(ORG)).toEqual({ id: ORG, name: "acme" });
    expect(await client.organizations.getByName("globex")).toMatchObject({ id: "org_other" });
  });

  test("roles of its groups: create, list, delete, and who has them", async () => {
    const { groups, roles } = client.organizations;
    expect(await ids(groups.list(ORG, { take: 1 }))).toEqual([ADMINS, BILLING]);
    for (const group of [ADMINS, BILLING]) await groups.roles.create(ORG, group, { roles: [AGENT, VIEWER] });
    expect(await ids(roles.groups.list(ORG, AGENT, { take: 1 }))).toEqual([ADMINS, BILLING]);
    await groups.roles.delete(ORG, ADMINS, { roles: [AGENT] });
    expect(await ids(groups.roles.list(ORG, ADMINS, { take: 1 }))).toEqual([VIEWER]);
    const members = await collect(await roles.members.list(ORG, AGENT));
    expect(members).toEqual([{ user_id: USER_ID }]);
  });
});

test("a member's roles in an organization, directly and through groups", async () => {
  const org = "org_5vJmTq8XbRz3kWcY";
  const acme = { id: org, name: "acme", groups: [SUPPORT] };
  const seed = (more: object) =>
    simulator.seed({
      ...DEFAULT_SEED,
      organizations: [
        { ...acme, ...more },
        { id: "org_other", name: "globex" },
      ],
    });
  seed({ roles: [{ id: AGENT, groups: [SUPPORT], members: [USER_ID] }] });
  const { effectiveRoles } = client.organizations.members;
  expect(await ids(client.users.organizations.list(USER_ID, { include_totals: true }))).toEqual([org]);
  expect(await collect(await effectiveRoles.list(org, USER_ID, { take: 1 }))).toMatchObject([
    { id: AGENT, sources: ["direct", "groups"] },
  ]);
  const groups = effectiveRoles.sources.groups.list(org, USER_ID, { role_id: AGENT });
  expect(await ids(groups)).toEqual([SUPPORT]);
  expect(await refusal(effectiveRoles.list("org_other", USER_ID))).toMatchObject({ statusCode: 404 });
  // Whoever has not signed in yet is no member.
  seed({ members: [], roles: [{ id: AGENT, groups: [SUPPORT] }] });
  expect(simulator.state().organizations[0]).toMatchObject({ members: [] });
  expect(await ids(client.users.organizations.list(USER_ID, { include_totals: true }))).toEqual([]);
});

describe("who has which role, and through what", () => {
  const other = { ...DEFAULT_SEED.users![0]!, user_id: "other", roles: [VIEWER, AGENT] };

  beforeEach(() => simulator.seed({ ...DEFAULT_SEED, users: [...DEFAULT_SEED.users!, other] }));

  test("a group, and its roles", async () => {
    expect(await client.groups.get(SUPPORT)).toMatchObject({ id: SUPPORT, name: "support-desk" });
    expect(await ids(client.groups.roles.list(SUPPORT, { take: 1 }))).toEqual([AGENT]);
    expect(await refusal(client.groups.get("grp_zzzzzzzzzzzzzz"))).toMatchObject({ statusCode: 404 });
  });

  test("roles of a user, directly and through groups", async () => {
    const sources = async (user: string) =>
      (await collect(await client.users.effectiveRoles.list(user, { take: 1 }))).map((role) => [
        role.id,
        role.sources,
      ]);
    expect(await sources(USER_ID)).toEqual([[AGENT, ["groups"]]]);
    expect(await sources("other")).toEqual([
      [AGENT, ["direct", "groups"]],
      [VIEWER, ["direct"]],
    ]);
    const groups = client.users.effectiveRoles.sources.groups.list(USER_ID, { role_id: AGENT });
    expect(await ids(groups)).toEqual([SUPPORT]);
  });
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
    const created = await client.connectionProfiles.create(profile);
    expect(created).toMatchObject(profile);
    const id = created.id!;
    expect(await client.connectionProfiles.get(id)).toEqual(created);
    expect(await client.connectionProfiles.update(id, { enabled_features: [] })).toEqual({
      ...created,
      enabled_features: [],
    });
    expect(await client.connectionProfiles.update(id, {})).toMatchObject({ enabled_features: [] });
    await client.connectionProfiles.delete(id);
    expect(await refusal(client.connectionProfiles.get(id))).toMatchObject({ statusCode: 404 });
  });

  test("list, page by page", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `profile ${index}`);
    for (const name of names) await client.connectionProfiles.create({ name });
    const listed = await collect(await client.connectionProfiles.list({ take: 10 }));
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

describe("device credentials", () => {
  test("list, page by page", async () => {
    const list = async (type: Management.DeviceCredentialTypeEnum) =>
      (await collect(await client.deviceCredentials.list({ user_id: USER_ID, type, per_page: 1 }))).map(
        ({ id }) => id,
      );
    expect(await list("refresh_token")).toEqual([PHONE]);
    expect(await list("rotating_refresh_token")).toEqual([LAPTOP]);
    expect(await list("public_key")).toEqual([TABLET]);
  });

  test("delete", async () => {
    await client.deviceCredentials.delete(PHONE);
    expect(simulator.state().device_credentials.map(({ id }) => id)).not.toContain(PHONE);
  });
});

test("the client reads the rate limit from the answers' headers", async () => {
  const { rawResponse } = await client.users.get(USER_ID).withRawResponse();
  expect(Number(rawResponse.headers.get("x-ratelimit-limit"))).toBe(50);
});
