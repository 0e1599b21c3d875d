import {
  ApiError,
  ConfigurationError,
  getUser,
  getUserOutput,
  InsufficientScopeError,
  NotFoundError,
} from "../../provider";
import { RECORD, SEED, args } from "./user-record";
import { failure, settled, startTenant, stopTenants, USER_ID } from "./tenant";

afterEach(stopTenants);

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

test("an error names the call before there is a tenant", async () => {
  await startTenant(SEED);
  delete process.env["IDENTITY_DOMAIN"];
  const error = await failure(getUser(args));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message).toMatch(
    /^getUser\(\{ userId: "auth0\|\w+" \}\): The connection to the identity tenant is not/,
  );
});
