import { anyOf, optional } from "../../cli/lists";

test("a value is a list of one, and nothing is an empty list", () => {
  expect([optional("a"), optional(""), optional(0), optional(undefined), optional(null)]).toEqual([
    ["a"],
    [""],
    [0],
    [],
    [],
  ]);
});

test("items of which there is none are left out", () => {
  expect(anyOf([2, "managed"], [0, "by hand"], [true, "expired"], [false, "soon"], [-1, "left"])).toEqual([
    "managed",
    "expired",
  ]);
});
