import { inspect } from "node:util";
import * as pulumi from "@pulumi/pulumi";
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  getUser,
  type GetUserArgs,
  getUserOutput,
  InsufficientScopeError,
  InvalidInputError,
  NotFoundError,
  RateLimitedError,
} from "../../provider";
import { failure, isKnown, settled, startTenant, stopTenants, USER_ID, USER_PATH } from "./tenant";

afterEach(stopTenants);

const SECRETS = {
  access_token: "provider-access-token",
  access_token_secret: "provider-token-secret",
  refresh_token: "provider-refresh-token",
};
const RECORD = {
  user_id: USER_ID,
  email: "support.one@example.com",
  email_verified: true,
  username: "support-one",
  phone_number: "+15550100",
  phone_verified: false,
  created_at: "2025-01-15T09:30:00.000Z",
  updated_at: "2025-06-02T14:05:11.000Z",
  identities: [
    { connection: "users", user_id: 7, provider: "custom", isSocial: false },
    {
      connection: "partner",
      user_id: "partner|1001",
      provider: "a-provider-of-tomorrow",
      isSocial: true,
      profileData: {
        email: "one@partner.example.com",
        email_verified: true,
        name: "Support One",
        username: "one",
        given_name: "Support",
        phone_number: "+15550101",
        phone_verified: true,
        family_name: "One",
        locale: "en",
        access_token: "a token where none belongs",
        id_token: "another token",
        linked: [
          { since: 2024, OAuthToken: "a nested token", deeper: { refreshTokens: ["a token in a list"] } },
        ],
      },
      id_token: "an undocumented token",
      ...SECRETS,
    },
  ],
  app_metadata: { department: "support", nested: { list: [1, null] }, bus_token: "the customer's own" },
  user_metadata: { snake_case: true, access_token: "the customer's own" },
  picture: "https://example.com/one.png",
  name: "Support One",
  nickname: "one",
  multifactor: ["guardian"],
  multifactor_last_modified: "2025-06-01T00:00:00.000Z",
  last_ip: "192.0.2.10",
  last_login: "2025-06-02T14:05:11.000Z",
  last_password_reset: "2025-02-01T00:00:00.000Z",
  logins_count: 42,
  blocked: false,
  given_name: "Support",
  family_name: "One",
  family_name_at_birth: "Zero",
  id_token: "a token at the top",
  sessions: [{ device: "phone", session: { "access-token": "a token below" } }],
};
const USER = {
  userId: USER_ID,
  email: "support.one@example.com",
  emailVerified: true,
  username: "support-one",
  phoneNumber: "+15550100",
  phoneVerified: false,
  createdAt: "2025-01-15T09:30:00.000Z",
  updatedAt: "2025-06-02T14:05:11.000Z",
  identities: [
    { connection: "users", userId: 7, provider: "custom", isSocial: false },
    {
      connection: "partner",
      userId: "partner|1001",
      provider: "a-provider-of-tomorrow",
      isSocial: true,
      profileData: {
        email: "one@partner.example.com",
        emailVerified: true,
        name: "Support One",
        username: "one",
        givenName: "Support",
        phoneNumber: "+15550101",
        phoneVerified: true,
        familyName: "One",
        additionalProperties: { locale: "en", linked: [{ since: 2024, deeper: {} }] },
      },
    },
  ],
  appMetadata: { department: "support", nested: { list: [1, null] }, bus_token: "the customer's own" },
  userMetadata: { snake_case: true, access_token: "the customer's own" },
  picture: "https://example.com/one.png",
  name: "Support One",
  nickname: "one",
  multifactor: ["guardian"],
  multifactorLastModified: "2025-06-01T00:00:00.000Z",
  lastIp: "192.0.2.10",
  lastLogin: "2025-06-02T14:05:11.000Z",
  lastPasswordReset: "2025-02-01T00:00:00.000Z",
  loginsCount: 42,
  blocked: false,
  givenName: "Support",
  familyName: "One",
  additionalProperties: { family_name_at_birth: "Zero", sessions: [{ device: "phone", session: {} }] },
};
const SEED = { users: [RECORD] };
const args = { userId: USER_ID };

