import { generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { type BehaviourInput, startSimulator, type Simulator } from "../../simulator/index";
import { call, tokenRequest } from "../../testkit/test-client";

const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const otherKeys = generateKeyPairSync("rsa", { modulusLength: 2048 });
const publicKey = keys.publicKey.export({ type: "spki", format: "pem" }).toString();

const NOW = Date.parse("2026-01-01T00:00:00Z");
let now = NOW;
let simulator: Simulator;

beforeEach(async () => {
  now = NOW;
  simulator = await startSimulator({
    now: () => now,
    tokenLifetime: 600,
    seed: {
      clients: [
        { client_id: "app", client_secret: "s3cret", scope: "read:users update:users" },
        { client_id: "key-app", public_key: publicKey, scope: "read:users" },
        { client_id: "not-granted", client_secret: "s3cret", scope: "" },
      ],
      tokens: [
        { access_token: "expired", scope: "read:users", expires_in: -1 },
        { access_token: "writer", scope: "update:users" },
      ],
    },
  });
});
afterEach(() => simulator.close());

function ask(overrides: Record<string, string | undefined> = {}, path = "/oauth/token") {
  return call(simulator.url, "POST", path, new URLSearchParams(tokenRequest(simulator, overrides)));
}

describe("the token endpoint", () => {
  test("answers with another token each time, to a form and to JSON", async () => {
    const { status, body, headers } = await ask();
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string,
      token_type: "Bearer",
      expires_in: 600,
      scope: "read:users update:users",
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-ratelimit-limit")).toBeNull();
    expect((await call(simulator.url, "POST", "/oauth/token", tokenRequest(simulator))).status).toBe(200);
    expect(new Set(simulator.state().access_tokens).size).toBe(2);
  });

  test("grants the scopes that are asked for, if the client has them", async () => {
    expect((await ask({ scope: "read:users" })).body).toMatchObject({ scope: "read:users" });
    expect((await ask({ scope: "read:users read:roles" })).body).toEqual({
      error: "access_denied",
      error_description: "Client has not been granted scopes: read:roles",
    });
  });

  test.each([
    ["a wrong secret", { client_secret: "wrong" }, 401, "access_denied"],
    ["an unknown client", { client_id: "nobody" }, 401, "access_denied"],
    ["no client", { client_id: undefined }, 401, "access_denied"],
    ["no secret", { client_secret: undefined }, 401, "access_denied"],
    [
      "a secret for a client that has none",
      { client_id: "key-app", client_secret: "" },
      401,
      "access_denied",
    ],
    ["a client without a grant", { client_id: "not-granted" }, 403, "unauthorized_client"],
    ["another grant type", { grant_type: "password" }, 403, "unsupported_grant_type"],
    ["no grant type", { grant_type: undefined }, 400, "invalid_request"],
    ["another audience", { audience: "https://elsewhere.example/api/v2/" }, 403, "access_denied"],
    ["an audience without its slash", { audience: "/api/v2" }, 403, "access_denied"],
    ["no audience", { audience: undefined }, 403, "access_denied"],
    ["a secret and an assertion", { client_assertion: "a.b.c" }, 400, "invalid_request"],
  ])("refuses %s", async (_what, overrides, status, error) => {
    const answer = await ask(overrides);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.any(String) as string });
  });

  test("refuses a parameter that is given twice", async () => {
    const form = new URLSearchParams(tokenRequest(simulator));
    form.append("client_id", "other");
    expect((await call(simulator.url, "POST", "/oauth/token", form)).body).toMatchObject({
      error: "invalid_request",
    });
  });

  test.each<[BehaviourInput, relative: number, absolute: number, withSlash: number]>([
    [{ audience: "relative" }, 200, 403, 200],
    [{ audience: "absolute" }, 403, 200, 403],
    [{ audience: "both" }, 200, 200, 200],
    [{ token_path: "with_slash" }, 404, 404, 200],
    [{ token_path: "without_slash" }, 200, 200, 404],
  ])(
    "%j: the relative audience %i, the absolute one %i, the path with a slash %i",
    async (behaviour, ...statuses) => {
      simulator.seed({ behaviour });
      const answers = [
        await ask(),
        await ask({ audience: `${simulator.url}/api/v2/` }),
        await ask({}, "/oauth/token/"),
      ];
      expect(answers.map(({ status }) => status)).toEqual(statuses);
    },
  );

  test("audience: the loopback address under http and https, by number and by name", async () => {
    const { port } = new URL(simulator.url);
    const hosts = ["http://127.0.0.1", "https://127.0.0.1", "http://localhost", "https://localhost"];
    const statuses = await Promise.all(
      hosts.map(async (host) => (await ask({ audience: `${host}:${port}/api/v2/` })).status),
    );
    expect(statuses).toEqual([200, 200, 200, 200]);
    expect((await ask({ audience: "https://127.0.0.1/api/v2/" })).status).toBe(403);
  });
});

