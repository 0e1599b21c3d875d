import { generateKeyPairSync } from "node:crypto";
import { Border } from "../../provider/border";
import {
  AuthenticationError,
  NetworkError,
  outcomeOf,
  UnexpectedAnswerError,
} from "../../provider/http/errors";
import { RefusedCredentials } from "../../provider/http/refused-credentials";
import { Retry } from "../../provider/http/retry";
import { listConnectionProfilePage } from "./profiles";
import { readUser } from "../../provider/service/users";
import { TokenSource } from "../../provider/http/token";
import { UndiciTransport } from "../../provider/http/transport";
import { ALL_SCOPES, CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED, USER_ID } from "../../simulator/default-seed";
import { clientOf, closeAll, failure, startTenant } from "../../testkit/client";

afterEach(closeAll);
afterEach(() => jest.restoreAllMocks());

const LIST = "GET /api/v2/connection-profiles?take=10 200";

describe("a given access token", () => {
  test("is used as it is, and no token is asked for", async () => {
    const { simulator, client } = await startTenant({
      credentials: { type: "access-token", accessToken: "fixed" },
      seed: { ...DEFAULT_SEED, tokens: [{ access_token: "fixed", scope: ALL_SCOPES }] },
    });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual([LIST]);
  });
});

describe("a token from client credentials", () => {
  test("is fetched once for many requests at once, and kept for later ones", async () => {
    const { simulator, client } = await startTenant();
    await Promise.all(Array.from({ length: 20 }, () => listConnectionProfilePage(client, undefined)));
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual(["POST /oauth/token 200", ...Array<string>(21).fill(LIST)]);
    expect(client.statistics.tokenRequests).toBe(1);
  });

  test("is renewed shortly before it ends", async () => {
    const { simulator } = await startTenant({ tokenLifetime: 1000 });
    const settings = clientOf(simulator).settings;
    const transport = new UndiciTransport(settings);
    const clock = { now: 0 };
    jest.spyOn(Date, "now").mockImplementation(() => clock.now);
    const source = new TokenSource(settings, new Retry({ maxWaitMs: 1000 }), {
      border: new Border(),
      refusals: new RefusedCredentials(settings),
      send: (request) => transport.send(request),
    });
    const first = await source.token();
    clock.now = 939_000;
    expect(await source.token()).toBe(first);
    clock.now = 940_000;
    expect(await source.token()).not.toBe(first);
    expect(simulator.log()).toEqual(["POST /oauth/token 200", "POST /oauth/token 200"]);
  });

  test("is renewed once when the service refuses it, however many requests were refused", async () => {
    const { simulator, client } = await startTenant();
    await listConnectionProfilePage(client, undefined);
    // A seed with another client drops the tokens; then the old client comes back.
    simulator.seed({ ...DEFAULT_SEED, clients: [{ client_id: "other", client_secret: "other", scope: "" }] });
    simulator.seed(DEFAULT_SEED);
    simulator.reset();
    await Promise.all(Array.from({ length: 5 }, () => listConnectionProfilePage(client, undefined)));
    const log = simulator.log();
    expect(log.filter((line) => line === "POST /oauth/token 200")).toHaveLength(1);
    expect(log.filter((line) => line === LIST)).toHaveLength(5);
    expect(log.filter((line) => line.endsWith("401")).length).toBeLessThanOrEqual(5);
  });

  test("is not sent by calls that waited while it was refused", async () => {
    const { simulator, client } = await startTenant({ limits: { maxConcurrency: 1 } });
    await listConnectionProfilePage(client, undefined);
    simulator.seed({ ...DEFAULT_SEED, clients: [{ client_id: "other", client_secret: "other", scope: "" }] });
    simulator.seed(DEFAULT_SEED);
    simulator.reset();
    await Promise.all(Array.from({ length: 3 }, () => listConnectionProfilePage(client, undefined)));
    expect(simulator.log()).toEqual([LIST.replace("200", "401"), "POST /oauth/token 200", LIST, LIST, LIST]);

    const credentials = { type: "access-token", accessToken: "a-token-of-another-tenant" } as const;
    const refused = await startTenant({ limits: { maxConcurrency: 1 }, credentials });
    const calls = Array.from({ length: 3 }, () => listConnectionProfilePage(refused.client, undefined));
    expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(Array(3).fill("rejected"));
    expect(refused.simulator.log()).toEqual([LIST.replace("200", "401")]);
  });

  test("is asked for again when the limit of token requests is reached, or the answer is lost", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail(
      { path: "/oauth/token", action: { status: 429, headers: { "retry-after": "0" } } },
      { path: "/oauth/token", action: { drop: "after" } },
      { path: "/oauth/token", action: { status: 503 } },
    );
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual([
      "POST /oauth/token 429",
      "POST /oauth/token 0",
      "POST /oauth/token 503",
      "POST /oauth/token 200",
      LIST,
    ]);
  });

  test("that can't be fetched leaves no doubt that the call itself was not sent", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token", times: 4, action: { drop: "before" } });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(NetworkError);
    expect(outcomeOf(error)).toBe("not sent");
    expect(simulator.log()).toEqual(Array<string>(4).fill("POST /oauth/token 0"));
  });

  test("that a gateway refuses for want of a client certificate is no wrong secret", async () => {
    const { simulator, client } = await startTenant();
    const body = "<center>No required SSL certificate was sent</center>";
    simulator.fail({ path: "/oauth/token*", times: 4, action: { status: 400, body } });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error.message).toContain("answered 400: the host wants a client certificate");
    expect(outcomeOf(error)).toBe("not sent");
  });

  test("that is missing from the answer is an unexpected answer", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token*", times: 4, action: { garbage: "html" } });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    expect(outcomeOf(error)).toBe("not sent");
    expect(error.message).toBe(
      `POST /oauth/token on ${simulator.url} answered 200 without a usable access_token. ` +
        "Check that identity:domain is the tenant's own host name.",
    );
  });

  test("given up by one caller is still fetched for the others", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token", action: { delay: 50 } });
    const impatient = new AbortController();
    const first = failure(
      client.send({ method: "GET", path: "/connection-profiles", scopes: [] }, { signal: impatient.signal }),
    );
    const second = listConnectionProfilePage(client, undefined);
    impatient.abort(new Error("given up"));
    expect((await first).message).toBe("given up");
    await second;
    expect(simulator.log()).toEqual(["POST /oauth/token 200", LIST]);
  });
});

