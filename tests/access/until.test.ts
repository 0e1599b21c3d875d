import {
  endOfUntil,
  isPast,
  isWithin,
  latestOf,
  nearEnd,
  endChange,
  endSentence,
  untilProblem,
} from "../../provider/access/until";

/* tests/fuzz/parsers.test.ts has the same for any text. */

const at = (instant: string) => Date.parse(instant);

test.each([
  ["2030-12-31", "2031-01-01T00:00:00Z"],
  ["2032-02-29", "2032-03-01T00:00:00Z"],
  ["2030-12-31T18:00:00+01:00", "2030-12-31T17:00:00Z"],
  ["2030-12-31T18:00Z", "2030-12-31T18:00:00Z"],
])("%s ends at %s", (until, end) => {
  expect(endOfUntil(until)).toBe(at(end));
  expect([isPast(until, at(end) - 1), isPast(until, at(end))]).toEqual([false, true]);
});

test.each(["2030-13-01", "2031-02-29", "2030-12-31T18:00:00", "2030-12-31 18:00Z", "", "2030-12-31T24:00Z"])(
  "%j is no end",
  (until) => {
    expect(endOfUntil(until)).toBeUndefined();
    expect(isPast(until, at("2099-01-01T00:00:00Z"))).toBe(false);
  },
);

test.each(["2030-12-31 00:00:00 +0000 UTC", "2030-12-31 18:00:00.5 +0000 UTC"])(
  "%j is how Pulumi hands over what stands without quotes",
  (text) => {
    expect(untilProblem(text)).toContain("must be in quotes");
  },
);

test.each([
  ["2030-12-17T12:00:00Z", undefined],
  ["2030-12-18T12:00:00Z", "in 13 days"],
  ["2030-12-30T12:00:00Z", "in 1 day"],
  ["2030-12-31T12:00:00Z", "in 12 hours"],
  ["2030-12-31T23:00:01Z", "in 59 minutes"],
  ["2030-12-31T23:59:01Z", "in less than a minute"],
  ["2031-01-01T00:00:00Z", undefined],
])("on %s the end of 2030 is near: %s", (moment, words) => {
  expect(nearEnd("2030-12-31", at(moment))).toBe(words);
});

test("no end is later than any", () => {
  const [early, late] = ["2030-12-31", "2031-01-01T00:00:01Z"];
  expect([isWithin(early, late), isWithin(late, early)]).toEqual([true, false]);
  expect([isWithin(undefined, late), isWithin(late, undefined)]).toEqual([false, true]);
  expect([latestOf([late, early]), latestOf([early, undefined])]).toEqual([late, undefined]);
});

test.each([
  ["2030-12-31", "2030-12-31", undefined, ""],
  ["2030-12-31", "2031-01-01T01:00:00+01:00", undefined, ""],
  [undefined, undefined, undefined, ""],
  ["2030-12-31", undefined, "later", "now without an end (was 2030-12-31)"],
  ["2030-12-31", "2031-01-31", "later", "now ends on 2031-01-31 (was 2030-12-31)"],
  ["2031-01-31", "2030-12-31", "earlier", "now ends on 2030-12-31 (was 2031-01-31)"],
  [undefined, "2030-12-31", "earlier", "now ends on 2030-12-31 (had no end)"],
])("an end that goes from %s to %s moves %s: %s", (untilBefore, until, ends, words) => {
  expect(endChange(untilBefore, until)).toBe(ends);
  expect(endSentence({ ends: endChange(untilBefore, until), until, untilBefore }).toString()).toBe(words);
});
