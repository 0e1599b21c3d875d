import { z } from "zod";
import {
  ApiError,
  type IdentityError,
  InsufficientScopeError,
  NotFoundError,
  NotServedError,
  outcomeOf,
  RateLimitedError,
  UnexpectedAnswerError,
} from "../../provider/http/errors";
import {
  deleteConnectionProfile,
  listConnectionProfilePage,
  postConnectionProfile,
  readConnectionProfile,
} from "./profiles";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../simulator/default-seed";
import { type Fault, type FaultAction } from "../../simulator/faults";
import { type IdentityClient } from "../../provider/http/client";
import { readUser } from "../../provider/service/users";
import { closeAll, failure, GIVEN_TOKEN, startTenant } from "../../testkit/client";

afterEach(closeAll);

const PROFILES = "/api/v2/connection-profiles";
const TOKEN = "POST /oauth/token 200";
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const UNKNOWN = `${PROFILES}/${ID}`;

describe("what became of a request", () => {
  const record = { id: ID, name: "a" };
  /** Returns the error of a POST with this answer; undefined if it succeeds. */
  const posted = async (action: FaultAction): Promise<IdentityError | undefined> => {
    const { simulator, client } = await startTenant({
      limits: {
        rateLimitReserve: 0,
        maxWaitSeconds: 0.5,
        // Short only if the test is about time: a busy machine answers late.
        requestTimeoutSeconds: "delay" in action ? 0.3 : 30,
      },
    });
    await listConnectionProfilePage(client, undefined);
    simulator.fail({ path: PROFILES, times: 2, action });
    const call = { method: "POST", path: "/connection-profiles", body: {}, scopes: [] } as const;
    const outcome = await client.send({ ...call, answer: z.object({ id: z.string() }) }).then(
      () => undefined,
      (error: unknown) => error as IdentityError,
    );
    return outcome;
  };
  const html = "<html>not the service</html>";

  /** outcome.test.ts has the rule by status. */
  test.each<[outcome: string, action: FaultAction]>([
    ["refused", { status: 400 }],
    ["refused", { status: 404 }],
    ["refused", { status: 451 }],
    ...[undefined, html, ""].map((body): [string, FaultAction] => [
      "refused",
      { status: 429, headers: { "retry-after": "9" }, body },
    ]),
    // This host is the service.
    ["refused", { status: 409, body: {} }],
    ["refused", { status: 409, body: { statusCode: 409 } }],
    ["refused", { status: 409, body: { message: "no status" } }],
    ["refused", { status: 422, body: { type: "about:blank", title: "Taken", status: 422 } }],
    ["unknown", { status: 408 }],
    ["unknown", { status: 500 }],
    ["unknown", { status: 599 }],
    ["unknown", { status: 400, body: html }],
    ["unknown", { status: 401, body: html }],
    ["unknown", { status: 404, body: html }],
    ["unknown", { status: 409, body: "" }],
    ["unknown", { status: 409, body: { statusCode: 400, message: "another status" } }],
    ["unknown", { status: 409, body: { status: 404, title: "another status" } }],
    ["unknown", { status: 409, body: ["statusCode"] }],
    ["unknown", { status: 200, body: html }],
    ["unknown", { status: 201, body: { statusCode: 403, id: ID } }],
    ["unknown", { status: 200, body: { error: "no" } }],
    ["unknown", { status: 302, headers: { location: "/login" } }],
    ["unknown", { status: 304 }],
    ["unknown", { redirect: "https://elsewhere.example/", status: 307 }],
    ["unknown", { drop: "before" }],
    ["unknown", { drop: "after" }],
    ["unknown", { delay: 1_000 }],
    // The promised body is missing.
    ["done", { status: 200, body: "" }],
    ["done", { status: 204 }],
    ["done", { status: 201, body: { id: 1 } }],
  ])("%s: %j", async (outcome, action) => {
    const error = await posted(action);
    expect(outcomeOf(error)).toBe(outcome);
    if (outcome === "done") expect(error).toBeInstanceOf(UnexpectedAnswerError);
  });

  test.each([200, 201, 202])("done: the promised body with %i", async (status) => {
    expect(await posted({ status, body: record })).toBeUndefined();
  });
});

