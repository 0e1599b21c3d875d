import { nearest, onlyDifference } from "../provider/near-names";

test.each<[wanted: string, names: string[], expected: string[]]>([
  [
    "suport-agent",
    ["billing", "support-agents", "support-agent"],
    ["support-agent", "support-agents", "billing"],
  ],
  ["Support Agent", ["supports-agent", "support_agent"], ["support_agent", "supports-agent"]],
  ["token", ["audience", "accessToken"], ["accessToken", "audience"]],
  ["x", ["b", "a", "a"], ["a", "b"]],
  ["", ["ab", "a"], ["a", "ab"]],
])("%j of %j", (wanted, names, expected) => {
  expect(nearest(wanted, names, 5)).toEqual(expected);
});

test("no more than asked for, and none that is too far", () => {
  expect(nearest("maxRevocation", ["maxRevocations", "maxConcurrency", "domain"], 1)).toEqual([
    "maxRevocations",
  ]);
  expect(nearest("maxRevocation", ["domain", "clientId"], 5, 2)).toEqual([]);
});

test("the length of a name does not count without end", () => {
  const long = "x".repeat(5_000_000);
  expect(nearest(long, [long], 5)).toEqual([long]);
});

test.each([
  ["admin", "admin", undefined],
  ["admin", "Admin", "case"],
  ["Caf\u00e9", "Cafe\u0301", "Unicode form"],
  ["Caf\u00e9", "CAFE\u0301", "case"],
  ["admin", "admins", undefined],
])("%j and %j differ only in %s", (one, other, difference) =>
  expect(onlyDifference(one, other)).toBe(difference),
);
