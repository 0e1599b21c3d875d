import {
  AuthenticationError,
  IdentityError,
  InsufficientScopeError,
  InvalidInputError,
  NotFoundError,
  outcomeOf,
  RateLimitedError,
  withOutcome,
} from "../../provider/http/errors";
import {
  deleteConnectionProfile,
  listConnectionProfilePage,
  postConnectionProfile,
  updateConnectionProfile,
} from "./profiles";
import { deleteDeviceCredential } from "../../provider/service/device-credentials";
import { readUser } from "../../provider/service/users";
import { type LogFormat } from "../../provider/http/debug-log";
import { CLIENT_ID, DEFAULT_SEED, LAPTOP, USER_ID } from "../../simulator/default-seed";
import { type FaultAction } from "../../simulator/faults";
import { clientOf, closeAll, failure, startTenant } from "../../testkit/client";

afterEach(closeAll);

const PROFILES = "/api/v2/connection-profiles";
const TOKEN = "POST /oauth/token 200";
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const UNKNOWN = `${PROFILES}/${ID}`;

const LIMITED = { status: 429, headers: { "retry-after": "0" } };

/** retry.test.ts has the rule. */
test.each<[method: "GET" | "POST" | "PATCH" | "DELETE", action: FaultAction, statuses: number[]]>([
  ["GET", { drop: "before" }, [0, 200]],
  ["GET", { drop: "after" }, [0, 200]],
  ["GET", { status: 503 }, [503, 200]],
  ["GET", LIMITED, [429, 200]],
  // The answer to the second one counts.
  ["DELETE", { drop: "after" }, [0, 404]],
  ["POST", { drop: "after" }, [0]],
  ["POST", { drop: "before" }, [0]],
  ["POST", { status: 503 }, [503]],
  ["POST", LIMITED, [429, 201]],
  ["PATCH", { drop: "after" }, [0]],
  ["PATCH", { status: 502 }, [502]],
])("after a %s with %j it is sent with these answers: %j", async (method, action, statuses) => {
  const seed = { ...DEFAULT_SEED, connection_profiles: [{ id: ID, name: "a" }] };
  const { simulator, client } = await startTenant({ seed, limits: { rateLimitReserve: 0 } });
  simulator.fail({ method, path: `${PROFILES}*`, action });
  const send = {
    GET: () => listConnectionProfilePage(client, undefined),
    POST: () => postConnectionProfile(client, { name: "b" }),
    PATCH: () => updateConnectionProfile(client, ID, {}),
    DELETE: () => deleteConnectionProfile(client, ID),
  };
  const isDone = await send[method]().then(
    () => true,
    (error: unknown) => error instanceof NotFoundError,
  );
  expect(isDone).toBe([200, 201, 404].includes(statuses.at(-1)!));
  const path = { GET: `${PROFILES}?take=10`, POST: PROFILES, PATCH: UNKNOWN, DELETE: UNKNOWN }[method];
  const sent = simulator.log().filter((line) => line.startsWith(`${method} ${path} `));
  expect(sent).toEqual(statuses.map((status) => `${method} ${path} ${status}`));
  expect(client.statistics).toMatchObject({ running: 0, retries: statuses.length - 1 });
});

describe("what became of a call that was sent several times", () => {
  const sent = async (...actions: object[]) => {
    const { simulator, client } = await startTenant({ limits: { rateLimitReserve: 0 } });
    const { id } = await postConnectionProfile(client, { name: "a" });
    for (const action of actions) simulator.fail({ method: "DELETE", action: action as { status: number } });
    return { error: await failure(deleteConnectionProfile(client, id)), simulator };
  };

  test("is unknown as soon as one answer was lost, whatever the last one says", async () => {
    const { error } = await sent({ drop: "before" }, { status: 403 });
    expect(error).toMatchObject({ status: 403, outcome: "unknown" });
  });

  test("is what the service said in the end, when all before was refused by the rate limit", async () => {
    const { error } = await sent(LIMITED, LIMITED, { status: 403 });
    expect(error).toMatchObject({ status: 403, outcome: "refused" });
  });

  test("is not written into an error that others hold", () => {
    const error = new InsufficientScopeError({ method: "DELETE", path: "/x" }, { status: 403 }, ["delete:x"]);
    const other = withOutcome(error, "unknown");
    expect(error.outcome).toBe("refused");
    expect(other).toBeInstanceOf(InsufficientScopeError);
    expect(other).toMatchObject({ ...error, message: error.message, outcome: "unknown" });
    expect(withOutcome(error, "refused")).toBe(error);
  });
});

