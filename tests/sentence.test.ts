import { grouped, some } from "../provider/sentence";

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
