import { z } from "zod";
import {
  ApiError,
  AuthenticationError,
  InsufficientScopeError,
  InvalidInputError,
  NetworkError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnexpectedAnswerError,
} from "../../provider/http/errors";
import {
  deleteConnectionProfile,
  listConnectionProfilePage,
  postConnectionProfile,
  readConnectionProfile,
  updateConnectionProfile,
} from "../../provider/service/connection-profiles";
import { deleteDeviceCredential } from "../../provider/service/device-credentials";
import { readUser } from "../../provider/service/users";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  DEFAULT_SEED,
  LAPTOP_CREDENTIAL_ID,
  USER_ID,
} from "../simulator/default-seed";
import { clientOf, closeAll, failure, startTenant } from "./tenant";

afterEach(closeAll);

const PROFILES = "/api/v2/connection-profiles";
const TOKEN = "POST /oauth/token 200";
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const UNKNOWN = `${PROFILES}/${ID}`;

describe("retry", () => {
  test.each([
    [{ drop: "before" } as const, 0],
    [{ drop: "after" } as const, 0],
    [{ status: 503 }, 503],
    [{ status: 429, headers: { "retry-after": "0" } }, 429],
  ])("a read is repeated after %j", async (action, status) => {
    const { simulator, client } = await startTenant({ limits: { rateLimitReserve: 0 } });
    simulator.fail({ path: PROFILES, action });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual([
      TOKEN,
      `GET ${PROFILES}?take=10 ${status}`,
      `GET ${PROFILES}?take=10 200`,
    ]);
    expect(client.statistics).toMatchObject({ running: 0, requests: 2, retries: 1 });
  });

  test("a delete is repeated, and its second answer counts", async () => {
    const { simulator, client } = await startTenant();
    const { id } = await postConnectionProfile(client, { name: "a" });
    simulator.fail({ method: "DELETE", action: { drop: "after" } });
    const error = await deleteConnectionProfile(client, id).catch((error: unknown) => error);
    expect(error === undefined || error instanceof NotFoundError).toBe(true);
    const deletes = simulator.requests().slice(2);
    expect(deletes.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array<string>(2).fill(`DELETE ${PROFILES}/${id}`),
    );
  });

  test.each([
    ["POST", 0, { drop: "after" }],
    ["POST", 0, { drop: "before" }],
    ["POST", 503, { status: 503 }],
    ["PATCH", 0, { drop: "after" }],
    ["PATCH", 502, { status: 502 }],
  ] as const)("a %s that may have been done is not repeated (%s)", async (method, status, action) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ method, path: `${PROFILES}*`, action });
    const sent =
      method === "POST"
        ? postConnectionProfile(client, { name: "a" })
        : updateConnectionProfile(client, ID, {});
    await failure(sent);
    expect(simulator.log()).toEqual([TOKEN, `${method} ${method === "POST" ? PROFILES : UNKNOWN} ${status}`]);
  });

  test("a write that was refused by the rate limit is repeated", async () => {
    const { simulator, client } = await startTenant({ limits: { rateLimitReserve: 0 } });
    simulator.fail({
      method: "POST",
      path: PROFILES,
      action: { status: 429, headers: { "retry-after": "0" } },
    });
    await postConnectionProfile(client, { name: "a" });
    expect(simulator.log()).toEqual([TOKEN, `POST ${PROFILES} 429`, `POST ${PROFILES} 201`]);
  });

  test("a read that never gets an answer is given up after four attempts", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: PROFILES, times: 9, action: { drop: "before" } });
    expect(await failure(listConnectionProfilePage(client, undefined))).toBeInstanceOf(NetworkError);
    expect(simulator.log()).toEqual([TOKEN, ...Array<string>(4).fill(`GET ${PROFILES}?take=10 0`)]);
  });

  test("a service that hangs is given up in time", async () => {
    const { simulator, client } = await startTenant({ limits: { requestTimeoutSeconds: 0.1 } });
    await readUser(client, USER_ID);
    simulator.fail({ method: "PATCH", action: { delay: 60_000 } });
    const error = await failure(updateConnectionProfile(client, ID, {}));
    expect(error).toBeInstanceOf(TimeoutError);
  });
});