test("a defect is told as one, with what became of the call", async () => {
  const { client } = await startTenant();
  const answer = {
    get def() {
      throw new TypeError("a defect\u001b");
    },
  };
  const call = { method: "POST", path: "/connection-profiles", body: { name: "a" }, scopes: [] } as const;
  const error = await failure(client.send({ ...call, answer: answer as never }));
  expect(error).toBeInstanceOf(IdentityError);
  expect(error.message).toBe(
    "POST /connection-profiles failed by a defect of pulumi-identity, please report it: TypeError: a defect\\u001b.",
  );
  expect(outcomeOf(error)).toBe("unknown");
  // It gave its turn back.
  await Promise.all(Array.from({ length: 20 }, () => listConnectionProfilePage(client, undefined)));
  const loop: { self?: object } = {};
  loop.self = loop;
  const unsendable = await failure(client.send({ ...call, body: loop }));
  expect(unsendable).toMatchObject({ name: "InvalidInputError", outcome: "not sent" });
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
      ...Array.from({ length: 4 }, (_, i) => deleteDeviceCredential(client, `${LAPTOP}${i}`)),
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
    expect(outcomeOf(error)).toBe("not sent");
    const [waited = ""] = /within ([\d.]+) s/.exec(error.message)?.slice(1) ?? [];
    expect(Number(waited)).toBeGreaterThanOrEqual(0.3);
    expect(error.message).toBe(
      `POST /connection-profiles found no room in the tenant's rate limit within ${waited} s. It was not sent. Other traffic ` +
        `uses up the limit of ${client.tenant}: run this again later, lower identity:rateLimitReserve, or raise identity:maxWaitSeconds (now 0.3).`,
    );
    expect(simulator.log()).toHaveLength(2);
  });

  test("requests that wait for each other are not said to wait for others", async () => {
    const { client } = await startTenant({
      rate: { burst: 1, perSecond: 0.001 },
      limits: { maxWaitSeconds: 0.3 },
    });
    await readUser(client, USER_ID);
    const posts = ["a", "b", "c"].map((name) => failure(postConnectionProfile(client, { name })));
    for (const { message } of await Promise.all(posts))
      expect(message).toMatch(
        new RegExp(
          `3 requests of this run were waiting for ${client.tenant}: raise identity:maxWaitSeconds \\(now 0.3\\)\\.$`,
        ),
      );
  });

  test("refusals that don't end are told with how often it was tried", async () => {
    const { simulator, client } = await startTenant({ limits: { maxWaitSeconds: 2, rateLimitReserve: 0 } });
    simulator.fail(
      { path: PROFILES, action: LIMITED },
      { path: PROFILES, action: { status: 429, headers: { "retry-after": "3" } } },
    );
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(outcomeOf(error)).toBe("refused");
    expect(error.message).toMatch(
      /^GET \/connection-profiles answered 429 too_many_requests: Global limit has been reached\. Tried 2 times in [\d.]+ s\. Other traffic uses up/,
    );
  });

  test("a call that was refused goes before those that came later", async () => {
    const { simulator, client } = await startTenant({ limits: { maxConcurrency: 1, rateLimitReserve: 0 } });
    await readUser(client, USER_ID);
    simulator.fail({ method: "POST", times: 2, action: LIMITED });
    await Promise.all(["a", "b", "c"].map((name) => postConnectionProfile(client, { name })));
    const posted = simulator.requests().filter(({ path }) => path === PROFILES);
    // What the simulator refuses it doesn't read.
    expect(posted.map(({ body, status }) => (status === 429 ? status : body))).toMatchObject([
      429,
      429,
      ...["a", "b", "c"].map((name) => ({ name })),
    ]);
    expect(client.statistics).toMatchObject({ requests: 6, retries: 2 });
  });

  test("no more requests than allowed are on their way at once", async () => {
    const { simulator, client } = await startTenant({ latency: 20, limits: { maxConcurrency: 2 } });
    await readUser(client, USER_ID);
    simulator.reset();
    await Promise.all(Array.from({ length: 6 }, () => readUser(client, USER_ID)));
    const arrivals = simulator.requests().map(({ at }) => at);
    for (let i = 2; i < arrivals.length; i++) {
      // The third can't arrive before the answer to the first, 20 ms after its arrival.
      expect((arrivals[i] as number) - (arrivals[i - 2] as number)).toBeGreaterThanOrEqual(18);
    }
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

describe("the log of requests", () => {
  /** Lines with the time and all durations masked. */
  const masked = (lines: readonly string[]) =>
    lines.map((line) =>
      line
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, "TIME")
        .replace(/\d+ ms/, "N ms")
        .replace(/(?<="(durationMs|waitedMs)":)\d+/, "0"),
    );

  async function logged(log: LogFormat, hidden: string[] = []) {
    const lines: string[] = [];
    const { simulator, client } = await startTenant({
      rate: { burst: 50, perSecond: 0.01 },
      log,
      print: (line) => lines.push(line),
    });
    client.border.with(hidden);
    simulator.fail(
      { path: "/oauth/token", action: { drop: "before" } },
      { path: "/api/v2/users/*", action: { drop: "before" } },
      { method: "DELETE", action: { status: 404, headers: { "x-request-id": "req-4711" }, body: MISSING } },
    );
    await readUser(client, USER_ID);
    await failure(deleteDeviceCredential(client, LAPTOP));
    const requests = masked(lines);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return { requests, summary: masked(lines).slice(requests.length), tenant: client.tenant };
  }

  const MISSING = { statusCode: 404, error: "Not Found", message: "Not there." };
  const USER = "/users/auth0%7C64c1f0a2b7d83e5f9a1b2c3d";

  test("is one line each, with time, ids and the service's id of the request, and without a secret", async () => {
    const { requests, summary, tenant } = await logged("debug");
    expect(requests).toEqual([
      "identity: TIME POST /oauth/token no answer N ms, attempt 1, remaining unknown",
      "identity: TIME POST /oauth/token 200 N ms, attempt 2, remaining unknown",
      `identity: TIME GET ${USER} no answer N ms, attempt 1, remaining unknown`,
      `identity: TIME GET ${USER} 200 N ms, attempt 2, remaining 48`,
      `identity: TIME DELETE /device-credentials/${LAPTOP} 404 N ms, attempt 1, remaining 47, ` +
        "request req-4711",
    ]);
    expect(summary).toEqual([
      `identity: TIME ${tenant}: 3 requests, 1 retries, N ms waited, 2 token requests`,
    ]);
  });

  test("listens to the end of the process only while there is something to tell", async () => {
    const warnings: string[] = [];
    const warn = (warning: Error) => warnings.push(warning.message);
    process.on("warning", warn);
    const before = { listeners: process.listenerCount("exit"), most: process.getMaxListeners() };
    const lines: string[] = [];
    const tenants = [];
    for (let i = 0; i < 15; i++)
      tenants.push(await startTenant({ log: "debug", print: (line) => lines.push(line) }));
    expect(process.listenerCount("exit")).toBe(before.listeners);
    await Promise.all(tenants.map(({ client }) => readUser(client, USER_ID)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(lines.filter((line) => line.includes("1 requests, 0 retries"))).toHaveLength(15);
    expect({ listeners: process.listenerCount("exit"), most: process.getMaxListeners() }).toEqual(before);
    expect(warnings).toEqual([]);
    process.off("warning", warn);
  });

  test("has the same as JSON", async () => {
    const { requests, summary, tenant } = await logged("json");
    const common = {
      event: "request",
      time: "TIME",
      tenant,
      durationMs: 0,
      remaining: null,
      requestId: null,
    };
    const token = { ...common, method: "POST", path: "/oauth/token", route: "/oauth/token" };
    const user = { ...common, method: "GET", path: USER, route: "/users/{id}" };
    expect(requests.map((line) => JSON.parse(line) as object)).toEqual([
      { ...token, status: null, attempt: 1 },
      { ...token, status: 200, attempt: 2 },
      { ...user, status: null, attempt: 1 },
      { ...user, status: 200, attempt: 2, remaining: 48 },
      {
        ...common,
        method: "DELETE",
        path: `/device-credentials/${LAPTOP}`,
        route: "/device-credentials/{id}",
        status: 404,
        attempt: 1,
        remaining: 47,
        requestId: "req-4711",
      },
    ]);
    expect(summary.map((line) => JSON.parse(line) as object)).toEqual([
      { event: "summary", time: "TIME", tenant, requests: 3, retries: 1, waitedMs: 0, tokenRequests: 2 },
    ]);
  });

  test.each(["debug", "json"] as const)("shows no id that a program keeps secret (%s)", async (format) => {
    const { requests } = await logged(format, [USER_ID, "\ud800"]);
    expect(requests.join("\n")).not.toContain("64c1f0a2b7d83e5f9a1b2c3d");
    expect(requests.filter((line) => line.includes("/users/[secret]"))).toHaveLength(2);
    expect(requests.filter((line) => line.includes(LAPTOP))).toHaveLength(1);
  });
});

test("the answer of one client is not the business of another", async () => {
  const { simulator, client } = await startTenant();
  const other = clientOf(simulator, {
    credentials: { type: "client-secret", clientId: CLIENT_ID, clientSecret: "wrong" },
  });
  await readUser(client, USER_ID);
  expect(await failure(readUser(other, USER_ID))).toBeInstanceOf(AuthenticationError);
});
