import { recordable, unrecordable, withChildren, withoutNulls } from "../../provider/review/raw-inputs";

const nested = (levels: number, inner: unknown): unknown =>
  Array.from({ length: levels }).reduce((value) => [value], inner);

test("a value is copied only as far as something in it changes", () => {
  const value = { same: { deep: [1] }, other: [{ from: "a" }, { to: "b" }] };
  const renamed = (child: unknown): unknown =>
    typeof child === "object" && child !== null ? withChildren(child, renamed) : child === "a" ? "A" : child;

  const changed = withChildren(value, renamed);

  expect(changed).toStrictEqual({ same: { deep: [1] }, other: [{ from: "A" }, { to: "b" }] });
  expect(changed.same).toBe(value.same);
  expect(changed.other[1]).toBe(value.other[1]);
  expect(value.other[0]).toStrictEqual({ from: "a" });
});

test("nulls are removed from objects, but not from lists; nothing else is copied", () => {
  const open = { list: ["a", null], deep: { key: 1 } };

  expect(withoutNulls(open)).toBe(open);
  expect(withoutNulls({ a: null, b: { c: null, d: [null, { e: null }] }, f: -0 })).toStrictEqual({
    b: { d: [null, {}] },
    f: 0,
  });
});

test("state can hold neither infinite numbers nor a hundred levels and more", () => {
  const inputs = {
    fine: nested(100, "a"),
    deep: nested(101, "a"),
    infinite: { list: [1, Infinity] },
    both: [NaN, nested(100, "a")],
  };

  expect(unrecordable(inputs)).toEqual([
    ["deep", "must not be nested deeper than 100 levels"],
    ["infinite", "must hold no number that is not finite"],
    ["both", "must not be nested deeper than 100 levels"],
  ]);
  expect(Object.keys(recordable(inputs))).toEqual(["fine"]);
});
