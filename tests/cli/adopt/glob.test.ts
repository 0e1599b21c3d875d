import { matches } from "../../../cli/adopt/contents";
import fc from "../../../testkit/properties";

test.each<[string, string, boolean]>([
  ["*-eu", "enterprise-eu", true],
  ["enterprise", "Enterprise", false],
  ["?", "🙂", true],
  ["*", "", true],
  ["[ab]", "a", false],
  ["a*", "a\nb\u0000", true],
])("%j and %j: %s", (pattern, name, isMatch) => expect(matches(pattern, name)).toBe(isMatch));

test("it decides as a regular expression of the same meaning does", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "."), maxLength: 8 });
  fc.assert(
    fc.property(text, text, (pattern, name) => {
      const parts = pattern.replace(/[.]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".");
      expect(matches(pattern, name)).toBe(new RegExp(`^${parts}$`, "su").test(name));
    }),
    { numRuns: 5_000 },
  );
});

test("a pattern that would take a backtracking matcher for ever ends", () => {
  expect(matches("*a".repeat(200) + "b", "a".repeat(5_000))).toBe(false);
});
