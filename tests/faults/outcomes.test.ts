import { FAMILY_NAMES } from "./faults";
import { type Cell, type Result } from "./matrix";
import { type Class, countCells, outcomesOf, outcomesTable, recordedOf } from "./outcomes";

const [first = "", second = ""] = FAMILY_NAMES;

function cellsOf(family: string, count: number, label = "GET /roles"): Cell[] {
  const section = { title: "getRole" };
  return Array.from({ length: count }, () => ({ section, family, place: { label } }) as Cell);
}

function resultsOf(cells: readonly Cell[], ...classes: Class[]): Result[] {
  return cells.map((cell, i) => ({ cell, class: classes[i] ?? "error", problems: [] }));
}

test("each cell has a letter, in the word of its family", () => {
  const results = [
    ...resultsOf(cellsOf(second, 3), "retried", "unaffected"),
    ...resultsOf(cellsOf(second, 1, "GET /roles, page 1"), "adopt"),
  ];
  const others = FAMILY_NAMES.slice(2).map(() => " -");
  expect(outcomesOf(results)).toEqual({
    getRole: { "GET /roles": `- rue${others.join("")}`, "GET /roles, page 1": `- a${others.join("")}` },
  });
});

test("each cell finds its recorded class again, but where a family has other cells by now", () => {
  const [some, more] = [cellsOf(first, 2), cellsOf(second, 2)];
  const outcomes = outcomesOf([...resultsOf(some, "gone", "line"), ...resultsOf(more)]);
  expect([...recordedOf(outcomes, [...some, ...more]).values()]).toEqual(["gone", "line", "error", "error"]);
  expect([...recordedOf(outcomes, [...some, ...more, ...cellsOf(second, 1)]).values()]).toEqual([
    "gone",
    "line",
  ]);
});

test("the table counts each recorded cell once", () => {
  const [, , ...rows] = outcomesTable();
  const counts = rows.map((row) => Number(row.split(" | ")[2]?.replace(/[ |,]/g, "")));
  expect(counts.reduce((sum, count) => sum + count)).toBe(countCells());
  expect(countCells()).toBeGreaterThan(5_000);
});
