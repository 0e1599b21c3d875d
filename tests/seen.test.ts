import {
  hiddenIn,
  ifKnown,
  isKnown,
  SECRET,
  SECRET_VALUE,
  seenSwitch,
  seenText,
  shownTexts,
  UNKNOWN,
  UNKNOWN_VALUE,
} from "../provider/seen";

test.each([
  ["a", undefined],
  [`${UNKNOWN_VALUE} `, undefined],
  [{ a: [{ b: null }, undefined] }, undefined],
  [UNKNOWN_VALUE, UNKNOWN],
  [SECRET_VALUE, SECRET],
  [{ a: [{ b: UNKNOWN_VALUE }] }, UNKNOWN],
  [["a", SECRET_VALUE], SECRET],
])("%j is hidden as a whole, in part, or not at all", (value, hidden) => {
  expect(hiddenIn(value)).toBe(hidden);
});

test("what isn't known yet counts more than what is secret", () => {
  expect(hiddenIn([SECRET_VALUE, { a: UNKNOWN_VALUE }])).toBe(UNKNOWN);
});

test("texts, lists and switches are seen as what they are, or as hidden", () => {
  expect([seenText("a"), seenText(1), seenText(SECRET_VALUE)]).toEqual(["a", undefined, SECRET]);
  expect([true, undefined, UNKNOWN_VALUE].map((value) => seenSwitch(value, false))).toEqual([
    true,
    false,
    UNKNOWN,
  ]);
  expect(shownTexts(["a", UNKNOWN_VALUE, "b"])).toEqual(["a", "b"]);
  expect(shownTexts(UNKNOWN_VALUE)).toEqual([]);
});

test("a text that says unknown is known", () => {
  expect(isKnown("unknown")).toBe(true);
  expect(ifKnown(seenText(UNKNOWN_VALUE))).toBeUndefined();
});
