import { inspect } from "node:util";
import {
  ApiError,
  AuthenticationError,
  ConfigurationError,
  getUser,
  getUserOutput,
  InsufficientScopeError,
  NotFoundError,
  RateLimitedError,
} from "../../provider";
import { RECORD, SEED, args } from "./user-record";
import { failure, settled, startTenant, stopTenants, USER_ID, USER_PATH } from "./tenant";

afterEach(stopTenants);

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
    // eslint-disable-next-line no-control-regex -- that none is left is what is tested
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