describe("a call without a promised body", () => {
  const credentials = { type: "access-token", accessToken: GIVEN_TOKEN } as const;
  const seed = { ...DEFAULT_SEED, tokens: [{ access_token: GIVEN_TOKEN, scope: ALL_SCOPES }] };
  /** `isGiven`: the token was given, so nothing shows that the host is the service. */
  const deleted = async (action: FaultAction, { isGiven = false, faults = [] as Fault[] } = {}) => {
    const { simulator, client } = await startTenant(isGiven ? { credentials, seed } : {});
    simulator.fail({ method: "DELETE", action }, ...faults);
    const sent = deleteConnectionProfile(client, ID).then(
      () => undefined,
      (error: unknown) => error as IdentityError,
    );
    return { error: await sent, log: simulator.log() };
  };

  test.each([
    { status: 204 },
    { status: 202 },
    { status: 205 },
    { status: 200, body: "" },
    ...[{}, [], null, true, "ok", { success: true }, { status: "ok" }, { message: "Done." }].map((json) => ({
      status: 200,
      body: JSON.stringify(json),
    })),
  ])("is done: %j", async (action) => {
    const { error, log } = await deleted(action);
    expect(error).toBeUndefined();
    expect(log).toEqual([TOKEN, `DELETE ${UNKNOWN} ${action.status}`]);
  });

  test.each([
    { status: 200, body: "<html>sign in</html>" },
    { status: 200, body: "OK" },
    ...[
      { statusCode: 403 },
      { status: 500 },
      { error: "no" },
      { errors: [{ message: "no" }] },
      { success: false },
      { status: "error" },
      false,
    ].map((json) => ({ status: 200, body: JSON.stringify(json) })),
  ])("%j may have done anything", async (action) => {
    const { error, log } = await deleted(action);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({
      outcome: "unknown",
      message:
        `DELETE /connection-profiles/${ID} answered 200 with something else than a success, so that nobody knows ` +
        "whether it was done. Check that identity:domain is an identity tenant; if it is, this package may be too old for it.",
    });
    expect(log).toEqual([TOKEN, `DELETE ${UNKNOWN} 200`]);
  });

  test("with a given token, asks for a user without it, to see who answers", async () => {
    const { error, log } = await deleted({ status: 200, body: {} }, { isGiven: true });
    expect(error).toBeUndefined();
    expect(log).toEqual([`DELETE ${UNKNOWN} 200`, "GET /api/v2/users/0 401"]);
    // A 204 shows it already.
    const { log: sure } = await deleted({ status: 204 }, { isGiven: true });
    expect(sure).toEqual([`DELETE ${UNKNOWN} 204`]);
  });

  test.each([
    { status: 200, body: {} },
    { status: 401, body: "<html>sign in</html>" },
    { status: 404, body: { statusCode: 404, message: "Not Found" } },
    { redirect: "/login", status: 302 },
  ])("is not done where a host answers %j to that", async (action) => {
    const faults = [{ method: "GET", action }];
    const { error } = await deleted({ status: 200, body: {} }, { isGiven: true, faults });
    expect(error).toMatchObject({ outcome: "unknown" });
    expect(error?.message).toContain(
      "answered 200 as any host could, so that nobody knows whether it was done.",
    );
  });
});

describe("a 404 of an object in other words than the service's usual ones", () => {
  const OTHER = { status: 404, body: { error: { message: "no such thing" } } };
  const lost = async (call: (client: IdentityClient, id: string) => Promise<unknown>, ...faults: Fault[]) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", action: OTHER }, ...faults);
    const outcomes = [];
    for (const id of [ID, `${ID}2`]) {
      if (outcomes.length > 0) simulator.fail({ path: "/api/v2/*", action: OTHER });
      outcomes.push(await failure(call(client, id)));
    }
    return { errors: outcomes, log: simulator.log().slice(1) };
  };

  test.each([
    ["GET", readConnectionProfile],
    ["DELETE", deleteConnectionProfile],
  ] as const)(
    "is believed once a %s is refused without a token, asked once for all",
    async (method, call) => {
      const { errors, log } = await lost(call);
      for (const error of errors) expect(error).toBeInstanceOf(NotFoundError);
      expect(errors[0]?.message).toBe(`${method} /connection-profiles/${ID} answered 404: no such thing.`);
      const list = `GET ${PROFILES} 200`;
      expect(log).toEqual([
        `${method} ${UNKNOWN} 404`,
        list,
        `GET ${UNKNOWN} 401`,
        `${method} ${UNKNOWN}2 404`,
      ]);
    },
  );

  test("is not believed where a host answers anything else", async () => {
    const { errors } = await lost(readConnectionProfile, {
      method: "GET",
      path: UNKNOWN,
      action: { status: 404 },
    });
    expect(errors[0]).toBeInstanceOf(UnexpectedAnswerError);
    expect(errors[0]).toMatchObject({ outcome: "unknown" });
    expect(errors[0]?.message).toMatch(
      /answered 404: no such thing\. A gateway may have said that: .* pulumi state delete URN\.$/,
    );
  });

  test("is believed by a look-up as it is", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", action: OTHER });
    expect(await failure(readUser(client, "auth0|x"))).toBeInstanceOf(NotFoundError);
    expect(simulator.log().slice(1)).toEqual(["GET /api/v2/users/auth0%7Cx 404"]);
  });
});

