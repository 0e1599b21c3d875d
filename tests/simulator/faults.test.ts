import { once } from "node:events";
import { createServer } from "node:net";
import { type Fault, FaultPlan } from "../../simulator/faults";
import { startSimulator, type Simulator } from "../../simulator/index";
import { call, type Call, caller, tokenRequest } from "../../testkit/test-client";

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const action = { status: 503 };
const other = { drop: "after" as const };
const USER = "GET /api/v2/users/1";
const LIST = "GET /api/v2/connection-profiles?take=10";

test.each<[what: string, faults: Fault[], requests: string[], hit: unknown[]]>([
  ["once unless told otherwise", [{ action }], [USER, USER], [action, undefined]],
  [
    "after some, and some times",
    [{ after: 2, times: 2, action }],
    Array<string>(5).fill(USER),
    [undefined, undefined, action, action, undefined],
  ],
  [
    "counting only what matches",
    [{ method: "post", path: "/api/v2/a", after: 1, action }],
    ["GET /api/v2/a", "POST /api/v2/ab", "POST /api/v2/a", "POST /api/v2/a"],
    [undefined, undefined, undefined, action],
  ],
  ["in the order given", [{ action }, { action: other }], [USER, USER, USER], [action, other, undefined]],
  ["where a star stands for anything", [{ path: "/api/v2/users/*", action }], [USER], [action]],
  ["… at the beginning", [{ path: "*/users/1", action }], [USER], [action]],
  ["… and other signs for themselves", [{ path: "/api/v2/users/.", action }], [USER], [undefined]],
  ["… to the end", [{ path: "/api/v2/users", action }], [USER], [undefined]],
  ["whatever the query", [{ path: "/api/v2/connection-profiles", action }], [LIST], [action]],
  ["… unless the pattern has one", [{ path: "*profiles?take=5", action }], [LIST], [undefined]],
  ["… which matches", [{ path: "*profiles?take=*", action }], [LIST], [action]],
])("a fault hits %s", (_, faults, requests, hit) => {
  const plan = new FaultPlan();
  plan.add(faults);
  expect(requests.map((request) => plan.next(...(request.split(" ") as [string, string])))).toEqual(hit);
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

  const json = "application/json; charset=utf-8";
  const ofService = { statusCode: 503, error: "Service Unavailable", message: "Service Unavailable" };
  const usual = { "content-type": json, "x-ratelimit-remaining": "49" };
  test.each<[action: Fault["action"], status: number, headers: object, body: unknown, isDone: boolean]>([
    [{ status: 503 }, 503, usual, ofService, false],
    [{ status: 504, processed: true, body: "timed out" }, 504, {}, "timed out", true],
    [
      {
        status: 429,
        headers: { "X-RateLimit-Remaining": "0", "Retry-After": "7" },
        body: { hello: 1 },
      },
      429,
      { "content-type": json, "x-ratelimit-remaining": "0", "retry-after": "7" },
      { hello: 1 },
      false,
    ],
    [
      { headers: { "x-ratelimit-limit": "many", "retry-after": ["1", "2"] } },
      201,
      { "x-ratelimit-limit": "many", "retry-after": "1, 2" },
      expect.objectContaining({ name: "p" }),
      true,
    ],
    [{ garbage: "invalid-json" }, 201, usual, expect.any(String), true],
    [{ garbage: "wrong-shape" }, 201, usual, { unexpected: ["shape"] }, true],
    [
      { garbage: "html" },
      201,
      { "content-type": "text/html; charset=utf-8" },
      expect.stringContaining("<title>"),
      true,
    ],
    [{ redirect: "https://elsewhere.example/" }, 302, { location: "https://elsewhere.example/" }, "", false],
  ])("%j: the answer %i", async (action, status, headers, body, isDone) => {
    simulator.fail({ action });
    const answer = await create();
    expect([answer.status, answer.body]).toEqual([status, body]);
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
    expect(profileNames()).toEqual(isDone ? ["p"] : []);
    expect(simulator.log()).toEqual([`POST /api/v2/connection-profiles ${status}`]);
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
