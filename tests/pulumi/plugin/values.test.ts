import { mark, merged, secret, unmark } from "../../../provider/pulumi/plugin/values";

test("marks are taken away at any depth, and the names of what held them are told", () => {
  const { values, marks } = unmark({
    open: "a",
    whole: secret("b"),
    list: ["c", secret("d")],
    deep: { key: { inner: secret(["e", secret("f")]) } },
  });

  expect(values).toEqual({
    open: "a",
    whole: "b",
    list: ["c", "d"],
    deep: { key: { inner: ["e", "f"] } },
    __secretInputs: ["deep", "list", "whole"],
  });
  expect([...marks.secrets]).toEqual([
    ["whole", ["b"]],
    ["list", ["d"]],
    ["deep", [["e", "f"]]],
  ]);
});

test("values without secrets aren't copied, on the way in and on the way out", () => {
  const raw = { open: "a", deep: { list: [1, { key: null }] } };
  const { values, marks } = unmark(raw);

  expect(values).toBe(raw);
  expect(mark(values, marks)).toBe(raw);
});

test("what the SDK's decoder makes of a key __proto__ isn't sent", () => {
  const decoded = () =>
    Object.create({ polluted: "yes" }, { own: { value: "a", enumerable: true } }) as object;

  const { values, marks } = unmark({ deep: decoded() });

  expect(values).toStrictEqual({ deep: { own: "a" } });
  expect(mark({ deep: decoded(), other: decoded() }, marks)["other"]).toStrictEqual({ own: "a" });
});

test("a change that was done in part has the secrets of before and after", () => {
  const marks = merged(unmark({ list: [secret("a"), "b"] }).marks, unmark({ list: ["b", "c"] }).marks);

  expect(mark({ list: ["a", "b"], unconfirmed: ["a"] }, marks)).toEqual({
    list: [secret("a"), "b"],
    unconfirmed: [secret("a")],
  });
});

test.each([
  ["as it was", { list: ["c", secret("d")] }, { list: ["c", "d"] }, { list: ["c", secret("d")] }],
  ["elsewhere in a set", { list: [secret("d"), "c"] }, { list: ["c", "d"] }, { list: ["c", secret("d")] }],
  [
    "changed, so that nobody can tell where",
    { list: ["c", secret("d")] },
    { list: ["c", "D"] },
    { list: secret(["c", "D"]) },
  ],
  [
    "a part of them changed",
    { list: [secret("c"), secret("d")] },
    { list: ["c", "D"] },
    { list: secret(["c", "D"]) },
  ],
  [
    "quoted in what is recorded beside the inputs",
    { list: ["c", secret("d")], open: "d" },
    { list: ["c", "d"], open: "d", unconfirmed: ["d"] },
    { list: ["c", secret("d")], open: "d", unconfirmed: [secret("d")] },
  ],
  ["not sent", { one: secret("d"), other: "d" }, { other: "d" }, { other: "d" }],
  [
    "in state of an earlier release, without marks",
    { one: "d", __secretInputs: ["one"] },
    { one: "d" },
    { one: secret("d") },
  ],
  ["none", { one: "d" }, { one: "d", __secretInputs: [], none: undefined }, { one: "d" }],
])("what was secret is marked again: %s", (_, given, answer, expected) => {
  expect(mark(answer, unmark(given).marks)).toStrictEqual(expected);
});
