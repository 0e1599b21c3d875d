import { once } from "node:events";
import { createServer } from "node:net";
import { type Fault, FaultPlan } from "../../simulator/faults";
import { startSimulator, type Simulator } from "../../simulator/index";
import { call, type Call, caller, tokenRequest } from "../../testkit/test-client";

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function planned(...faults: Fault[]): FaultPlan {
  const plan = new FaultPlan();
  plan.add(faults);
  return plan;
}

describe("planning", () => {
  const action = { status: 503 };
  const get = (plan: FaultPlan, path = "/api/v2/users/1") => plan.next("GET", path);

  test("a fault hits once unless told otherwise", () => {
    const plan = planned({ action });
    expect([get(plan), get(plan)]).toEqual([action, undefined]);
  });

  test("after lets requests pass, times says how many are hit", () => {
    const plan = planned({ after: 2, times: 2, action });
    expect([1, 2, 3, 4, 5].map(() => get(plan))).toEqual([undefined, undefined, action, action, undefined]);
  });

  test("only matching requests count", () => {
    const plan = planned({ method: "post", path: "/api/v2/a", after: 1, action });
    expect(plan.next("GET", "/api/v2/a")).toBeUndefined();
    expect(plan.next("POST", "/api/v2/ab")).toBeUndefined();
    expect(plan.next("POST", "/api/v2/a")).toBeUndefined();
    expect(plan.next("POST", "/api/v2/a")).toEqual(action);
  });

  test("the star stands for anything, and other signs for themselves", () => {
    expect(get(planned({ path: "/api/v2/users/*", action }))).toEqual(action);
    expect(get(planned({ path: "*/users/1", action }))).toEqual(action);
    expect(get(planned({ path: "/api/v2/users/.", action }))).toBeUndefined();
    expect(get(planned({ path: "/api/v2/users", action }))).toBeUndefined();
  });

  test("the query counts only if the pattern has one", () => {
    const path = "/api/v2/connection-profiles?take=10";
    expect(get(planned({ path: "/api/v2/connection-profiles", action }), path)).toEqual(action);
    expect(get(planned({ path: "/api/v2/connection-profiles?take=5", action }), path)).toBeUndefined();
    expect(get(planned({ path: "/api/v2/connection-profiles?take=*", action }), path)).toEqual(action);
  });

  test("faults take turns in the order they were given", () => {
    const other = { drop: "after" as const };
    const plan = planned({ action }, { action: other });
    expect([get(plan), get(plan), get(plan)]).toEqual([action, other, undefined]);
  });
});

