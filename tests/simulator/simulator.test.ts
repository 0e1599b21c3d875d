import { AGENT, DEFAULT_SEED, PHONE, USER_ID } from "../../simulator/default-seed";
import { type SeedInput, startSimulator, type Simulator, type SimulatorOptions } from "../../simulator/index";
import { call, caller, tokenRequest } from "../../testkit/test-client";

const NOW = Date.parse("2026-01-01T00:00:00Z");
let now = NOW;
let simulator: Simulator;

async function start(options: SimulatorOptions = {}): Promise<void> {
  now = NOW;
  simulator = await startSimulator({ now: () => now, ...options });
}
afterEach(() => simulator.close());

const control = (method: string, path = "", body?: unknown) =>
  call(simulator.url, method, `/_simulator${path}`, body);
const anyUser = () => call(simulator.url, "GET", "/api/v2/users/1");
const limits = async () => {
  const { status, headers } = await anyUser();
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  );
  return { status, limit, remaining, reset };
};

describe("rate limit", () => {
  test("the headers come on every answer under /api/v2, whatever its status", async () => {
    await start();
    const { access_token } = (await call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator)))
      .body as { access_token: string };
    const api = caller(simulator, access_token);
    const answers = [
      await api("GET", `/users/${encodeURIComponent(USER_ID)}`),
      await api("POST", "/connection-profiles", { name: "x" }),
      await api("DELETE", `/device-credentials/${PHONE}`),
      await api("POST", "/connection-profiles", {}),
      await anyUser(),
      await api("GET", "/users/nobody"),
      await api("GET", "/nowhere"),
      await api("PUT", `/roles/${AGENT}/groups`, { groups: [] }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 204, 400, 401, 404, 404, 404]);
    expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining"))).toEqual(
      [49, 48, 47, 46, 45, 44, 43, 42].map(String),
    );
    expect(answers.every(({ headers }) => headers.get("x-ratelimit-limit") === "50")).toBe(true);
  });

  test("beyond it: 429, and the reset says when the next request is allowed", async () => {
    await start({ rate: { burst: 2, perSecond: 0.4 } });
    now += 100;
    expect(await limits()).toEqual({
      status: 401,
      limit: 2,
      remaining: 1,
      reset: Math.ceil((NOW + 2600) / 1000),
    });
    expect(await limits()).toMatchObject({ status: 401, remaining: 0 });
    const refused = await anyUser();
    expect(refused.body).toEqual({
      statusCode: 429,
      error: "Too Many Requests",
      message: "Global limit has been reached",
      errorCode: "too_many_requests",
    });
    now = Number(refused.headers.get("x-ratelimit-reset")) * 1000;
    expect(await limits()).toMatchObject({ status: 401, remaining: 0 });
    expect(await limits()).toMatchObject({ status: 429 });
  });
});

test("others' traffic takes from the rate limit", async () => {
  await start({ rate: { burst: 10, perSecond: 1 }, traffic: 5 });
  now += 60_000;
  expect(await limits()).toMatchObject({ status: 429, remaining: 0 });
});

test("the tenant's clock can be ahead of ours", async () => {
  await start({ skew: 90, rate: { burst: 5, perSecond: 1 } });
  const { headers } = await anyUser();
  expect(Date.parse(headers.get("date")!)).toBe(NOW + 90_000);
  expect(Number(headers.get("x-ratelimit-reset"))).toBe((NOW + 91_000) / 1000);
});

describe("the log", () => {
  test("has every request in the order of arrival, and nothing of the control paths", async () => {
    await start();
    await call(simulator.url, "POST", "/oauth/token/", tokenRequest(simulator, { client_secret: "wrong" }));
    now += 5;
    await call(simulator.url, "GET", "/api/v2/users/auth0%7C1?fields=a%20b");
    await control("GET");
    await control("GET", "/requests");
    const expected = [
      { method: "POST", path: "/oauth/token/", status: 401, at: NOW },
      { method: "GET", path: "/api/v2/users/auth0%7C1?fields=a%20b", status: 401, at: NOW + 5 },
    ];
    expect(simulator.requests()).toEqual(expected);
    expect((await control("GET", "/requests")).body).toEqual(expected);
    expect(simulator.log()).toEqual([
      "POST /oauth/token/ 401",
      "GET /api/v2/users/auth0%7C1?fields=a%20b 401",
    ]);
  });

  test("has the body of an API request", async () => {
    await start({ seed: { tokens: [{ access_token: "t", scope: "create:connection_profiles" }] } });
    await caller(simulator, "t")("POST", "/connection-profiles", { name: "x" });
    expect(simulator.requests()[0]).toMatchObject({ status: 201, body: { name: "x" } });
  });

  test("has no secret and no token", async () => {
    await start();
    const { access_token } = (await call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator)))
      .body as { access_token: string };
    await caller(simulator, access_token)("GET", `/users/1?access_token=${access_token}`);
    await call(
      simulator.url,
      "POST",
      `/oauth/token?client_secret=${simulator.clientSecret}`,
      tokenRequest(simulator),
    );
    const log = JSON.stringify(simulator.requests());
    expect(log).toContain("/users/1?access_token=removed");
    expect(log).not.toContain(access_token);
    expect(log).not.toContain(simulator.clientSecret);
  });
});

