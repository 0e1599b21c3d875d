import fc from "../properties";
import { inspect } from "node:util";
import * as errors from "../../provider/http/errors";
import { printable, redact } from "../../provider/http/redact";
import { listConnectionProfilePage, postConnectionProfile } from "../../provider/service/connection-profiles";
import { CLIENT_ID, DEFAULT_SEED } from "../simulator/default-seed";
import { clientOf, closeAll, failure, startTenant } from "./tenant";

afterEach(closeAll);

const call = { method: "GET", path: "/things" };

test("every class is an IdentityError with its own name", () => {
  const family = [
    new errors.ConfigurationError("m"),
    new errors.InvalidInputError("m"),
    new errors.NetworkError("m", true),
    new errors.TimeoutError("m", true),
    new errors.UnexpectedAnswerError("m"),
    new errors.RateLimitedError(call, "m"),
    new errors.ApiError(call, { status: 418 }),
    new errors.NotFoundError(call, { status: 404 }),
    new errors.AuthenticationError(call, { status: 401 }),
    new errors.InsufficientScopeError(call, { status: 403 }, ["a:b"]),
  ];
  expect(family.every((error) => error instanceof errors.IdentityError)).toBe(true);
  expect(family.map(({ name }) => name)).toEqual([
    "ConfigurationError",
    "InvalidInputError",
    "NetworkError",
    "TimeoutError",
    "UnexpectedAnswerError",
    "RateLimitedError",
    "ApiError",
    "NotFoundError",
    "AuthenticationError",
    "InsufficientScopeError",
  ]);
  expect(family.slice(6).every((error) => error instanceof errors.ApiError)).toBe(true);
});

test("inspect shows name and message, and nothing of what hangs on the error", () => {
  const error = Object.assign(new errors.NotFoundError(call, { status: 404 }), { secret: "hidden" });
  expect(inspect(error)).toBe("NotFoundError: GET /things answered 404.");
  expect(inspect({ error }, { depth: 5, showHidden: true })).not.toContain("hidden");
});

test.each([
  ["Insufficient scope, expected any of: read:x,update:y", ["read:x", "update:y"]],
  ["Insufficient scope, expected any of: read:x, update:y.", ["read:x", "update:y"]],
  ["insufficient scope", ["own:scope"]],
])("scopes of %p", (message, scopes) => {
  const error = errors.apiError(
    call,
    { status: 403, code: "insufficient_scope", message },
    ["own:scope"],
    "",
  );
  expect(error).toMatchObject({ name: "InsufficientScopeError", scopes });
});

describe("secrets", () => {
  const secretText = fc.stringMatching(/^[A-Za-z0-9_~+/=-]{12,60}$/);
  const token = fc
    .array(fc.stringMatching(/^[A-Za-z0-9_-]{8,40}$/), { minLength: 2, maxLength: 2 })
    .map(([a, b]) => `eyJ${a}.${a}.${b}`);

  test("are taken out of any text, wherever they are in it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), secretText, token, (before, after, secret, jwt) => {
        expect(redact(`${before} ${secret} ${after}`, [secret])).not.toContain(secret);
        expect(redact(`${before} ${jwt} ${after}`)).not.toContain(jwt);
        expect(redact(`${before} Bearer ${secret} ${after}`)).not.toContain(secret);
      }),
    );
  });

  test("keys in PEM form are taken out, even when they are cut off", () => {
    const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----";
    expect(redact(`the key ${pem} is wrong`)).toBe("the key [secret] is wrong");
    expect(redact(`the key ${pem.slice(0, 40)}`)).toBe("the key [secret]");
  });

  test("and ordinary words are left alone", () => {
    const text =
      "Payload validation error: 'String is too long (51 chars), maximum 50' on property name (a name)";
    expect(printable(text, ["", "abc", undefined])).toBe(text);
  });

  test("a text of the service can't write to the terminal, nor fill it", () => {
    expect(printable("a\u001b[31mb\nc\u202ed")).toBe("a [31mb c d");
    expect(printable("x".repeat(5_000))).toHaveLength(1_001);
  });

  /** All that a person or a log could get to see of an error. */
  const shown = (error: Error) =>
    [
      error.message,
      String(error.cause),
      error.stack,
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
    ].join("\n");

  test("of no kind are in an error, even when the service repeats all that it was sent", async () => {
    const clientSecret = "the-client-secret-0123456789";
    const seed = {
      ...DEFAULT_SEED,
      clients: [{ ...DEFAULT_SEED.clients![0]!, client_secret: clientSecret }],
    };
    const { simulator } = await startTenant({ seed });
    const client = clientOf(simulator, {
      credentials: { kind: "client-secret", clientId: CLIENT_ID, clientSecret },
    });
    await listConnectionProfilePage(client, undefined);
    const [token = ""] = simulator.state().access_tokens;
    const echo = `you sent Authorization: Bearer ${token} and ${token} for ${clientSecret} with body-value-4711`;
    const answers = [400, 401, 403, 404, 409, 422, 500, 503, 429].map((status) => ({
      status,
      headers: {
        "retry-after": "999",
        "x-request-id": `${token} ${clientSecret}`,
        "set-cookie": "cookie-value",
      },
      body: { message: echo.replace("body-value-4711", ""), errorCode: `${clientSecret}` },
    }));
    const others = [
      { status: 500, body: echo },
      { status: 200, body: echo },
      { status: 201, body: { id: { value: echo } } },
      { redirect: `http://${CLIENT_ID}:${clientSecret}@elsewhere.example/?token=${token}` },
      { drop: "after" as const },
    ];
    for (const action of [...others, ...answers]) {
      simulator.reset();
      simulator.fail({ method: "POST", path: "/api/v2/*", times: 2, action });
      const error = await failure(postConnectionProfile(client, { name: "body-value-4711" }));
      expect(error).toBeInstanceOf(errors.IdentityError);
      const text = shown(error);
      for (const secret of [
        ...simulator.state().access_tokens,
        clientSecret,
        "body-value-4711",
        "cookie-value",
      ]) {
        expect(text).not.toContain(secret);
      }
      expect(error.cause).toBeUndefined();
    }
  });

  test("are not in the error of a refused token request either", async () => {
    const clientSecret = "a-wrong-secret-0123456789";
    const { simulator } = await startTenant();
    const client = clientOf(simulator, {
      credentials: { kind: "client-secret", clientId: CLIENT_ID, clientSecret },
    });
    for (const status of [400, 401, 403, 404, 500]) {
      const body = { error: `e ${clientSecret}`, error_description: `got client_secret=${clientSecret}` };
      simulator.reset();
      simulator.fail({ path: "/oauth/*", times: 4, action: { status, body } });
      const error = await failure(listConnectionProfilePage(client, undefined));
      expect(shown(error)).not.toContain(clientSecret);
      expect(error.message).toMatch(/^POST \/oauth\/token\/? answered/);
    }
  });
});