describe("private-key JWT", () => {
  const claims = () => ({
    iss: "key-app",
    sub: "key-app",
    aud: `${simulator.url}/`,
    iat: now / 1000,
    exp: now / 1000 + 180,
    jti: randomUUID(),
  });

  function assertion(payload: object, { alg = "RS256", key = keys.privateKey } = {}): string {
    const data = [{ alg, typ: "JWT" }, payload]
      .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
      .join(".");
    const padding = alg.startsWith("PS") ? { padding: 6, saltLength: -1 } : {};
    const signature = sign(`sha${alg.slice(2)}`, Buffer.from(data), { key, ...padding });
    return `${data}.${signature.toString("base64url")}`;
  }

  const present = (client_assertion: string, overrides: Record<string, string | undefined> = {}) =>
    ask({
      client_id: "key-app",
      client_secret: undefined,
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion,
      ...overrides,
    });

  test.each(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])("%s is accepted", async (alg) => {
    expect((await present(assertion(claims(), { alg }))).status).toBe(200);
  });

  test("the https name of the address is its audience, too, and may alone name the client", async () => {
    const aud = `${simulator.url.replace("http:", "https:")}/`;
    expect((await present(assertion({ ...claims(), aud }), { client_id: undefined })).status).toBe(200);
  });

  test.each([
    ["another key's signature", {}, { key: otherKeys.privateKey }, /signature/],
    ["another issuer", { iss: "app" }, {}, /iss and sub/],
    ["another subject", { sub: "app" }, {}, /iss and sub/],
    ["an audience without the slash", { aud: "SLASHLESS" }, {}, /aud must be .* slash/],
    ["a lifetime above 180 s", { exp: NOW / 1000 + 240 }, {}, /at most 180 s/],
    ["an expired assertion", { exp: NOW / 1000 - 1 }, {}, /expired/],
    ["no expiry", { exp: undefined }, {}, /no exp/],
    ["no jti", { jti: undefined }, {}, /jti is missing/],
  ])("refuses %s", async (_what, changed, options, why) => {
    const payload = { ...claims(), ...changed };
    if (payload.aud === "SLASHLESS") payload.aud = simulator.url;
    const answer = await present(assertion(payload, options));
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({
      error: "access_denied",
      error_description: expect.stringMatching(why) as string,
    });
  });

  test("refuses an unsigned assertion", async () => {
    const [, payload] = assertion(claims()).split(".");
    const header = Buffer.from('{"alg":"none"}').toString("base64url");
    expect((await present(`${header}.${payload}.`)).body).toMatchObject({
      error_description: expect.stringContaining("alg must be one of RS256") as string,
    });
  });

  test("refuses an assertion that was used before", async () => {
    const used = assertion(claims());
    expect((await present(used)).status).toBe(200);
    expect((await present(used)).body).toMatchObject({
      error_description: "Invalid client assertion: jti was used before.",
    });
  });

  test("refuses a client without a key, another type and something that is no JWT", async () => {
    expect(
      (await present(assertion({ ...claims(), iss: "app", sub: "app" }), { client_id: "app" })).status,
    ).toBe(401);
    expect((await present(assertion(claims()), { client_assertion_type: "saml" })).status).toBe(400);
    expect((await present("nonsense")).status).toBe(401);
  });
});

describe("bearer tokens", () => {
  const get = (authorization?: string) =>
    call(simulator.url, "GET", "/api/v2/users/1", undefined, authorization ? { authorization } : {});

  test.each([
    ["none", undefined, "Missing authentication"],
    ["another scheme", "Basic YTpi", "Missing authentication"],
    ["an unknown token", "Bearer unknown", "Invalid token"],
    ["an unknown JWT", "Bearer a.b.c", "Invalid signature received for JSON Web Token validation"],
    ["an expired token", "Bearer expired", "Expired token received for JSON Web Token validation"],
  ])("%s: 401", async (_what, authorization, message) => {
    const answer = await get(authorization);
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual({ statusCode: 401, error: "Unauthorized", message });
  });

  test("a token without the scope: 403 that names what is missing", async () => {
    const answer = await get("Bearer writer");
    expect(answer.status).toBe(403);
    expect(answer.body).toEqual({
      statusCode: 403,
      error: "Forbidden",
      message: "Insufficient scope, expected any of: read:users,read:user_idp_tokens,read:current_user",
      errorCode: "insufficient_scope",
    });
  });

  test("a token that was handed out works until it expires", async () => {
    const { access_token } = (await ask()).body as { access_token: string };
    now += 599_000;
    expect((await get(`bearer ${access_token}`)).status).toBe(404);
    now += 1_000;
    expect((await get(`bearer ${access_token}`)).status).toBe(401);
  });

  test("a new seed keeps the tokens of clients that are still there, and no others", async () => {
    const { access_token } = (await ask()).body as { access_token: string };
    simulator.seed({ clients: [{ client_id: "app", client_secret: "new", scope: "read:users" }] });
    expect((await get(`Bearer ${access_token}`)).status).toBe(404);
    expect((await get("Bearer writer")).status).toBe(401);
    simulator.seed({});
    expect((await get(`Bearer ${access_token}`)).status).toBe(401);
  });
});
