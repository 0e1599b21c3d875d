import fc from "../../properties";
import { isDeepStrictEqual } from "node:util";
import {
  isStillThere,
  valueAt,
  keysOf,
  leafPointers,
  merge,
  pick,
  pickAll,
  omit,
} from "../../../provider/resources/connection-profile/values";
import { type JsonObject } from "../../../provider/service/record";

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
    fc.assert(fc.property(object, (x) => expectSame(pick(x, leafPointers(x)), x))));

  test("every leaf is found where its pointer says", () =>
    fc.assert(
      fc.property(object, (x) => {
        for (const pointer of leafPointers(x)) {
          expect(valueAt(x, pointer)).toBeDefined();
          expect(isStillThere(x, pointer)).toBe(true);
        }
      }),
    ));

  test("pointers are distinct", () =>
    fc.assert(
      fc.property(object, (x) => expect(new Set(leafPointers(x)).size).toBe(leafPointers(x).length)),
    ));

  test("nothing is left without what is owned", () =>
    fc.assert(fc.property(object, (x) => expectSame(omit(x, leafPointers(x)), {}))));

  test("omitting leaves all else as it is", () =>
    fc.assert(
      fc.property(object, object, (x, y) => {
        const rest = omit(merge(x, y) as JsonObject, leafPointers(y));
        for (const pointer of leafPointers(rest))
          expectSame(valueAt(rest, pointer), valueAt(merge(x, y) as JsonObject, pointer));
      }),
    ));

  test("what is merged in wins", () =>
    fc.assert(
      fc.property(object, object, (base, patch) =>
        expectSame(pick(merge(base, patch) as JsonObject, leafPointers(patch)), patch),
      ),
    ));

  test("merging the same changes nothing", () =>
    fc.assert(fc.property(object, (x) => expectSame(merge(x, x), x))));
});

describe("leafPointers", () => {
  test("are JSON Pointers; lists are leaves, and what is empty ends in a slash", () => {
    expect(
      leafPointers({
        name: "a",
        nested: { list: ["x"], empty: {}, "a/b": { "c~d": 1 } },
        none: {},
        text: "",
      }),
    ).toEqual(["/name", "/nested/list", "/nested/empty/", "/nested/a~1b/c~0d", "/none/", "/text/"]);
  });
});

describe("pick", () => {
  test("leaves out what is missing or null there, and what nobody named", () => {
    expect(pick({ a: 1, b: null, c: { d: 2, e: 3 } }, ["/a", "/b", "/c/d", "/x/y"])).toEqual({
      a: 1,
      c: { d: 2 },
    });
  });
});

test("omit leaves out an object that a pointer names, as a leaf that others have made an object", () => {
  expect(omit({ a: { b: 1 }, c: { d: { e: 2 }, f: 3 } }, ["/a", "/c/d"])).toEqual({ c: { f: 3 } });
});

test("a key __proto__ is an ordinary key", () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":{"b":1}}}') as JsonObject;

  expectSame(pick(value, leafPointers(value)), value);
  expectSame(merge({}, value), value);
  expectSame(omit(value, ["/__proto__/polluted"]), JSON.parse('{"a":{"__proto__":{"b":1}}}'));
});

describe("a key that is an empty text", () => {
  const values = { "": 1, a: { "": [] }, b: { "": { "": {} } }, c: { "": { d: 2 } } };

  test("is told from a value that is to be empty", () => {
    expect(leafPointers(values)).toEqual(["/~", "/a/~/", "/b/~/~/", "/c/~/d"]);
    expect(keysOf("/a/~")).toEqual(["a", ""]);
    expect(keysOf("/a/")).toEqual(["a"]);
  });

  test("is read inside a pointer as earlier releases wrote it", () => {
    expect(valueAt(values, "/c//d")).toBe(2);
  });
});

test("what a pointer names is still there as long as it is what the pointer says", () => {
  const value = { empty: [], list: [1], nothing: null };
  const pointers = ["/empty/", "/empty", "/list", "/list/", "/nothing", "/nothing/", "/none", "/none/"];
  expect(pointers.filter((pointer) => isStillThere(value, pointer))).toEqual(["/empty/", "/list"]);
});

test("all that pointers can pick of a value is all of it but null", () => {
  const withNulls = fc.tuple(object, fc.array(key, { minLength: 1, maxLength: 3 })).map(([value, path]) => {
    const hole = path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), null);
    return merge(value, hole) as JsonObject;
  });
  fc.assert(
    fc.property(fc.oneof(object, withNulls), (value) => {
      expect(isDeepStrictEqual(pickAll(value), pick(value, leafPointers(value)))).toBe(true);
    }),
  );
});