describe("the user", () => {
  test("has every documented field, others under additionalProperties, and no token", async () => {
    await startTenant(SEED, { accessToken: "reads-identity-tokens" });
    expect(await getUser(args)).toEqual(USER);
    expect(await settled(getUserOutput(args))).toEqual({ value: USER, secret: false });
  });

  test("lacks what the service leaves out or sends as null", async () => {
    await startTenant({
      users: [{ user_id: USER_ID, nickname: null, app_metadata: null, identities: [], plan: null }],
    });
    const user = await getUser(args);
    expect(user).toEqual({ userId: USER_ID, identities: [], additionalProperties: { plan: null } });
    expect(user).not.toHaveProperty("nickname");
  });
});

describe("field selection", () => {
  test.each<[Omit<GetUserArgs, "userId">, string]>([
    [{}, ""],
    [{ fields: [] }, ""],
    [{ fields: ["user_id", "email"] }, "?fields=user_id%2Cemail"],
    [{ fields: ["email"], includeFields: true }, "?fields=email&include_fields=true"],
    [{ fields: ["email"], includeFields: false }, "?fields=email&include_fields=false"],
    [{ includeFields: false }, "?include_fields=false"],
    [{ fields: ["emailVerified", "userId", "email_verified"] }, "?fields=email_verified%2Cuser_id"],
  ])("%j asks for %s", async (selection, query) => {
    const tenant = await startTenant(SEED);
    await getUser({ ...args, ...selection });
    expect(tenant.log()).toEqual([`GET ${USER_PATH}${query} 200`]);
  });

  test("included and excluded fields", async () => {
    await startTenant(SEED);
    expect(await getUser({ ...args, fields: ["email", "blocked"] })).toEqual({
      email: USER.email,
      blocked: false,
      additionalProperties: {},
    });
    const { identities: _identities, ...others } = USER;
    expect(await getUser({ ...args, fields: ["identities"], includeFields: false })).toEqual(others);
  });
});

describe("identity tokens", () => {
  const withTokens = { ...args, includeIdentityTokens: true };

  test("are secret Outputs in the plain form", async () => {
    await startTenant(SEED, { accessToken: "reads-identity-tokens" });
    const identity = (await getUser(withTokens)).identities?.[1];
    expect(await settled(identity!.accessToken!)).toEqual({ value: SECRETS.access_token, secret: true });
    expect(await settled(identity!.accessTokenSecret!)).toEqual({
      value: SECRETS.access_token_secret,
      secret: true,
    });
    expect(await settled(identity!.refreshToken!)).toEqual({ value: SECRETS.refresh_token, secret: true });
    expect(
      JSON.stringify({ ...identity, accessToken: "", accessTokenSecret: "", refreshToken: "" }),
    ).not.toMatch("token ");
  });

  test("make the whole result a secret in the Output form", async () => {
    await startTenant(SEED, { accessToken: "reads-identity-tokens" });
    const { value, secret } = await settled(getUserOutput(withTokens));
    expect(secret).toBe(true);
    expect(value.identities?.[1]).toMatchObject({
      accessToken: SECRETS.access_token,
      accessTokenSecret: SECRETS.access_token_secret,
      refreshToken: SECRETS.refresh_token,
    });
  });

  test("are absent where the scope is missing, and share the request of calls without them", async () => {
    const tenant = await startTenant(SEED);
    const [plain, asked] = await Promise.all([getUser(args), getUser(withTokens)]);
    expect(asked).toEqual(plain);
    expect(tenant.log()).toHaveLength(1);
  });
});

test("a secret argument makes the result a secret", async () => {
  await startTenant(SEED);
  const { value, secret } = await settled(getUserOutput({ userId: pulumi.secret(USER_ID) }));
  expect(value).toEqual(USER);
  expect(secret).toBe(true);
});