test("tokens and credentials are known to the border as soon as the client has them", async () => {
  const { simulator, client } = await startTenant();
  await listConnectionProfilePage(client, undefined);
  const [token = ""] = simulator.state().access_tokens;
  const opaque = token.replaceAll(".", "");
  expect(opaque).not.toBe(token);
  expect(client.border.clean(`${simulator.clientSecret} ${Buffer.from(token).toString("hex")}`)).toBe(
    "[secret] [secret]",
  );
});

describe("audience and token path", () => {
  test.each([
    ["both", "both", ["POST /oauth/token 200"]],
    ["both", "with_slash", ["POST /oauth/token 404", "POST /oauth/token/ 200"]],
    ["relative", "both", ["POST /oauth/token 403", "POST /oauth/token 200"]],
    ["relative", "with_slash", ["POST /oauth/token 404", "POST /oauth/token/ 403", "POST /oauth/token/ 200"]],
    ["absolute", "without_slash", ["POST /oauth/token 200"]],
  ] as const)("audience %s, path %s", async (audience, token_path, expected) => {
    const { simulator, client } = await startTenant({ behaviour: { audience, token_path } });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual([...expected, LIST]);
  });

  test("what was found out is remembered", async () => {
    const { simulator, client } = await startTenant({
      behaviour: { audience: "relative", token_path: "with_slash" },
    });
    await listConnectionProfilePage(client, undefined);
    simulator.reset();
    simulator.fail({ path: "/api/v2/*", action: { status: 401 } });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual([
      "GET /api/v2/connection-profiles?take=10 401",
      "POST /oauth/token/ 200",
      LIST,
    ]);
  });

  test("a configured audience is sent as given, and nothing else is tried", async () => {
    const { simulator, client } = await startTenant({ audience: "https://elsewhere.example/" });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error.message).toBe(
      "POST /oauth/token answered 403 access_denied: Service not enabled within domain: https://elsewhere.example/. " +
        "Set identity:audience to the identifier of the tenant's management API. If " +
        `${simulator.url} is a custom domain, that is https://<the tenant's own domain>/api/v2/.`,
    );
    expect(simulator.log()).toEqual(["POST /oauth/token 403"]);
  });

  const REFUSED = { status: 403, body: { error: "access_denied", error_description: "No." } };
  test.each([
    ["an answer without a token", { status: 200, body: "<html>our app</html>" }],
    ["a refusal with 401", { status: 401, body: { error: "access_denied", error_description: "Audience?" } }],
    ["a refusal in other words", { status: 422, body: { title: "No." } }],
  ])("the documented pair is asked before giving up: %s", async (_title, action) => {
    const { simulator, client } = await startTenant({ behaviour: { audience: "relative" } });
    simulator.fail({ path: "/oauth/token*", times: 3, action });
    await listConnectionProfilePage(client, undefined);
    const asked = ["/oauth/token", "/oauth/token", "/oauth/token/"].map(
      (path) => `POST ${path} ${action.status}`,
    );
    expect(simulator.log()).toEqual([...asked, "POST /oauth/token/ 200", LIST]);
  });

  test.each(["invalid_client", "unauthorized_client", "unsupported_grant_type"])(
    "OAuth's own refusal of the client ends it: %s",
    async (error) => {
      const { simulator, client } = await startTenant();
      simulator.fail({ path: "/oauth/token*", times: 4, action: { status: 401, body: { error } } });
      const { message } = await failure(listConnectionProfilePage(client, undefined));
      expect(message).toContain(`POST /oauth/token answered 401 ${error}.`);
      expect(simulator.log()).toEqual(["POST /oauth/token 401"]);
    },
  );

  test("of four refusals, the one in words is told", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail(
      { path: "/oauth/token*", action: { status: 400, body: "<html>no</html>" } },
      { path: "/oauth/token*", action: REFUSED },
      { path: "/oauth/token*", times: 2, action: { status: 400, body: "" } },
    );
    const { message } = await failure(listConnectionProfilePage(client, undefined));
    expect(message).toContain("POST /oauth/token answered 403 access_denied: No.");
    expect(simulator.requests()).toHaveLength(4);
  });

  test("a client without a grant for the API is told what it lacks", async () => {
    const { client } = await startTenant({
      seed: {
        ...DEFAULT_SEED,
        clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope: "" }],
      },
    });
    const { message } = await failure(listConnectionProfilePage(client, undefined));
    expect(message).toMatch(/^POST \/oauth\/token answered 403 unauthorized_client: /);
    expect(message).toContain(
      "gave no token: authorize the client there for the management API, with at least one scope, and allow it the " +
        "client credentials grant. Otherwise check identity:clientId and identity:clientSecret, and identity:audience",
    );
  });

  test("a host without a token endpoint is named", async () => {
    const { simulator, client } = await startTenant();
    simulator.fail({ path: "/oauth/token*", times: 2, action: { status: 404, body: "not here" } });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toBe(
      `POST /oauth/token/ answered 404. There is no token endpoint on ${simulator.url}: check identity:domain.`,
    );
  });
});

