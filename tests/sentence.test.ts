import { grouped, list, placed, say, some, tail } from "../provider/sentence";

test("numbers are written as in English", () => {
  for (const number of [0, 7, 999, 1_000, 12_345, 1_234_567])
    expect(grouped(number)).toBe(number.toLocaleString("en-US"));
});

test("of many ids the first ten are named", () => {
  const ids = Array.from({ length: 1_012 }, (_, index) => `rol_${index}`);
  expect(some(ids.slice(0, 2)).toString()).toBe("rol_0 and rol_1");
  expect(some(ids.slice(0, 10)).toString()).toBe(`${ids.slice(0, 9).join(", ")} and rol_9`);
  expect(some(ids).toString()).toBe(`${ids.slice(0, 10).join(", ")} and 1,002 more`);
});

test("a tail is left out whole if it has nothing to say", () => {
  const until = (end: string | null | undefined) => say`keeps it${tail`, until ${end}`}`.toString();
  expect(until("2026-12-31")).toBe("keeps it, until 2026-12-31");
  expect([until(undefined), until(null), until("")]).toEqual(["keeps it", "keeps it", "keeps it"]);
  expect(tail`${list([])} in ${"prod"}`.isEmpty).toBe(true);
});

test("a name comes with its place, if that is known", () => {
  expect(placed("support", { file: "index.ts", line: 18 }).toString()).toBe("support index.ts:18");
  expect(placed("support", undefined).toString()).toBe("support");
});
