import { z } from "zod";
import { parseAnswer, MOST_ENTRIES_PER_ANSWER, parseJson } from "../../provider/http/shape";

const record = z.looseObject({
  id: z.string(),
  tags: z.array(z.string()).nullish(),
  free: z.unknown().optional(),
});
const page = z.union([z.array(record), z.looseObject({ records: z.array(record), total: z.number() })]);

const problemOf = (shape: z.ZodType, json: unknown, id?: string) => {
  const result = parseAnswer(shape, JSON.stringify(json), id);
  return "problem" in result ? result.problem : undefined;
};

test("what fits is returned, with what is not known", () => {
  const json = { id: "a", tags: ["x"], more: { x: 1 } };
  expect(parseAnswer(record, JSON.stringify(json))).toEqual({ value: json });
});

test.each([
  ["", "not JSON (HTML?)"],
  ["<!doctype html>", "not JSON (HTML?)"],
  ['{"id":', "not JSON (HTML?)"],
  ["null", "the body: Invalid input: expected object, received null"],
  [
    '{"id":1,"tags":["x",1]}',
    "id: Invalid input: expected string, received number; tags.1: Invalid input: expected string, received number",
  ],
  ['{"tags":[]}', "id: missing"],
  ['{"statusCode":403,"id":"a"}', "an error, which belongs to an error status"],
])("%s: %s", (body, problem) => {
  expect(parseAnswer(record, body)).toEqual({ problem });
});

test("a record with another id than the one that was asked for is not believed", () => {
  expect(problemOf(record, { id: "b" }, "a")).toBe("id: not the one that was asked for");
  expect(problemOf(record, { id: "a" }, "a")).toBeUndefined();
  expect(problemOf(record, { id: "a" })).toBeUndefined();
  expect(problemOf(z.looseObject({}), { user_id: "b" }, "a")).toBeUndefined();
  expect(problemOf(z.array(z.string()), ["b"], "a")).toBeUndefined();
});

describe("the entries of an answer are bounded before they are checked", () => {
  const bound = `more than ${MOST_ENTRIES_PER_ANSWER} entries in one answer`;
  const entries = (count: number, entry: unknown) => Array<unknown>(count).fill(entry);

  test("in the list itself", () => {
    expect(problemOf(page, entries(MOST_ENTRIES_PER_ANSWER, { id: "a" }))).toBeUndefined();
    expect(problemOf(page, entries(MOST_ENTRIES_PER_ANSWER + 1, { id: "a" }))).toBe(bound);
    expect(problemOf(page, { records: entries(1_000_000, 1), total: 1 })).toBe(bound);
  });

  test("in lists within it, added up", () => {
    const tagged = { id: "a", tags: entries(100, 1) };
    expect(problemOf(page, { records: entries(50, tagged), total: 1 })).toBe(bound);
    expect(
      problemOf(page, { records: entries(5, { ...tagged, tags: entries(100, "x") }), total: 1 }),
    ).toBeUndefined();
  });

  test("but not in what is free-form", () => {
    expect(problemOf(page, [{ id: "a", free: entries(5_000, 1), other: entries(5_000, 1) }])).toBeUndefined();
  });
});

test("of several shapes the one is told that fits best", () => {
  expect(problemOf(page, { records: [{ id: 1 }], total: 1 })).toBe(
    "records.0.id: Invalid input: expected string, received number",
  );
});

test("a message names at most three problems", () => {
  expect(problemOf(z.array(z.string()), [1, 2, 3, 4, 5])?.split("; ")).toHaveLength(3);
});

test("what is not JSON is undefined", () => {
  expect([parseJson("1"), parseJson("null"), parseJson("{")]).toEqual([1, null, undefined]);
});
