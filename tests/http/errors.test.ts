import { inspect } from "node:util";
import * as errors from "../../provider/http/errors";
import { closeAll } from "../../testkit/client";

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
    { scopes: ["own:scope"], adviceOn401: "" },
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