describe("arguments that are refused before any call", () => {
  const anything = (value: unknown) => value as GetUserArgs;

  test.each([
    [{}, "userId: must be an id of 1 to 512 characters"],
    [{ userId: null }, "received null."],
    [{ userId: "" }, 'received "".'],
    [{ userId: " " }, "userId: must be an id"],
    [{ userId: ".." }, "userId: must be an id"],
    [{ userId: 7 }, "received 7."],
    [{ ...args, fields: "email" }, "fields: must be a list of fields"],
    [{ ...args, fields: ["email,name"] }, "fields[0]: must be one of userId, email, emailVerified,"],
    [
      { ...args, fields: ["email", "emailverified"] },
      "fields[1]: must be one of userId, email, emailVerified,",
    ],
    [{ ...args, fields: ["additionalProperties"] }, 'email_verified; received "additionalProperties".'],
    [{ ...args, fields: ["constructor"] }, 'received "constructor".'],
    [{ ...args, includeFields: "yes" }, "includeFields: must be true or false"],
    [{ ...args, ifMissing: "ignore" }, 'ifMissing: must be "error" or "undefined"'],
    [{ ...args, userid: "x" }, "userid: is not an input"],
    [undefined, "getUser was called with invalid arguments."],
  ])("%j", async (given, message) => {
    const tenant = await startTenant(SEED);
    const error = await failure(getUser(anything(given)));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toContain(message);
    expect(tenant.requests()).toEqual([]);
  });

  test.each([
    ["an Output", { userId: pulumi.output(USER_ID) }],
    ["an unknown Output", { userId: pulumi.output(pulumi.unknown) }],
    ["a promise", { userId: Promise.resolve(USER_ID) }],
    ["an unknown", { userId: pulumi.unknown }],
    ["an unknown as text", { userId: pulumi.runtime.unknownValue }],
    ["an Output in a list", { ...args, fields: [pulumi.output("email")] }],
  ])("the plain form refuses %s and names the Output form", async (_, given) => {
    const tenant = await startTenant(SEED);
    const error = await failure(getUser(given as unknown as GetUserArgs));
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error.message).toBe(
      "getUser: an argument is an Output or is not known yet. Use getUserOutput, which takes such values.",
    );
    expect(tenant.requests()).toEqual([]);
  });
});

test("the Output form stays unknown while an argument is, without any call", async () => {
  const tenant = await startTenant(SEED);
  const unknown = pulumi.output(pulumi.unknown) as unknown as pulumi.Output<string>;
  expect(await isKnown(getUserOutput({ userId: unknown }))).toBe(false);
  expect(await isKnown(getUserOutput({ userId: USER_ID, fields: [unknown] as unknown as ["email"] }))).toBe(
    false,
  );
  expect(tenant.requests()).toEqual([]);
});

describe("a user who does not exist", () => {
  test("is an error that names the call, the tenant, the user and the way out", async () => {
    const tenant = await startTenant({});
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ name: "NotFoundError", status: 404, code: "inexistent_user" });
    expect(error.message).toBe(
      `getUser({ userId: "${USER_ID}" }) on ${new URL(tenant.url).host}: GET /users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d ` +
        'answered 404 inexistent_user: The user does not exist. Pass ifMissing: "undefined" to get undefined instead.',
    );
  });

  test("is an error of its own for each call, although they share the request", async () => {
    const tenant = await startTenant({});
    const errors = await Promise.all(
      [args, { ...args, includeIdentityTokens: true }].map((a) => failure(getUser(a))),
    );
    expect(tenant.log()).toHaveLength(1);
    expect(errors.map(({ message }) => message.slice(0, message.indexOf(" on ")))).toEqual([
      `getUser({ userId: "${USER_ID}" })`,
      `getUser({ userId: "${USER_ID}", includeIdentityTokens: true })`,
    ]);
  });

  test("is undefined where that is asked for", async () => {
    await startTenant({});
    expect(await getUser({ ...args, ifMissing: "undefined" })).toBeUndefined();
    expect(await settled(getUserOutput({ ...args, ifMissing: "undefined" }))).toEqual({
      value: undefined,
      secret: false,
    });
    await expect(getUser({ ...args, ifMissing: "error" })).rejects.toThrow(NotFoundError);
  });

  test("is nothing that hides another error", async () => {
    await startTenant({}, { accessToken: "reads-nothing" });
    await expect(getUser({ ...args, ifMissing: "undefined" })).rejects.toThrow(InsufficientScopeError);
  });
});

