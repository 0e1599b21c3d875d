import { inspect } from "node:util";
import * as errors from "../../provider/http/errors";
import { listConnectionProfilePage, postConnectionProfile } from "./profiles";
import { CLIENT_ID, DEFAULT_SEED } from "../../simulator/default-seed";
import { clientOf, closeAll, failure, startTenant } from "./tenant";

afterEach(closeAll);

const call = { method: "GET", path: "/things" };

test("every class is an IdentityError with its own name", () => {
  const family = [
    new errors.ConfigurationError("m"),
    new errors.InvalidInputError("m"),
    new errors.NetworkError("m"),
    new errors.TimeoutError("m"),
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

test("what became of the request is a fact that is handed over, and nothing is known of other errors", () => {
  expect(errors.outcomeOf(new errors.IdentityError("m"))).toBe("not sent");
  expect(errors.outcomeOf(new errors.UnexpectedAnswerError("m", "unknown"))).toBe("unknown");
  expect(errors.outcomeOf(new errors.ApiError(call, { status: 503, outcome: "unknown" }))).toBe("unknown");
  expect(errors.outcomeOf(new errors.ApiError(call, { status: 409 }))).toBe("refused");
  expect(errors.outcomeOf(new TypeError("m"))).toBe("unknown");
  expect(errors.outcomeOf(undefined)).toBe("unknown");
});

test("a message is one clean line, cut only where the secrets are known", () => {
  expect(new errors.IdentityError("a\u001b[31m\n::add-mask::b Bearer abc-0123456789").message).toBe(
    "a\\u001b[31m : :add-mask::b [secret]",
  );
  expect(new errors.IdentityError("x".repeat(1_000_000)).message).toHaveLength(1_000_000);
});

describe("secrets", () => {
  /** Returns everything of an error that a person or a log could see. */
  const shown = (error: Error) =>
    [
      error.message,
      String(error.cause),
      error.stack,
      inspect(error, { depth: 9, showHidden: true }),
      JSON.stringify(error),
    ].join("\n");

  test("of the client are in no error, even when the service repeats all that it was sent", async () => {
    const clientSecret = "the-client-secret-0123456789";
    const seed = {
      ...DEFAULT_SEED,
      clients: [{ ...DEFAULT_SEED.clients![0]!, client_secret: clientSecret }],
    };
    const { simulator } = await startTenant({ seed });
    const credentials = { kind: "client-secret", clientId: CLIENT_ID, clientSecret } as const;
    const client = clientOf(simulator, { credentials });
    await listConnectionProfilePage(client, undefined);
    const [token = ""] = simulator.state().access_tokens;
    const echo = `you sent Authorization: Bearer ${token} and ${token} for ${clientSecret} with body-value-4711`;
    const bodyOf = (statusCode: number) => ({
      statusCode,
      message: echo.replace("body-value-4711", ""),
      errorCode: clientSecret,
    });
    const headers = { "x-request-id": `${token} ${clientSecret}`, "set-cookie": "cookie-value" };
    const statuses = [400, 403, 404, 409, 422, 500, 503, 401];
    const actions = [
      { status: 500, body: echo },
      { status: 200, body: echo },
      { status: 201, body: { id: { value: echo } } },
      { redirect: `http://${CLIENT_ID}:${clientSecret}@elsewhere.example/?token=${token}` },
      { drop: "after" as const },
      ...statuses.map((status) => ({ status, headers, body: bodyOf(status) })),
    ];
    const refused = { status: 429, headers: { ...headers, "retry-after": "999" }, body: bodyOf(429) };
    for (const action of [...actions, refused]) {
      // A client whose tokens were refused stops sending.
      const sender = action === refused ? clientOf(simulator, { credentials }) : client;
      if (sender !== client) sender.border.secrets.add(token);
      simulator.reset();
      simulator.fail({ method: "POST", path: "/api/v2/*", times: 2, action });
      const error = await failure(postConnectionProfile(sender, { name: "body-value-4711" }));
      expect(error).toBeInstanceOf(errors.IdentityError);
      expect(simulator.log().some((line) => line.startsWith("POST /api"))).toBe(true);
      const secrets = [...simulator.state().access_tokens, clientSecret, "body-value-4711", "cookie-value"];
      for (const secret of secrets) expect(shown(error)).not.toContain(secret);
      expect(error.cause).toBeUndefined();
    }
  });

  test("are not in the error of a refused token request either", async () => {
    const clientSecret = "a-wrong-secret-0123456789";
    const { simulator } = await startTenant();
    for (const status of [400, 401, 403, 404, 500]) {
      const client = clientOf(simulator, {
        credentials: { kind: "client-secret", clientId: CLIENT_ID, clientSecret },
      });
      const body = { error: `e ${clientSecret}`, error_description: `got client_secret=${clientSecret}` };
      simulator.reset();
      simulator.fail({ path: "/oauth/*", times: 4, action: { status, body } });
      const error = await failure(listConnectionProfilePage(client, undefined));
      expect(shown(error)).not.toContain(clientSecret);
      expect(error.message).toMatch(
        new RegExp(`^POST /oauth/token/? answered ${status} e \\[secret\\]: got client_secret=\\[secret\\]`),
      );
    }
  });
});
