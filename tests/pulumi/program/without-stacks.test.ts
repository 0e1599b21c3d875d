import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile } from "../../../provider";
import { withoutStacks } from "../../../provider/pulumi/program/without-stacks";
const make = (name: string, options?: pulumi.CustomResourceOptions) =>
  new ConnectionProfile(name, { name }, options);

/** Stacks of the promises that the SDK makes during a call. */
function stacksDuring(work: () => unknown): string[] {
  const stacks: string[] = [];
  const define = Object.defineProperty;
  const spy = jest.spyOn(Object, "defineProperty").mockImplementation((target, key, attributes) => {
    if (key === "_debugStackTrace") stacks.push((attributes as { value: string }).value);
    return define(target, key, attributes);
  });
  try {
    work();
  } finally {
    spy.mockRestore();
  }
  return stacks;
}

const lengthOf = (stack: string) => stack.split("\n    at ").length - 1;
const longest = (stacks: string[]) => Math.max(...stacks.map(lengthOf));

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
    call: () => ({}),
  }),
);
afterEach(() => delete process.env.PULUMI_DEBUG_PROMISE_LEAKS);

describe("a resource", () => {
  test("is registered without stacks, and leaves the limit as it was", () => {
    const limit = Error.stackTraceLimit;
    const stacks = stacksDuring(() => make("without"));
    // Four for each input. The SDK takes others before, and while it reads the last one.
    expect(stacks.filter((stack) => lengthOf(stack) === 0).length).toBeGreaterThanOrEqual(8);
    expect(Error.stackTraceLimit).toBe(limit);
  });

  test("with PULUMI_DEBUG_PROMISE_LEAKS has whole stacks", () => {
    process.env.PULUMI_DEBUG_PROMISE_LEAKS = "true";
    expect(longest(stacksDuring(() => make("long")))).toBeGreaterThan(5);
  });

  test("a transformation of the program that fails has its whole stack, and the limit stays", () => {
    const limit = Error.stackTraceLimit;
    const refuse: pulumi.ResourceTransformation = () => {
      throw new Error("not here");
    };
    let error: unknown;
    try {
      make("refused", { transformations: [refuse] });
    } catch (thrown) {
      error = thrown;
    }
    expect(longest([(error as Error).stack ?? ""])).toBeGreaterThan(2);
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

describe("a program may have done what it likes with the limit", () => {
  const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit") as PropertyDescriptor;
  afterEach(() => Object.defineProperty(Error, "stackTraceLimit", limit));

  // The SDK's own constructor fails on these, in releases that set the limit themselves.
  test.each<[string, PropertyDescriptor]>([
    ["read-only", { value: 7, writable: false }],
    ["computed", { get: () => 7, set: undefined }],
    ["no number", { value: "many", writable: true }],
  ])("%s, it is left alone, and nothing throws", (_, descriptor) => {
    Object.defineProperty(Error, "stackTraceLimit", { ...descriptor, configurable: true });
    const before = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    const seen = Object.entries(withoutStacks({ a: 1, b: 2, c: 3 })).map(() =>
      Object.getOwnPropertyDescriptor(Error, "stackTraceLimit"),
    );
    expect(seen).toEqual([before, before, before]);
  });
});

describe("inputs without stacks", () => {
  const limitAsRead = (inputs: pulumi.Inputs, names = Object.keys(inputs)) =>
    names.map((name) => [inputs[name] as unknown, Error.stackTraceLimit]);

  test("are the same, and there are none from the first to the last, once", () => {
    const limit = Error.stackTraceLimit;
    const inputs = withoutStacks({ a: 1, b: undefined, c: 3 });
    expect(limitAsRead(inputs)).toEqual([
      [1, 0],
      [undefined, 0],
      [3, limit],
    ]);
    expect(limitAsRead(inputs)).toEqual([
      [1, limit],
      [undefined, limit],
      [3, limit],
    ]);
    expect(inputs).toEqual({ a: 1, b: undefined, c: 3 });
  });

  test("that are not read to the end have the limit back before anybody else runs", async () => {
    const limit = Error.stackTraceLimit;
    expect(limitAsRead(withoutStacks({ a: 1, b: 2, c: 3 }), ["a", "b"])).toEqual([
      [1, 0],
      [2, 0],
    ]);
    await Promise.resolve();
    expect(Error.stackTraceLimit).toBe(limit);
  });
});

test("an error that the SDK throws in a constructor names the program's line", () => {
  const limit = Error.stackTraceLimit;
  let error: unknown;
  try {
    make("");
  } catch (thrown) {
    error = thrown;
  }
  const { message, stack = "" } = error as Error;
  expect(message).toMatch(/name/);
  expect(stack.split("\n")[1]).toContain("@pulumi");
  expect(stack).toContain(__filename);
  expect(Error.stackTraceLimit).toBe(limit);
});