describe("control paths", () => {
  beforeEach(() => start());

  test("the description names every control path, every kind of record and every switch", async () => {
    const { status, body } = await control("GET");
    const { paths, seed, fault } = body as {
      paths: Record<string, string>;
      seed: {
        properties: Record<
          string,
          { properties?: Record<string, { description?: string; default?: unknown }> }
        >;
      };
      fault: { properties: object };
    };
    expect(status).toBe(200);
    for (const path of Object.keys(paths)) {
      const [method, target] = path.split(" ") as [string, string];
      expect((await call(simulator.url, method, target, method === "POST" ? {} : undefined)).status).not.toBe(
        404,
      );
    }
    expect(Object.keys(seed.properties)).toEqual(expect.arrayContaining(Object.keys(DEFAULT_SEED)));
    const switches = seed.properties.behaviour!.properties!;
    const { behaviour } = simulator.state();
    expect(Object.keys(switches)).toEqual(Object.keys(behaviour));
    for (const [name, { description, default: preset }] of Object.entries(switches)) {
      expect(description).toMatch(/\.$/);
      expect(preset).toEqual(behaviour[name as keyof typeof behaviour]);
    }
    expect(Object.keys(fault.properties)).toEqual(["method", "path", "after", "times", "action"]);
  });

  test("they need no token and take nothing from the rate limit", async () => {
    for (let request = 0; request < 3; request++) await control("GET", "/state");
    expect(await limits()).toMatchObject({ remaining: 49 });
  });

  test("reset empties the log and forgets faults, and keeps the records", async () => {
    const before = simulator.state();
    simulator.fail({ action: { status: 503 } }, { action: { status: 502 } });
    await anyUser();
    expect((await control("POST", "/reset")).status).toBe(204);
    expect(simulator.requests()).toEqual([]);
    expect((await anyUser()).status).toBe(401);
    expect(simulator.state()).toEqual(before);
  });

  test("faults are planned one by one or many at once", async () => {
    expect((await control("POST", "/faults", { action: { status: 500 } })).status).toBe(204);
    await control("POST", "/faults", [{ action: { status: 502 } }, { action: { status: 503 } }]);
    expect(
      [await anyUser(), await anyUser(), await anyUser(), await anyUser()].map(({ status }) => status),
    ).toEqual([500, 502, 503, 401]);
  });

  test("a fault that is none: 400 with what it could be, and nothing is planned", async () => {
    const answer = await control("POST", "/faults", [{ action: { status: 500 } }, { actoin: {} }]);
    expect(answer.body).toMatchObject({
      statusCode: 400,
      problems: [
        { path: "1.action", message: expect.stringContaining('{"drop": "before"}') as string },
        { path: "1", message: expect.stringContaining("actoin") as string },
      ],
    });
    expect((await anyUser()).status).toBe(401);
  });

  test("seed replaces all records", async () => {
    const seed = {
      users: [{ user_id: "u", name: "U" }],
      roles: [{ id: "r", groups: ["grp_AAAAAAAAAAAAAA"] }],
      groups: [{ id: "grp_AAAAAAAAAAAAAA" }],
      connection_profiles: [{ id: "cop_1", name: "one" }],
      behaviour: { nested_patch: "merge" },
    };
    expect((await control("POST", "/seed", seed)).status).toBe(204);
    expect((await control("GET", "/state")).body).toMatchObject({
      clients: [{ client_id: simulator.clientId }],
      users: [{ user_id: "u", name: "U", permissions: [] }],
      groups: [{ id: "grp_AAAAAAAAAAAAAA" }],
      roles: [{ id: "r", groups: ["grp_AAAAAAAAAAAAAA"] }],
      organizations: [],
      connection_profiles: [{ id: "cop_1", name: "one" }],
      device_credentials: [],
      behaviour: { nested_patch: "merge", null_in_patch: "clear" },
      access_tokens: [],
    });
  });

  test("what GET /_simulator/state answers is a seed: it gives the same tenant", async () => {
    await call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator));
    simulator.seed({ ...DEFAULT_SEED, connection_profiles: [{ name: "a", enabled_features: ["scim"] }] });
    const { body: state } = await control("GET", "/state");
    expect(state).toMatchObject({ access_tokens: [expect.any(String)] });
    simulator.seed({});
    expect((await control("POST", "/seed", state)).status).toBe(204);
    expect(simulator.state()).toEqual(state);
    const other = await startSimulator({ seed: simulator.state() });
    expect({ ...other.state(), access_tokens: [] }).toEqual({ ...(state as object), access_tokens: [] });
    await other.close();
  });

  const group = "grp_AAAAAAAAAAAAAA";
  const clients = [{ client_id: "c", public_key: "-----BEGIN PUBLIC KEY-----", scope: "" }];
  test.each<[seed: object, problems: [path: string, message: unknown][]]>([
    [
      {
        users: [{ name: "no id" }],
        groups: [{ id: "grp_short" }],
        behaviour: { nested_patch: "sometimes" },
        rols: [],
      },
      ["users.0.user_id", "groups.0.id", "behaviour.nested_patch", ""].map((path) => [
        path,
        expect.any(String),
      ]),
    ],
    [
      { roles: [{ id: "r", groups: [group] }] },
      [["roles.0.groups", `The group ${group} is not among the seed's groups.`]],
    ],
    [{ groups: [{ id: group }, { id: group }] }, [["groups", "Two records have the same identifier."]]],
    [{ clients }, [["clients.0.public_key", "This is no PEM of an RSA public key."]]],
  ])("the bad seed %j: 400 with every problem, and the records stay", async (seed, expected) => {
    const before = simulator.state();
    const answer = await control("POST", "/seed", seed);
    expect(answer.status).toBe(400);
    const { problems } = answer.body as { problems: { path: string; message: string }[] };
    expect(problems.map(({ path, message }) => [path, message])).toEqual(expect.arrayContaining(expected));
    expect(simulator.state()).toEqual(before);
  });
});

