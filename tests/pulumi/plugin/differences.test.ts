import { UNKNOWN_VALUE } from "../../../provider/seen";
import { differences } from "../../../provider/pulumi/plugin/differences";

test.each([
  ["nothing", { a: ["x"], b: { c: 1 } }, { b: { c: 1 }, a: ["x"] }, {}],
  ["an input that comes and one that goes", { a: 1 }, { b: 2 }, { a: "delete", b: "add" }],
  ["one item of a set that goes", { a: ["x", "y", "z"] }, { a: ["y", "z"] }, { "a[0]": "delete" }],
  ["one that comes", { a: ["y", "z"] }, { a: ["x", "y", "z"] }, { "a[0]": "add" }],
  ["one in place of another", { a: ["x", "z"] }, { a: ["y", "z"] }, { "a[0]": "update" }],
  ["the order alone", { a: ["x", "y"] }, { a: ["y", "x"] }, { a: "update" }],
  ["a list of anything else", { a: [1, 2] }, { a: [2] }, { a: "update" }],
  ["a list with repetitions", { a: ["x", "x"] }, { a: ["x"] }, { a: "update" }],
  ["a list with an unknown item", { a: ["x"] }, { a: ["x", UNKNOWN_VALUE] }, { a: "update" }],
  ["a value within", { a: { b: { c: 1, d: 2 } } }, { a: { b: { c: 3, d: 2 } } }, { "a.b.c": "update" }],
  ["a key that is no name", { a: { "b.c": 1 } }, { a: {} }, { 'a["b.c"]': "delete" }],
  ["another type", { a: { b: 1 } }, { a: "b" }, { a: "update" }],
  ["what only handlers are sent", { __x: 1 }, { __x: 2, __y: 1 }, {}],
])("%s", (_, before, after, expected) => {
  expect(Object.fromEntries(differences(before, after))).toEqual(expected);
});