describe("a 404 where the tenant may not have the operation", () => {
  const read = async (...faults: Fault[]) => {
    const { simulator, client } = await startTenant();
    simulator.fail(...faults);
    const errors = [
      await failure(readConnectionProfile(client, ID)),
      await failure(readConnectionProfile(client, ID)),
    ];
    return { errors, log: simulator.log().slice(1) };
  };

  test("is the object's if the tenant has the list, which is asked for once", async () => {
    const { errors, log } = await read();
    for (const error of errors) expect(error).toBeInstanceOf(NotFoundError);
    expect(log).toEqual([`GET ${UNKNOWN} 404`, `GET ${PROFILES} 200`, `GET ${UNKNOWN} 404`]);
  });

  test.each([404, 405])("says nothing of the object if the list is %i, too", async (status) => {
    const { errors } = await read({ path: PROFILES, action: { status } });
    expect(errors[0]).toBeInstanceOf(NotServedError);
    expect(errors[0]?.message).toMatch(
      /answered 404: .* So is GET \/connection-profiles\. The tenant doesn't have this operation, so do it there by hand\. .* pulumi state delete URN\.$/,
    );
  });

  test("is the object's if the client may not read the list", async () => {
    const { errors } = await read({ path: PROFILES, action: { status: 403 } });
    expect(errors[0]).toBeInstanceOf(NotFoundError);
  });

  test("leaves it open if the list can't be read, and asks again", async () => {
    const { errors } = await read({ path: PROFILES, times: 4, action: { status: 503 } });
    expect(errors[0]).not.toBeInstanceOf(NotFoundError);
    expect(errors[0]?.message).toContain(
      "It's not clear that it is gone: GET /connection-profiles answered 503",
    );
    expect(errors[1]).toBeInstanceOf(NotFoundError);
  });
});

