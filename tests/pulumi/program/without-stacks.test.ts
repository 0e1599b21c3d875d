import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile } from "../../../provider";

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