describe("errors of the document's table", () => {
  test("400: what the service says", async () => {
    const tenant = await startTenant(SEED);
    const message = "Query validation error: 'Invalid value' on property fields.";
    const body = { statusCode: 400, error: "Bad Request", errorCode: "invalid_query_string", message };
    tenant.fail({ action: { status: 400, body } });
    const error = await failure(getUser({ ...args, fields: ["email"] }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain(
      "answered 400 invalid_query_string: Query validation error: 'Invalid value' on property fields. Correct the value",
    );
  });

  test("401: the token was not accepted", async () => {
    await startTenant(SEED, { accessToken: "expired" });
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toContain("answered 401: Invalid token. The token was not accepted");
  });

  test("403: read:current_user reads only the user whom the token was issued to", async () => {
    const other = "auth0|another";
    const tenant = await startTenant(
      { users: [RECORD, { user_id: other }] },
      { accessToken: "reads-itself" },
    );
    expect(await getUser(args)).toMatchObject({ userId: USER_ID });
    const error = await failure(getUser({ userId: other }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 403 });
    expect(error.message).toBe(
      `getUser({ userId: "auth0|another" }) on ${new URL(tenant.url).host}: GET /users/auth0%7Canother answered 403: ` +
        "User to be acted on does not match subject in bearer token. The token relies on read:current_user, which reads only the user whom the token was issued to, and that is another one. " +
        "Grant read:users to the client to read other users.",
    );
  });

  test("403: no scope that fits", async () => {
    await startTenant(SEED, { accessToken: "reads-nothing" });
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(InsufficientScopeError);
    expect(error.message).toContain("answered 403 insufficient_scope");
    expect(error.message).toContain(
      "Grant read:users or read:user_idp_tokens or read:current_user to the client",
    );
  });

  test("429: is waited for", async () => {
    const tenant = await startTenant(SEED, { rate: { burst: 2, perSecond: 50 } });
    tenant.fail({ action: { status: 429, headers: { "retry-after": "0" } } });
    expect(await getUser(args)).toMatchObject({ userId: USER_ID });
    expect(tenant.log()).toEqual([`GET ${USER_PATH} 429`, `GET ${USER_PATH} 200`]);
  });

  test("429: is an error when it does not end", async () => {
    process.env["IDENTITY_MAX_WAIT_SECONDS"] = "1";
    const tenant = await startTenant(SEED);
    tenant.fail({ times: 100, action: { status: 429, headers: { "retry-after": "5" } } });
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error.message).toContain(`GET ${USER_PATH.replace("/api/v2", "")} `);
    expect(error.message).toContain("identity:maxWaitSeconds");
  });
});

describe("an error shows no secret and nothing hidden,", () => {
  const shown = (error: Error) => [inspect(error), error.stack, JSON.stringify(error)].join("\n");

  test("whatever the service says", async () => {
    const token = "reads-users/+=";
    const tenant = await startTenant(
      { ...SEED, tokens: [{ access_token: token, scope: "read:users" }] },
      { accessToken: token },
    );
    const spellings = [token, encodeURIComponent(token), Buffer.from(`:${token}`).toString("base64")];
    const message = `\u001b[31mred\n::add-mask::x ${spellings.join(" ")}`;
    const body = { statusCode: 400, error: "Bad Request", errorCode: "x", message };
    tenant.fail({ action: { status: 400, body } });
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.message).toContain("answered 400 x: ");
    // eslint-disable-next-line no-control-regex
    expect(error.message).not.toMatch(/[\u0000-\u001f]|::add-mask::/);
    for (const spelling of spellings.slice(0, 2)) expect(shown(error)).not.toContain(spelling);
    expect(shown(error)).not.toContain(Buffer.from(token).toString("base64").slice(3, -4));
  });

  test("and it names the call before there is a tenant", async () => {
    await startTenant(SEED);
    delete process.env["IDENTITY_DOMAIN"];
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(
      /^getUser\(\{ userId: "auth0\|\w+" \}\): The connection to the identity tenant is not/,
    );
  });
});

describe("requests", () => {
  test("several calls for the same user share one", async () => {
    const tenant = await startTenant(SEED);
    await Promise.all([getUser(args), getUser({ ...args }), settled(getUserOutput(args))]);
    await getUser({ ...args, ifMissing: "undefined" });
    expect(tenant.log()).toEqual([`GET ${USER_PATH} 200`]);
    await getUser({ ...args, fields: ["email"] });
    expect(tenant.log()).toHaveLength(2);
  });

  test("a failure is not kept for the next call", async () => {
    const tenant = await startTenant(SEED);
    tenant.fail({ action: { status: 400 } });
    await expect(getUser(args)).rejects.toThrow(ApiError);
    expect(await getUser(args)).toEqual({ ...USER });
  });

  test("several users are read side by side", async () => {
    const ids = Array.from({ length: 10 }, (_, i) => `auth0|user-${i}`);
    const tenant = await startTenant({ users: ids.map((user_id) => ({ user_id })) }, { latency: 100 });
    const users = await Promise.all(ids.map((userId) => getUser({ userId })));
    expect(users.map(({ userId }) => userId)).toEqual(ids);
    const arrivals = tenant.requests().map(({ at }) => at);
    expect(arrivals).toHaveLength(10);
    // One after the other they would arrive within 900 ms.
    expect(Math.max(...arrivals) - Math.min(...arrivals)).toBeLessThan(700);
  });
});
