import { inspect } from "node:util";
import type * as identity from "../../../provider";
import { getRole, getUser, IdentityError, InsufficientScopeError } from "../../../provider";
import { Border } from "../../../provider/border";
import { outgoing } from "../../../provider/pulumi/program/data-source-error";
import { failure } from "../../../testkit/client";
import { environmentOf, useSimulator } from "../../../testkit/simulator";
import { withoutVariables, withVariables } from "../../host/environment";

/* How an error leaves a data source. */

const simulator = useSimulator();
beforeEach(() => withVariables(environmentOf(simulator)));
afterEach(() => {
  withoutVariables();
  simulator.reset();
});

test("an error keeps its class and facts, and of its stack the program's own lines, which help", async () => {
  const body = { statusCode: 403, error: "Forbidden", errorCode: "insufficient_scope", message: "No." };
  simulator.fail({ method: "GET", times: 9, action: { status: 403, body } });
  const error = await failure(getUser({ userId: "auth0|1" }));
  expect(error).toBeInstanceOf(InsufficientScopeError);
  expect(error).toMatchObject({
    name: "InsufficientScopeError",
    status: 403,
    scopes: expect.arrayContaining(["read:users"]) as string[],
    call: { method: "GET", path: "/users/auth0%7C1" },
  });
  expect(error.stack).toContain(`InsufficientScopeError: ${error.message}`);
  expect(error.stack).not.toMatch(/[\\/](provider|node_modules)[\\/]/);
});

test("a secret argument is in no text and no fact of the error, and the original stays as it is", () => {
  const secret = "auth0|confidential user";
  const call = { method: "GET", path: `/users/${encodeURIComponent(secret)}` };
  const original = new InsufficientScopeError(call, { status: 403, message: `${secret} not allowed` }, []);
  const words = { before: `getUser(${secret})`, after: "Try another.", border: new Border([secret]) };
  const error = outgoing(original, words);
  expect(error).toMatchObject({ status: 403, call: { method: "GET", path: "/users/[secret]" } });
  for (const text of [inspect(error), error.stack, JSON.stringify(error)])
    expect(text).not.toMatch(/confidential/);
  expect(original.call).toEqual(call);
  expect(outgoing(`${secret}\nis odd`, words).message).toMatch(/: \[secret\] is odd Try another\.$/);
});

test("equal calls that share a failure get one error, which Pulumi prints once; others get their own", async () => {
  simulator.fail({ method: "GET", times: 9, action: { status: 404 } });
  const names = ["one", "one", "other"];
  const [error, same, other] = await Promise.all(names.map((name) => failure(getRole({ name }))));
  expect(error).toBeInstanceOf(IdentityError);
  expect(same).toBe(error);
  expect(other).not.toBe(error);
});

describe("a rejection that is handled late", () => {
  let warned: jest.SpyInstance;
  let before: NodeJS.RejectionHandledListener[];
  beforeEach(() => {
    before = process.listeners("rejectionHandled");
    process.removeAllListeners("rejectionHandled");
    warned = jest.spyOn(process, "emitWarning").mockImplementation();
    // No request is needed for a failure.
    withoutVariables();
  });
  afterEach(() => {
    warned.mockRestore();
    process.removeAllListeners("rejectionHandled");
    for (const listener of before) process.on("rejectionHandled", listener);
  });

  const failing = (of: typeof getUser = getUser) => failure(of({ userId: "auth0|1" }));
  /** Acts like Node.js when a reported rejection gets a handler. */
  async function handleLate(error: unknown): Promise<void> {
    // A program may throw anything.
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    const rejected = Promise.reject<never>(error);
    process.emit("rejectionHandled", rejected);
    await rejected.catch(() => undefined);
  }

  test("is warned of as without this package, once, unless it is of this package", async () => {
    await handleLate(await failing());
    await handleLate(await failing());
    expect(warned).not.toHaveBeenCalled();
    await handleLate(new Error("of the program"));
    expect(warned.mock.calls).toEqual([
      ["Promise rejection was handled asynchronously", "PromiseRejectionHandledWarning"],
    ]);
  });

  test("beside another copy of this package: those of either are not warned of, others once", async () => {
    let copy: typeof identity | undefined;
    jest.isolateModules(() => (copy = jest.requireActual<typeof identity>("../../../provider")));
    const [own, others] = [await failing(), await failing(copy?.getUser)];
    expect(own).toBeInstanceOf(IdentityError);
    expect(others).not.toBeInstanceOf(IdentityError);
    await handleLate(own);
    await handleLate(others);
    expect(warned).not.toHaveBeenCalled();
    const foreign = [new Error("of the program"), undefined, Object.create(null), { constructor: null }];
    for (const thrown of foreign) await handleLate(thrown);
    expect(warned).toHaveBeenCalledTimes(foreign.length);
  });
});
