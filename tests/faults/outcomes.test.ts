import { FAMILY_NAMES } from "./faults";
import { type Cell, type Result } from "./matrix";
import { type Class, CLASSES, countCells, outcomesOf, outcomesTable, recordedOf } from "./outcomes";

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

test("the table has a row for each class, and counts each recorded cell once", () => {
  const rows = outcomesTable()
    .slice(2)
    .map((row) => row.split(" | ").map((cell) => Number(cell.replace(/[ |,]/g, ""))));
  expect(rows).toHaveLength(Object.keys(CLASSES).length);
  expect(rows.reduce((sum, [, , all = 0]) => sum + all, 0)).toBe(countCells());
  expect(countCells()).toBeGreaterThan(10_000);
});

test("each class has a letter of its own", () => {
  const letters = Object.values(CLASSES).map(({ letter }) => letter);
  expect(new Set(letters).size).toBe(letters.length);
});