test("switches of the start hold until a seed sets them, one by one", async () => {
  await start({ behaviour: { nested_patch: "merge", profile_name_conflict: "allow" } });
  simulator.seed({ behaviour: { nested_patch: "replace" } });
  expect(simulator.state().behaviour).toMatchObject({
    nested_patch: "replace",
    profile_name_conflict: "allow",
  });
  simulator.seed({ behaviour: { nested_patch: undefined } });
  expect(simulator.state().behaviour).toMatchObject({ nested_patch: "merge" });
});

test("client id and secret are those of the seed's first client", async () => {
  await start();
  simulator.seed({ clients: [{ client_id: "other", client_secret: "hidden", scope: "" }] });
  expect([simulator.clientId, simulator.clientSecret]).toEqual(["other", "hidden"]);
});

test("what state() gives is a copy", async () => {
  await start();
  const state = simulator.state();
  state.roles[0]!.groups.push("grp_AAAAAAAAAAAAAA");
  state.users.length = 0;
  expect(simulator.state()).not.toEqual(state);
});

test("close() ends connections that are kept alive, and requests that are held back", async () => {
  await start({ latency: 60_000 });
  const waiting = anyUser();
  waiting.catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 50));
  await simulator.close();
  await expect(waiting).rejects.toThrow();
  await expect(anyUser()).rejects.toThrow();
});

test("what is wrong is refused with its path: when it is started, seeded, and told to fail", async () => {
  await expect(startSimulator({ seed: { users: [{}] } as unknown as SeedInput })).rejects.toThrow(
    /^The seed can't be used:\n.+\n +→ at users\[0\]\.user_id$/,
  );
  await expect(startSimulator({ rate: { burst: 0, perSecond: 1 } })).rejects.toThrow(
    /^The rate can't be used:\n.+\n +→ at burst$/,
  );
  await start();
  const before = simulator.state();
  expect(() => simulator.seed({ groups: [{ id: "x" }] })).toThrow(
    /^The seed can't be used:\n[^]+groups\[0\]\.id/,
  );
  expect(simulator.state()).toEqual(before);
  const faults = [{ action: { status: 500 } }, { action: { status: 7 } }];
  expect(() => simulator.fail(...faults)).toThrow(/^The fault can't be used:\n/);
  expect((await anyUser()).status).toBe(401);
});

test("a port in use: startSimulator() is rejected with EADDRINUSE", async () => {
  await start();
  const { port } = new URL(simulator.url);
  await expect(startSimulator({ port: Number(port) })).rejects.toMatchObject({ code: "EADDRINUSE" });
});
