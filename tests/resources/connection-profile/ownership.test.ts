import fc from "../../properties";
import { isDeepStrictEqual } from "node:util";
import {
  alike,
  at,
  isEmpty,
  leaves,
  overlaid,
  owned,
  pruned,
} from "../../../provider/resources/connection-profile/ownership";

type JsonObject = Record<string, unknown>;

const key = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("a", "b", "c") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "/",
      "~",
      "~1",
      "a/b",
      "__proto__",
      "constructor",
      "toString",
      "length",
      "0",
    ),
  },
);
const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  object: fc
    .array(fc.tuple(key, tie("value")), { maxLength: 4 })
    // Unlike assignment, this makes a key "__proto__" an ordinary one.
    .map((entries) => Object.fromEntries(entries)),
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), tie("object")),
}));

/** Jest's own comparison overlooks a key "__proto__". */
function expectSame(received: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(received, expected)) expect(JSON.stringify(received)).toBe(JSON.stringify(expected));
}

const standard = new Set(Object.getOwnPropertyNames(Object.prototype));
afterEach(() => {
  const added = Object.getOwnPropertyNames(Object.prototype).filter((name) => !standard.has(name));
  // Left in place, it would fail whatever runs next.
  for (const name of added) delete (Object.prototype as JsonObject)[name];
  expect(added).toEqual([]);
});

describe("for any values", () => {
  test("a program owns exactly what it writes", () =>
    fc.assert(fc.property(object, (x) => expectSame(owned(x, leaves(x)), x))));

  test("every leaf is found where its pointer says", () =>
    fc.assert(
      fc.property(object, (x) => {
        for (const pointer of leaves(x)) {
          if (pointer.endsWith("/")) continue;
          expect(at(x, pointer)).toBeDefined();
        }
      }),
    ));

  test("pointers are distinct", () =>
    fc.assert(fc.property(object, (x) => expect(new Set(leaves(x)).size).toBe(leaves(x).length))));

  test("nothing is left without what is owned", () =>
    fc.assert(fc.property(object, (x) => expectSame(pruned(x, leaves(x)), {}))));

  test("pruning leaves all else as it is", () =>
    fc.assert(
      fc.property(object, object, (x, y) => {
        const rest = pruned(overlaid(x, y) as JsonObject, leaves(y));
        for (const pointer of leaves(rest))
          expectSame(at(rest, pointer), at(overlaid(x, y) as JsonObject, pointer));
      }),
    ));

  test("what is laid over wins", () =>
    fc.assert(
      fc.property(object, object, (base, patch) =>
        expectSame(owned(overlaid(base, patch) as JsonObject, leaves(patch)), patch),
      ),
    ));

  test("laying the same over changes nothing", () =>
    fc.assert(fc.property(object, (x) => expectSame(overlaid(x, x), x))));

  test("values are like themselves", () => fc.assert(fc.property(object, (x) => expectSame(alike(x, x), x))));

  test("likeness never invents a value: it is held, or wanted and empty or in another order", () =>
    fc.assert(
      fc.property(object, object, (held, wanted) => {
        const result = alike(held, wanted) as JsonObject;
        for (const pointer of leaves(result)) {
          const value = at(result, pointer);
          if (isEmpty(value) || isEmpty(at(held, pointer))) continue;
          const [a, b] = [value, at(held, pointer)].map((v) =>
            Array.isArray(v) ? [...(v as unknown[])].map(String).sort() : v,
          );
          expectSame(a, b);
        }
      }),
    ));
});

describe("leaves", () => {
  test("are JSON Pointers; lists are leaves, and an empty object ends in a slash", () => {
    expect(leaves({ name: "a", nested: { list: ["x"], empty: {}, "a/b": { "c~d": 1 } }, none: {} })).toEqual([
      "/name",
      "/nested/list",
      "/nested/empty/",
      "/nested/a~1b/c~0d",
      "/none/",
    ]);
  });
});

describe("owned", () => {
  test("leaves out what is missing or null there, and what nobody named", () => {
    expect(owned({ a: 1, b: null, c: { d: 2, e: 3 } }, ["/a", "/b", "/c/d", "/x/y"])).toEqual({
      a: 1,
      c: { d: 2 },
    });
  });
});

test("a key __proto__ is an ordinary key", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"b":1}}}') as JsonObject;

  expectSame(owned(value, leaves(value)), value);
  expectSame(overlaid({}, value), value);
  expectSame(pruned(value, ["/__proto__/polluted"]), JSON.parse('{"a":{"__proto__":{"b":1}}}'));
});

describe("alike", () => {
  test.each([
    ["order of a list", ["b", "a"], ["a", "b"], ["a", "b"]],
    ["another list", ["b"], ["a", "b"], ["b"]],
    ["repetition is not order", ["a", "a"], ["a", "b"], ["a", "a"]],
    ["null for an empty object", null, {}, {}],
    ["missing for an empty list", undefined, [], []],
    ["an empty text for null", "", null, null],
    ["false is a value", false, undefined, false],
    ["zero is a value", 0, "", 0],
    ["a value for none", { a: 1 }, undefined, { a: 1 }],
    ["none for a value", { a: null }, { a: 1 }, { a: null }],
  ])("%s", (_what, held, wanted, expected) => {
    expect(alike({ v: held }, { v: wanted })).toEqual({ v: expected });
  });
});