describe("rate limit", () => {
  test("is paced from the first answers on, so that nothing is refused", async () => {
    const { simulator, client } = await startTenant({ rate: { burst: 5, perSecond: 50 } });
    await Promise.all(Array.from({ length: 20 }, (_, i) => postConnectionProfile(client, { name: `p${i}` })));
    expect(simulator.log()).toEqual([TOKEN, ...Array<string>(20).fill(`POST ${PROFILES} 201`)]);
    expect(client.statistics.waitedMs).toBeGreaterThan(0);
  });

  test("is learned for each group of endpoints", async () => {
    const { simulator, client } = await startTenant({
      rate: { burst: 100, perSecond: 100 },
      deviceCredentialRate: { burst: 4, perSecond: 5 },
      behaviour: { delete_unknown_device_credential: 204 },
    });
    await Promise.all([
      ...Array.from({ length: 4 }, (_, i) => deleteDeviceCredential(client, `${LAPTOP_CREDENTIAL_ID}${i}`)),
      ...Array.from({ length: 30 }, () => readUser(client, USER_ID)),
    ]);
    expect(simulator.log().filter((line) => line.endsWith("429"))).toEqual([]);
    expect(simulator.requests()).toHaveLength(35);
  });

  test("a wait has an end, and the error says how long it was", async () => {
    const { simulator, client } = await startTenant({
      rate: { burst: 1, perSecond: 0.001 },
      limits: { maxWaitSeconds: 0.3 },
    });
    await readUser(client, USER_ID);
    const error = await failure(postConnectionProfile(client, { name: "a" }));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error.message).toBe(
      "POST /connection-profiles found no room in the tenant's rate limit within 0.3 s. Tried 0 time(s). Others use up " +
        `the limit of ${client.tenant}: run this again later, lower identity:rateLimitReserve, or raise identity:maxWaitSeconds.`,
    );
    expect(simulator.log()).toHaveLength(2);
  });

  test("refusals that don't end are told with how often it was tried", async () => {
    const { simulator, client } = await startTenant({ limits: { maxWaitSeconds: 2, rateLimitReserve: 0 } });
    simulator.fail(
      { path: PROFILES, action: { status: 429, headers: { "retry-after": "0" } } },
      { path: PROFILES, action: { status: 429, headers: { "retry-after": "3" } } },
    );
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error.message).toMatch(
      /^GET \/connection-profiles answered 429 too_many_requests: Global limit has been reached\. Tried 2 time\(s\) in [\d.]+ s\. Others use up/,
    );
  });

  test("a long wait is told once, before it begins", async () => {
    const notices: string[] = [];
    const { client } = await startTenant({
      rate: { burst: 2, perSecond: 0.01 },
      hooks: { notice: (text) => notices.push(text) },
      limits: { maxWaitSeconds: 0.2 },
    });
    await readUser(client, USER_ID);
    await Promise.allSettled(Array.from({ length: 9 }, () => readUser(client, USER_ID)));
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(
      /^Waiting about [\d.]+ s for the rate limit of 127\.0\.0\.1:\d+, with \d request\(s\) queued; further waits are not reported\.$/,
    );
  });

  test("no more requests than allowed are on their way at once", async () => {
    const { simulator, client } = await startTenant({ latency: 20, limits: { maxConcurrency: 2 } });
    await readUser(client, USER_ID);
    simulator.reset();
    await Promise.all(Array.from({ length: 6 }, () => readUser(client, USER_ID)));
    const arrivals = simulator.requests().map(({ at }) => at);
    for (let i = 2; i < arrivals.length; i++) {
      // The third can't arrive before the first was answered, 20 ms after its arrival.
      expect((arrivals[i] as number) - (arrivals[i - 2] as number)).toBeGreaterThanOrEqual(18);
    }
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
    [404, NotFoundError, "answered 404: Not Found."],
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
    expect(error).toMatchObject({ status, message: `GET /connection-profiles ${message}` });
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

  test("a scope that the service doesn't name is the one of the call", async () => {
    const error = await failed({ status: 403, body: { message: "No.", errorCode: "insufficient_scope" } });
    expect(error).toMatchObject({ scopes: ["read:connection_profiles"] });
  });

  test("a 403 for another reason is not blamed on scopes alone", async () => {
    const error = await failed({
      status: 403,
      body: { message: "Feature not in plan", errorCode: "insufficient_entitlement" },
    });
    expect(error).not.toBeInstanceOf(InsufficientScopeError);
    expect(error.message).toBe(
      "GET /connection-profiles answered 403 insufficient_entitlement: Feature not in plan. The client may need " +
        "read:connection_profiles, or the tenant's plan may lack this feature.",
    );
  });

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

  test("what is no error of the service is told without its text", async () => {
    expect((await failed({ status: 400, body: "<html>proxy page</html>" })).message).toBe(
      "GET /connection-profiles answered 400. Correct the value that the service names.",
    );
  });
});

