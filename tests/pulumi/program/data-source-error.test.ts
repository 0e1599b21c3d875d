import { inspect } from "node:util";
import { Border } from "../../../provider/border";
import { ApiError, InsufficientScopeError, NotFoundError } from "../../../provider/http/errors";
import { callText } from "../../../provider/pulumi/call-text";
import { outgoing } from "../../../provider/pulumi/program/data-source-error";

const secret = "auth0|confidential user";
const words = {
  before: callText("getUser", { userId: secret, fields: ["email"] }, ["userId"]),
  after: "Try another.",
  border: new Border([secret]),
};
const call = { method: "GET", path: `/users/${encodeURIComponent(secret)}` };

test("an error keeps its class and facts, and shows a secret argument nowhere", () => {
  const original = new InsufficientScopeError(call, { status: 403, message: `${secret} not allowed` }, [
    "read:users",
  ]);
  const error = outgoing(original, words);
  expect(error).toBeInstanceOf(InsufficientScopeError);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    name: "InsufficientScopeError",
    status: 403,
    scopes: ["read:users"],
    call: { method: "GET", path: "/users/[secret]" },
    message: expect.stringMatching(
      /^getUser\(\{ userId: \[secret\], fields: \["email"\] \}\): GET \/users\/\[secret\] answered 403: \[secret\] not allowed\. .* Try another\.$/,
    ) as string,
  });
  expect(error.stack).toMatch(/^InsufficientScopeError: getUser.*\n +at /);
  // Of the stack, only the program's own lines.
  for (const frame of error.stack?.split("\n").slice(1) ?? []) expect(frame).toContain(__filename);
  for (const text of [inspect(error), error.stack, JSON.stringify(error)]) {
    expect(text).not.toMatch(/confidential/);
  }
});

test("equal calls that share a failure get one error, which Pulumi prints once; others get their own", () => {
  const original = new NotFoundError(call, { status: 404 });
  const error = outgoing(original, words);
  expect(outgoing(original, words)).toBe(error);
  expect(outgoing(original, { ...words, before: "getUser({})" })).not.toBe(error);
  expect(outgoing(new NotFoundError(call, { status: 404 }), words)).not.toBe(error);
});