describe("over HTTP", () => {
  let simulator: Simulator;
  let api: Call;

  beforeEach(async () => {
    simulator = await startSimulator({
      seed: { tokens: [{ access_token: "t", scope: "create:connection_profiles read:connection_profiles" }] },
    });
    api = caller(simulator, "t");
  });
  afterEach(() => simulator.close());

  const profileNames = () => simulator.state().connection_profiles.map((profile) => profile.name);
  const create = () => api("POST", "/connection-profiles", { name: "p" });

  test("a status is answered in the service's shape, and the request has no effect", async () => {
    simulator.fail({ action: { status: 503 } });
    const answer = await create();
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({
      statusCode: 503,
      error: "Service Unavailable",
      message: "Service Unavailable",
    });
    expect(answer.headers.get("x-ratelimit-remaining")).toBe("49");
    expect(profileNames()).toEqual([]);
    expect(simulator.log()).toEqual(["POST /api/v2/connection-profiles 503"]);
  });

  test("a status can come after the request took effect", async () => {
    simulator.fail({ action: { status: 504, processed: true, body: "upstream timed out" } });
    const answer = await create();
    expect([answer.status, answer.body]).toEqual([504, "upstream timed out"]);
    expect(profileNames()).toEqual(["p"]);
  });

  test("headers and body are sent as planned, over the usual headers", async () => {
    simulator.fail({
      action: {
        status: 429,
        headers: { "X-RateLimit-Remaining": "0", "Retry-After": "7" },
        body: { hello: 1 },
      },
    });
    const { status, headers, body } = await create();
    expect([status, body]).toEqual([429, { hello: 1 }]);
    expect(headers.get("x-ratelimit-remaining")).toBe("0");
    expect(headers.get("retry-after")).toBe("7");
    expect(headers.get("content-type")).toMatch(/json/);
  });

  test.each<[what: string, action: Fault["action"], names: string[]]>([
    ["a connection dropped before: no effect", { drop: "before" }, []],
    ["a connection dropped after: the effect stays", { drop: "after" }, ["p"]],
    ["an answer that isn't HTTP", { raw: "SSH-2.0-simulator\r\n", processed: true }, ["p"]],
  ])("%s, and status 0 in the log", async (_, action, names) => {
    simulator.fail({ action });
    await expect(create()).rejects.toThrow();
    expect(profileNames()).toEqual(names);
    expect(simulator.log()).toEqual(["POST /api/v2/connection-profiles 0"]);
  });

  test("a connection reset in the middle of the answer: the effect stays, the answer is lost", async () => {
    simulator.fail({ action: { drop: "answering" } }, { action: { drop: "answering" } });
    await expect(create()).rejects.toThrow();
    expect(profileNames()).toEqual(["p"]);
    await expect(
      api("DELETE", `/connection-profiles/${simulator.state().connection_profiles[0]?.id}`),
    ).rejects.toThrow();
    expect(simulator.log().map((line) => line.slice(-2))).toEqual([" 0", " 0"]);
  });

  test("a late request takes effect after its connection is gone", async () => {
    simulator.fail({ action: { late: 100 } });
    await expect(create()).rejects.toThrow();
    expect(profileNames()).toEqual([]);
    await until(() => profileNames().length === 1);
    expect(simulator.log()).toEqual(["POST /api/v2/connection-profiles 0"]);
  });

  test.each([
    ["before", []],
    ["after", ["p"]],
  ] as const)("a request that hangs is never answered: %s", async (hang, names) => {
    simulator.fail({ action: { hang } });
    const isAnswered = jest.fn();
    const hanging = create().finally(isAnswered);
    hanging.catch(() => undefined);
    await until(() => simulator.log().length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(isAnswered).not.toHaveBeenCalled();
    expect(profileNames()).toEqual(names);
    await simulator.close();
    await expect(hanging).rejects.toThrow();
  });

  test("connections are refused for a while after an answer", async () => {
    simulator.fail({ action: { refuse: 200 } });
    expect((await create()).status).toBe(201);
    await expect(create()).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await create()).status).toBe(409);
  });

  test("a body can drip", async () => {
    simulator.fail({ action: { drip: 2 } });
    const start = performance.now();
    const { status, body } = await create();
    expect([status, body]).toMatchObject([201, { name: "p" }]);
    expect(performance.now() - start).toBeGreaterThan(200);
  });

  test("a body can have no end", async () => {
    simulator.fail({ action: { endless: true } });
    const answer = await fetch(`${simulator.url}/api/v2/connection-profiles`, {
      headers: { authorization: "Bearer t" },
    });
    let size = 0;
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > 1_000_000) break;
    }
    expect(size).toBeGreaterThan(1_000_000);
  });

  test("values of the answer can be altered, and all of it", async () => {
    await create();
    simulator.fail({ action: { alter: { "/connection_profiles/0/id": 7, "/next": "again" } } });
    const list = () => api("GET", "/connection-profiles");
    expect((await list()).body).toMatchObject({ connection_profiles: [{ id: 7, name: "p" }], next: "again" });
    simulator.fail({ action: { alter: { "/": null } } });
    expect((await list()).body).toBeNull();
    expect((await list()).body).toMatchObject({
      connection_profiles: [{ id: expect.any(String) as string }],
    });
  });

  test("an answer can have other headers", async () => {
    simulator.fail({ action: { headers: { "x-ratelimit-limit": "many", "retry-after": ["1", "2"] } } });
    const { status, headers } = await create();
    expect([status, headers.get("x-ratelimit-limit"), headers.get("retry-after")]).toEqual([
      201,
      "many",
      "1, 2",
    ]);
  });

  test("a delay holds the answer back, not the effect", async () => {
    simulator.fail({ action: { delay: 60_000 } });
    const impatient = fetch(`${simulator.url}/api/v2/connection-profiles`, {
      method: "POST",
      body: JSON.stringify({ name: "p" }),
      headers: { authorization: "Bearer t", "content-type": "application/json" },
    });
    impatient.catch(() => undefined);
    while (profileNames().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(simulator.log()).toEqual([]);
    await simulator.close();
    await expect(impatient).rejects.toThrow();
  });

  test.each([
    ["invalid-json", "application/json; charset=utf-8", expect.any(String)],
    ["wrong-shape", "application/json; charset=utf-8", { unexpected: ["shape"] }],
    ["html", "text/html; charset=utf-8", expect.stringContaining("<title>")],
  ] as const)("garbage: %s", async (garbage, type, body) => {
    simulator.fail({ action: { garbage } });
    const answer = await create();
    expect(answer.status).toBe(201);
    expect(answer.headers.get("content-type")).toBe(type);
    expect(answer.body).toEqual(body);
    expect(profileNames()).toEqual(["p"]);
  });

  test("a redirect sends elsewhere without an effect", async () => {
    simulator.fail({ action: { redirect: "https://elsewhere.example/" } });
    const answer = await create();
    expect([answer.status, answer.headers.get("location")]).toEqual([302, "https://elsewhere.example/"]);
    expect(profileNames()).toEqual([]);
  });

  test("the token endpoint fails in its own shape", async () => {
    simulator.fail({ path: "/oauth/token*", action: { status: 429 } });
    const ask = () => call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator));
    const refused = await ask();
    expect([refused.status, refused.body]).toEqual([
      429,
      { error: "too_many_requests", error_description: "Too Many Requests" },
    ]);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect((await ask()).status).toBe(200);
  });

  test("a request beyond the rate limit does not use a fault up", async () => {
    const small = await startSimulator({ rate: { burst: 1, perSecond: 1 }, now: () => 0 });
    await call(small.url, "GET", "/api/v2/users/1");
    small.fail({ action: { status: 503 } });
    expect((await call(small.url, "GET", "/api/v2/users/1")).status).toBe(429);
    small.fail({ path: "/oauth/token", action: { status: 500 } });
    expect((await call(small.url, "POST", "/oauth/token", tokenRequest(small))).status).toBe(503);
    await small.close();
  });
});

test("a tenant that refused connections takes them again once its port is free", async () => {
  const simulator = await startSimulator();
  const other = createServer();
  try {
    simulator.refuse(50);
    const port = Number(new URL(simulator.url).port);
    await once(other.listen(port, "127.0.0.1"), "listening");
    await new Promise((resolve) => setTimeout(resolve, 150));
    other.close();
    const answer = () => fetch(`${simulator.url}/_simulator/requests`).catch(() => undefined);
    let status: number | undefined;
    while (status === undefined) status = (await answer())?.status;
    expect(status).toBe(200);
  } finally {
    other.close();
    await simulator.close();
  }
});