describe("error answers", () => {
  const failed = async (action: object, call = listConnectionProfilePage) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: PROFILES, times: 4, action: action as { status: number } });
    return failure(call(client, undefined));
  };

  const html = "<html>proxy page</html>";
  const wantsCertificate = "<center>No required SSL certificate was sent</center>";
  const forbidden = (errorCode?: string) => ({
    status: 403,
    body: { statusCode: 403, message: "No.", ...(errorCode !== undefined && { errorCode }) },
  });
  const NAMELESS =
    "answered 404: Not Found. It names no object that could be missing. Check that identity:domain is an identity " +
    "tenant, and that its plan has this feature.";
  const NO_SCOPE =
    "answered 403 insufficient_scope: No. Grant read:connection_profiles to the client: on the tenant, in the client's " +
    "grant for the management API. Then run this again.";
  const PLAN =
    "answered 403: No. The client may need read:connection_profiles, or the tenant's plan may lack this feature: check both.";
  const CORRECT = "Correct what the service names; if nothing is wrong there, run this again later.";
  const FAILED = "The service failed; run this again later.";
  const FOREIGN =
    "but not in the words of the service: something before it, such as a gateway, answered instead. Check identity:domain.";

  type Told = [action: { status: number; body?: unknown; headers?: object }, kind: unknown, message: string];
  /** `ON`: the tenant's address. */
  async function expectError(...[action, kind, message]: Told): Promise<void> {
    const error = await failed(action);
    expect(error.constructor).toBe(kind);
    const told = error.message.replace(/ on http:\S+ /, " ON ");
    const text = `GET /connection-profiles ${message}`;
    expect(told).toEqual(text.endsWith(".") ? text : expect.stringMatching(`^${text}`));
    if (action.headers !== undefined && action.status === 500)
      expect(error).toMatchObject({ requestId: "req-4711" });
  }

  test.each<Told>([
    [{ status: 400 }, ApiError, "answered 400: Bad Request. Correct the value that the service names."],
    [{ status: 402 }, ApiError, `answered 402: Payment Required. ${CORRECT}`],
    [{ status: 404 }, UnexpectedAnswerError, NAMELESS],
    [{ status: 408 }, ApiError, `answered 408: Request Timeout. ${FAILED}`],
    [
      { status: 409 },
      ApiError,
      "answered 409: Conflict. Something on the tenant stands in the way: change one of the two.",
    ],
    [{ status: 422 }, ApiError, `answered 422: Unprocessable Entity. ${CORRECT}`],
    [{ status: 500 }, ApiError, `answered 500: Internal Server Error. ${FAILED}`],
    [
      { status: 500, headers: { "x-request-id": "req-4711" } },
      ApiError,
      `answered 500: Internal Server Error (request req-4711). ${FAILED}`,
    ],
    [{ status: 400, body: html }, UnexpectedAnswerError, `ON answered 400, ${FOREIGN}`],
    [{ status: 403, body: html }, UnexpectedAnswerError, `ON answered 403, ${FOREIGN}`],
    [
      { status: 400, body: wantsCertificate },
      UnexpectedAnswerError,
      "ON answered 400: the host wants a client certificate, and pulumi-identity can't send one. Set identity:domain to",
    ],
    [{ status: 408, body: html }, ApiError, `answered 408. ${FAILED}`],
    [{ status: 502, body: html }, ApiError, `answered 502. ${FAILED}`],
    [
      { status: 429, headers: { "retry-after": "999" }, body: html },
      RateLimitedError,
      "answered 429. Tried once",
    ],
  ])("%j", (...row) => expectError(...row));

  test.each<Told>([
    [forbidden("insufficient_scope"), InsufficientScopeError, NO_SCOPE],
    [forbidden(), ApiError, PLAN],
    [
      forbidden("insufficient_entitlement"),
      ApiError,
      "answered 403 insufficient_entitlement: No. The tenant's plan doesn't allow it.",
    ],
  ])("a 403 that names no scope: %j", (...row) => expectError(...row));

  test("only the 404 of an object that is named by its id says that it is not there", async () => {
    const { client } = await startTenant();
    const error = await failure(readConnectionProfile(client, ID));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.message).toBe(
      `GET /connection-profiles/${ID} answered 404: The connection profile does not exist.`,
    );
    expect(outcomeOf(error)).toBe("refused");
  });

  test("a missing scope is named, with what to do", async () => {
    const seed = {
      ...DEFAULT_SEED,
      clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: "read:users" }],
    };
    const { client } = await startTenant({ seed });
    const error = await failure(postConnectionProfile(client, { name: "a" }));
    expect(error).toBeInstanceOf(InsufficientScopeError);
    expect(error).toMatchObject({ scopes: ["create:connection_profiles"] });
    expect(error.message).toBe(
      "POST /connection-profiles answered 403 insufficient_scope: Insufficient scope, expected any of: " +
        "create:connection_profiles. Grant create:connection_profiles to the client: on the tenant, in the client's " +
        "grant for the management API. Then run this again.",
    );
  });

  test("a redirect is not followed: the token stays here", async () => {
    const elsewhere = await startTenant();
    const error = await failed({ redirect: `${elsewhere.simulator.url}/api/v2/connection-profiles` });
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error.message).toMatch(
      /^GET \/connection-profiles on http:\S+ answered 302, a redirect to 127\.0\.0\.1:\d+, which is not followed because the token must not go elsewhere\. Set identity:domain to/,
    );
    expect(elsewhere.simulator.log()).toEqual([]);
  });

  test("a message of any length is quoted up to 1,000 characters", async () => {
    const message = `expected any of: ${"a:b ".repeat(40_000)}`;
    const error = await failed({ status: 403, body: { statusCode: 403, message } });
    expect(error.message.length).toBeLessThan(1_500);
  });
});

describe("answers", () => {
  /** Returns the error of a read that is answered like this. */
  const misread = async (action: FaultAction, read: (client: IdentityClient) => Promise<unknown>) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/api/v2/*", action });
    return failure(read(client));
  };
  const profiles = (client: IdentityClient) => listConnectionProfilePage(client, undefined);

  test("a wrong shape is told by its path, without the value", async () => {
    const record = { id: ID, name: "a", enabled_features: ["scim", { hidden: "value" }] };
    const error = await misread({ status: 200, body: { connection_profiles: [record] } }, profiles);
    expect(error.message).toBe(
      "GET /connection-profiles answered 200 with an unexpected body: connection_profiles.0.enabled_features.1: Invalid " +
        "input: expected string, received object. Check that identity:domain is an identity tenant; if it is, this " +
        "package may be too old for it.",
    );
  });

  test("fields that are not known are kept", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({
      path: UNKNOWN,
      action: { status: 200, body: { id: ID, name: "a", brand_new: { x: 1 } } },
    });
    expect(await readConnectionProfile(client, ID)).toEqual({ id: ID, name: "a", brand_new: { x: 1 } });
  });

  test("another object's record is not believed", async () => {
    const body = { id: "cop_another", name: "a" };
    const error = await misread({ status: 200, body }, (client) => readConnectionProfile(client, ID));
    expect(error.message).toContain("with an unexpected body: id: not the one that was asked for.");
    expect(outcomeOf(error)).toBe("unknown");
  });
});
