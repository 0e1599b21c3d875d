import * as pulumi from "@pulumi/pulumi";
import {
  ApiError,
  ConfigurationError,
  getUser,
  type GetUserArgs,
  getUserOutput,
  InsufficientScopeError,
  InvalidInputError,
  NotFoundError,
} from "../../provider";
import { args, RECORD, SECRETS, SEED, USER } from "./user-record";
import { failure, isKnown, settled, startTenant, stopTenants, USER_ID, USER_PATH } from "./tenant";

afterEach(stopTenants);

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

describe("the record of another user", () => {
  const answering = async (userId: string, record: object) => {
    const tenant = await startTenant({ users: [{ user_id: userId }] });
    const alter = { "/": record };
    tenant.fail({ path: "/api/v2/users/*", action: { alter } });
    return getUser({ userId });
  };

  test.each([
    ["another user", { user_id: "auth0|other", blocked: false }],
    ["one that differs in case", { user_id: USER_ID.toUpperCase() }],
    ["one of whom the id asked for is a part", { user_id: `${USER_ID}0` }],
    [
      "one with another linked identity",
      { user_id: "auth0|other", identities: [{ provider: "auth0", user_id: "x" }] },
    ],
  ])("is refused: %s", async (_who, record) => {
    await expect(answering(USER_ID, record)).rejects.toThrow(
      /answered 200 with an unexpected body: user_id: not the one that was asked for/,
    );
  });

  test("is not that of a user who is asked for by the id of a linked identity", async () => {
    const identities = [
      { provider: "auth0", user_id: "main" },
      { provider: "github", user_id: 4711 },
    ];
    const user = await answering("github|4711", { user_id: "auth0|main", identities });
    expect(user.userId).toBe("auth0|main");
  });

  test.each(["auth0|a b", "waad|ä/ö?x=1#y", "samlp|corp|user+1@example.com", "email|100%25"])(
    "an id is compared as it is, however it goes into the path: %s",
    async (userId) => expect((await answering(userId, { user_id: userId })).userId).toBe(userId),
  );

  test("can't be told where the program asks for no id", async () => {
    expect(await answering(USER_ID, { blocked: true })).toMatchObject({ blocked: true });
  });
});

describe("field selection", () => {
  test.each<[Omit<GetUserArgs, "userId">, string]>([
    [{}, ""],
    [{ fields: [] }, ""],
    [{ fields: ["user_id", "email"] }, "?fields=user_id%2Cemail"],
    [{ fields: ["email"], includeFields: true }, "?fields=email&include_fields=true"],
    [{ fields: ["email"], includeFields: false }, "?fields=email&include_fields=false"],
    [{ fields: ["emailVerified", "userId", "email_verified"] }, "?fields=email_verified%2Cuser_id"],
    // What isn't documented is the tenant's to know.
    [{ fields: ["plan", "shoeSize", "createdAt"] }, "?fields=plan%2CshoeSize%2Ccreated_at"],
    [{ fields: ["app_metadata.plan", " a b&c"] }, "?fields=app_metadata.plan%2C+a+b%26c"],
  ])("%j asks for %s", async (selection, query) => {
    const tenant = await startTenant(SEED);
    await getUser({ ...args, ...selection });
    expect(tenant.log()).toEqual([`GET ${USER_PATH}${query} 200`]);
  });

  test("fields that aren't documented, but for those with names like a token's", async () => {
    const shoeSize = { eu: 43, used_token: "hidden" };
    await startTenant({ users: [{ user_id: USER_ID, shoeSize, id_token: "hidden", plan: "gold" }] });
    expect(await getUser({ ...args, fields: ["shoeSize", "id_token"] })).toEqual({
      additionalProperties: { shoeSize: { eu: 43 } },
    });
    expect(await getUser({ ...args, fields: ["plan"], includeFields: false })).toEqual({
      userId: USER_ID,
      additionalProperties: { shoeSize: { eu: 43 } },
    });
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
    [{ userId: ".." }, "userId: must be an id"],
    [{ userId: 7 }, "received 7."],
    [{ ...args, fields: "email" }, "fields: must be a list of fields"],
    [{ ...args, fields: ["email,name"] }, "fields[0]: must be one name of a field, without a comma"],
    [{ ...args, fields: [" "] }, 'control characters; received " ".'],
    [{ ...args, fields: ["a\nb"] }, 'control characters; received "a\\nb".'],
    [{ ...args, fields: ["a\ud800"] }, "fields[0]: must be one name of a field"],
    [{ ...args, includeFields: "yes" }, "includeFields: must be true or false"],
    [{ ...args, required: "no" }, "required: must be true or false"],
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
    ["a promise", { userId: Promise.resolve(USER_ID) }],
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

describe("requests", () => {
  test("calls for the same user at once share one", async () => {
    const tenant = await startTenant(SEED);
    const otherwise = { ...args, required: false } as const;
    await Promise.all([getUser(args), getUser(otherwise), settled(getUserOutput(args))]);
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
});

describe("a user who does not exist", () => {
  test("is an error that names the call, the tenant, the user and the way out", async () => {
    const tenant = await startTenant({});
    const error = await failure(getUser(args));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toMatchObject({ name: "NotFoundError", status: 404, code: "inexistent_user" });
    expect(error.message).toBe(
      `getUser({ userId: "${USER_ID}" }) on ${new URL(tenant.url).host}: GET /users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d ` +
        "answered 404 inexistent_user: The user does not exist. Pass required: false if the user need not exist.",
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
    expect(await getUser({ ...args, required: false })).toBeUndefined();
    expect(await settled(getUserOutput({ ...args, required: false }))).toEqual({
      value: undefined,
      secret: false,
    });
    await expect(getUser({ ...args, required: true })).rejects.toThrow(NotFoundError);
  });

  test("is nothing that hides another error", async () => {
    await startTenant({}, { accessToken: "reads-nothing" });
    await expect(getUser({ ...args, required: false })).rejects.toThrow(InsufficientScopeError);
  });
});

test("read:current_user reads only the user whom the token was issued to", async () => {
  const other = "auth0|another";
  const tenant = await startTenant({ users: [RECORD, { user_id: other }] }, { accessToken: "reads-itself" });
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

test("a key of the configuration that is no setting is an error", async () => {
  const tenant = await startTenant(SEED);
  pulumi.runtime.setAllConfig({ "identity:maxRevocation": "5" });
  const error = await failure(getUser(args));
  pulumi.runtime.setAllConfig({});
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toContain(
    "identity:maxRevocation is no setting: did you mean identity:maxRevocations?",
  );
  expect(tenant.requests()).toEqual([]);
});

test("an error names the call before there is a tenant", async () => {
  await startTenant(SEED);
  delete process.env["IDENTITY_DOMAIN"];
  const error = await failure(getUser(args));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(
    /^getUser\(\{ userId: "auth0\|\w+" \}\): The connection to the identity tenant is not/,
  );
});
