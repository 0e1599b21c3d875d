import { InvalidInputError } from "../../provider/http/errors";
import { isPathId, pathSegment } from "../../provider/http/call";

test.each([
  ["a", "a"],
  ["x".repeat(512), "x".repeat(512)],
  ["auth0|5f7c8ec7c33c6c004bbafe82", "auth0%7C5f7c8ec7c33c6c004bbafe82"],
  ["a/b?c#d%20 e", "a%2Fb%3Fc%23d%2520%20e"],
  ["...", "..."],
  [".a", ".a"],
  ["a.", "a."],
  ["..a", "..a"],
  ["😀", "%F0%9F%98%80"],
])("the id %j is one segment of a path", (id, segment) => {
  expect(isPathId(id)).toBe(true);
  expect(pathSegment(id)).toBe(segment);
});

test.each([
  "",
  " ",
  " a",
  "a ",
  ".",
  "..",
  "a\nb",
  "a\u0000",
  "a\u007fb",
  "a\u0085b",
  "\ud800",
  "a\udc00",
  "x".repeat(513),
])("the id %j reaches no path", (id) => {
  expect(isPathId(id)).toBe(false);
  expect(() => pathSegment(id)).toThrow(InvalidInputError);
});

test("the refusal of an id says the rule and what was received", () => {
  const rule =
    'An id for the path must be an id of 1 to 512 characters without control characters, and not "." or ".."; received';
  expect(() => pathSegment("..")).toThrow(new InvalidInputError(`${rule} "..".`));
  expect(() => pathSegment(undefined)).toThrow(new InvalidInputError(`${rule} undefined.`));
});