describe("answers", () => {
  test.each(["invalid-json", "html"] as const)("%s is an unexpected answer", async (garbage) => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: PROFILES, action: { garbage } });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(error.message).toMatch(
      /^GET \/connection-profiles answered 200 with an unexpected body: the body: Invalid input/,
    );
  });

  test("a wrong shape is told by its path, without the value", async () => {
    const { simulator, client } = await startTenant();
    const record = { id: ID, name: "a", enabled_features: ["scim", { hidden: "value" }] };
    simulator.fail({ path: PROFILES, action: { status: 200, body: { connection_profiles: [record] } } });
    const error = await failure(listConnectionProfilePage(client, undefined));
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

  test("a body that nobody wants is not looked at", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ method: "DELETE", action: { status: 200, body: "done" } });
    await deleteConnectionProfile(client, ID);
    expect(simulator.log()).toEqual([TOKEN, `DELETE ${UNKNOWN} 200`]);
  });
});

test("ids are encoded, and those that would lead elsewhere are refused", async () => {
  const { simulator, client } = await startTenant();
  await failure(readUser(client, "a/../b?c=d|e f"));
  expect(simulator.log()).toEqual([TOKEN, "GET /api/v2/users/a%2F..%2Fb%3Fc%3Dd%7Ce%20f 404"]);
  for (const id of ["", ".", "..", "a\nb"]) {
    expect(await failure(readUser(client, id))).toBeInstanceOf(InvalidInputError);
  }
  expect(simulator.log()).toHaveLength(2);
});

test("an abort ends a call at once, wherever it is", async () => {
  const { simulator, client } = await startTenant({ limits: { maxConcurrency: 1 } });
  const call = { method: "GET", path: "/connection-profiles", scopes: [], answer: z.unknown() } as const;
  await client.send(call);
  simulator.fail({ path: PROFILES, action: { delay: 60_000 } });
  const abort = new AbortController();
  const sent = failure(client.send(call, abort.signal));
  const queued = failure(client.send(call, abort.signal));
  while (client.statistics.requests < 2) await new Promise((resolve) => setImmediate(resolve));
  abort.abort(new Error("given up"));
  expect([(await sent).message, (await queued).message]).toEqual(["given up", "given up"]);
  simulator.reset();
  await client.send(call);
});

test("each request is one line of debug output, with the path's template and no secret", async () => {
  const lines: string[] = [];
  const { simulator, client } = await startTenant({
    rate: { burst: 50, perSecond: 0.01 },
    hooks: { debug: (text) => lines.push(text) },
  });
  simulator.fail({ path: "/api/v2/users/*", action: { drop: "before" } });
  await readUser(client, USER_ID);
  expect(lines.map((line) => line.replace(/\d+ ms/, "N ms"))).toEqual([
    "POST /oauth/token 200",
    "GET /users/{id} no answer N ms, attempt 1, remaining unknown",
    "GET /users/{id} 200 N ms, attempt 2, remaining 48",
  ]);
});

test("the answer of one client is not the business of another", async () => {
  const { simulator, client } = await startTenant();
  const other = clientOf(simulator, {
    credentials: { kind: "client-secret", clientId: CLIENT_ID, clientSecret: "wrong" },
  });
  await readUser(client, USER_ID);
  expect(await failure(readUser(other, USER_ID))).toBeInstanceOf(AuthenticationError);
});
