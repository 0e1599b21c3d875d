import { z } from "zod";
import {
  ApiError,
  type IdentityError,
  InsufficientScopeError,
  NotFoundError,
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
import { CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../simulator/default-seed";
import { type FaultAction } from "../../simulator/faults";
import { type IdentityClient } from "../../provider/http/client";
import { closeAll, failure, startTenant } from "../../testkit/client";

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

  test.each([
    ...[400, 402, 403, 404, 409, 410, 422, 451].map((status) => ({ status })),
    ...[undefined, html, ""].map((body) => ({ status: 429, headers: { "retry-after": "9" }, body })),
  ])("refused: %j", async (action) => {
    expect(outcomeOf(await posted(action))).toBe("refused");
  });

  test.each([
    ...[408, 500, 501, 502, 503, 504, 520, 522, 524, 599].map((status) => ({ status })),
    ...[400, 401, 403, 404, 409, 422].map((status) => ({ status, body: html })),
    { status: 409, body: "" },
    { status: 409, body: {} },
    { status: 409, body: { statusCode: 400, message: "another status" } },
    { status: 409, body: { statusCode: 409 } },
    { status: 409, body: { message: "no status" } },
    { status: 409, body: ["statusCode"] },
    { status: 200, body: html },
    { status: 200, body: "" },
    { status: 201, body: { id: 1 } },
    { status: 201, body: { statusCode: 403, id: ID } },
    { status: 204 },
    { status: 302, headers: { location: "/login" } },
    { status: 304 },
    { redirect: "https://elsewhere.example/", status: 307 },
    { drop: "before" as const },
    { drop: "after" as const },
    { delay: 1_000 },
  ])("unknown: %j", async (action) => {
    expect(outcomeOf(await posted(action))).toBe("unknown");
  });

  test.each([200, 201, 202])("done: the promised body with %i", async (status) => {
    expect(await posted({ status, body: record })).toBeUndefined();
  });
});

describe("a call without a promised body", () => {
  const deleted = async (action: FaultAction) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ method: "DELETE", action });
    const sent = deleteConnectionProfile(client, ID).then(
      () => undefined,
      (error: unknown) => error as IdentityError,
    );
    return { error: await sent, log: simulator.log() };
  };

  test("is done with 204, and with nothing else", async () => {
    expect((await deleted({ status: 204 })).error).toBeUndefined();
  });

  test.each([
    { status: 200, body: "<html>sign in</html>" },
    { status: 200, body: { statusCode: 403 } },
    { status: 200, body: "" },
    { status: 202 },
    { status: 205 },
  ])("%j may have done anything", async (action) => {
    const { error, log } = await deleted(action);
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error).toMatchObject({
      outcome: "unknown",
      message:
        `DELETE /connection-profiles/${ID} answered ${action.status} instead of 204, so that nobody knows whether it was ` +
        "done. Check that identity:domain is an identity tenant; if it is, this package may be too old for it.",
    });
    expect(log).toEqual([TOKEN, `DELETE ${UNKNOWN} ${action.status}`]);
  });
});

describe("error answers", () => {
  const failed = async (action: object, call = listConnectionProfilePage) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: PROFILES, times: 4, action: action as { status: number } });
    return failure(call(client, undefined));
  };

  test.each([
    [400, ApiError, "answered 400: Bad Request. Correct the value that the service names."],
    [
      404,
      UnexpectedAnswerError,
      "answered 404: Not Found. It names no object that could be missing. Check that identity:domain is an identity " +
        "tenant, and that its plan has this feature.",
    ],
    [408, ApiError, "answered 408: Request Timeout. The service failed; run this again later."],
    [
      409,
      ApiError,
      "answered 409: Conflict. Something on the tenant stands in the way: change one of the two.",
    ],
    [500, ApiError, "answered 500: Internal Server Error. The service failed; run this again later."],
    [503, ApiError, "answered 503: Service Unavailable. The service failed; run this again later."],
  ])("%s", async (status, kind, message) => {
    const error = await failed({ status });
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toBe(`GET /connection-profiles ${message}`);
  });

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

  test.each<[{ errorCode?: string }, string]>([
    [
      { errorCode: "insufficient_scope" },
      "answered 403 insufficient_scope: No. Grant read:connection_profiles to the client: on the tenant, in the " +
        "client's grant for the management API. Then run this again.",
    ],
    [
      {},
      "answered 403: No. The client may need read:connection_profiles, or the tenant's plan may lack this feature: " +
        "check both.",
    ],
    [
      { errorCode: "insufficient_entitlement" },
      "answered 403 insufficient_entitlement: No. The tenant's plan doesn't allow it.",
    ],
  ])("a 403 that names no scope: %j", async (more, message) => {
    const error = await failed({ status: 403, body: { statusCode: 403, message: "No.", ...more } });
    expect(error.message).toBe(`GET /connection-profiles ${message}`);
    expect(error instanceof InsufficientScopeError).toBe(more.errorCode === "insufficient_scope");
  });

  test.each([402, 405, 410, 413, 422, 451, 499])(
    "a refusal that nobody documents says what to do: %i",
    async (status) => {
      const error = await failed({ status });
      expect(error.message).toMatch(
        /^GET \/connection-profiles answered \d+: .*\. Correct what the service names; if nothing is wrong there, run this again later\.$/,
      );
    },
  );

  test("the id of the request is told", async () => {
    const error = await failed({ status: 500, headers: { "x-request-id": "req-4711" } });
    expect(error).toMatchObject({ requestId: "req-4711" });
    expect(error.message).toContain("Internal Server Error (request req-4711).");
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

  test.each([400, 403, 404])("%i in other words is not the service's", async (status) => {
    const error = await failed({ status, body: "<html>proxy page</html>" });
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error.message).toMatch(
      /^GET \/connection-profiles on http:\S+ answered \d+, but not in the words of the service: something before it, such as a gateway, answered instead\. Check identity:domain\.$/,
    );
  });

  test("a failure in other words is told without them", async () => {
    expect((await failed({ status: 502, body: "<html>proxy page</html>" })).message).toBe(
      "GET /connection-profiles answered 502. The service failed; run this again later.",
    );
  });

  test("a refusal by a rate limit in other words is one all the same", async () => {
    const headers = { "retry-after": "999" };
    const error = await failed({ status: 429, headers, body: "<html>slow down</html>" });
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error.message).toMatch(/^GET \/connection-profiles answered 429\. Tried once/);
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