describe("a private key", () => {
  const keyPair = () =>
    generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
  const own = keyPair();
  const keyed = ({ algorithm = "RS256", privateKey = own.privateKey, skew = 0 } = {}) =>
    startTenant({
      seed: {
        ...DEFAULT_SEED,
        clients: [{ client_id: "keyed", public_key: own.publicKey, scope: ALL_SCOPES }],
      },
      skew,
      credentials: { type: "private-key", clientId: "keyed", privateKey, algorithm },
    });

  test.each(["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])("signs with %s", async (algorithm) => {
    const { simulator, client } = await keyed({ algorithm });
    expect((await readUser(client, USER_ID)).user_id).toBe(USER_ID);
    expect(simulator.log()[0]).toBe("POST /oauth/token 200");
  });

  test("signs anew for each attempt, since the service takes an assertion once", async () => {
    const { simulator, client } = await keyed();
    simulator.fail({ path: "/oauth/token", action: { drop: "after" } });
    await listConnectionProfilePage(client, undefined);
    expect(simulator.log()).toEqual(["POST /oauth/token 0", "POST /oauth/token 200", LIST]);
  });

  test("that is not the client's is explained", async () => {
    const { client } = await keyed(keyPair());
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error.message).toMatch(/the signature does not match/);
    expect(error.message).toMatch(
      /check identity:clientId and identity:privateKey, because it knows no such pair\./,
    );
    expect(error.message).not.toMatch(/clock/);
  });

  test.each([
    [600, "10 min ahead of"],
    [-600, "10 min behind"],
  ])("that is refused by a clock %i s off is explained", async (skew, words) => {
    const { client } = await keyed({ skew });
    const error = await failure(listConnectionProfilePage(client, undefined));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toContain(`The tenant's clock is ${words} this machine's`);
    expect(error.message).toMatch(/: set the clock\. Pass new credentials\.$/);
  });
});
