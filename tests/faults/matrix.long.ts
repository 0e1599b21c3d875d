import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { useSurroundings } from "./cell";
import { type Result, runAll, type Section, sectionsOf } from "./matrix";
import { OPERATIONS } from "./operations";
import { FEW_AT_ONCE, problemTexts } from "./sample";
import { tableOf, tableOfSection } from "./table";

/*
 * Every fault hits every request of every operation: see outcomes.md. oracle.ts judges the results, and the
 * test compares them with that page. `FAULT_CELL="…" npm run test:long -- matrix` runs one cell, or all whose
 * names contain the text; `FAULT_TABLE=write npm run test:long -- matrix` writes the page anew.
 */

const LONGEST_MS = 3 * 60 * 60_000;
const LEAST_CELLS = 3_000;
const TABLE = join(__dirname, "outcomes.md");
const only = process.env["FAULT_CELL"];
const isWritten = process.env["FAULT_TABLE"] === "write";

const surroundings = useSurroundings();
let results: Result[] = [];
let sections: Section[] = [];

beforeAll(async () => {
  sections = await sectionsOf(surroundings, only);
  const cells = sections.flatMap((section) => section.cells);
  const start = performance.now();
  const repeated = await runAll(
    cells.filter(({ name }) => only === undefined || name.includes(only)),
    surroundings,
    (result) => results.push(result),
  );
  const seconds = Math.round((performance.now() - start) / 1000);
  const doubtful = only === undefined ? sections.filter(isDoubtful) : [];
  await runAgain(doubtful);
  const bad = results.filter(({ problems }) => problems.length > 0).length;
  process.stdout.write(
    `fault matrix: ${results.length.toLocaleString("en")} cells of ${sections.length} operations in ${seconds} s, ` +
      `${bad} with problems; ${repeated} repeated, because the machine stalled; ${doubtful.length} operations repeated\n`,
  );
}, LONGEST_MS);

const page = existsSync(TABLE) ? readFileSync(TABLE, "utf8") : "";

function isDoubtful(section: Section): boolean {
  const own = results.filter(({ cell }) => cell.section === section);
  return (
    own.some(({ problems }) => problems.length > 0) ||
    !page.includes(`\n${tableOfSection(section, own).join("\n")}\n`)
  );
}

/**
 * On a busy machine a request can time out for no fault of its own. So two more runs of each cell, with fewer
 * at once, can outvote the first. On a slow machine, every run of a whole section has such an accident.
 */
async function runAgain(doubtful: readonly Section[]): Promise<void> {
  let left = doubtful.flatMap((section) => section.cells);
  const votes = new Map(left.map((cell) => [cell, results.filter((result) => result.cell === cell)]));
  for (const mostAtOnce of FEW_AT_ONCE) {
    await runAll(left, surroundings, (result) => votes.get(result.cell)?.push(result), mostAtOnce);
    left = left.filter((cell) => winnerOf(votes.get(cell) ?? []) === undefined);
  }
  results = results.map((result) => {
    const cast = votes.get(result.cell);
    return cast === undefined ? result : (winnerOf(cast) ?? result);
  });
}

/** Returns the result that two runs of a cell share. */
function winnerOf(votes: readonly Result[]): Result | undefined {
  return votes.find((vote, i) => votes.slice(i + 1).some((other) => isAlike(vote, other)));
}

function isAlike(one: Result, other: Result): boolean {
  return one.class === other.class && one.problems.length === other.problems.length;
}

test.each(OPERATIONS.map(({ name }) => name))("%s", (name) => {
  const own = results.filter(({ cell }) => cell.section.prepared.operation.name === name);
  expect(problemTexts(own, "matrix")).toBe("");
});

test("nothing went to another host than the tenant's", () => {
  expect(surroundings.strangers.visitors).toEqual([]);
});

test("outcomes.md has the outcome of every cell", () => {
  if (only !== undefined) {
    process.stdout.write(results.map((result) => `${result.cell.name}: ${result.class}\n`).join(""));
    return;
  }
  const table = tableOf(sections, results);
  if (isWritten) writeFileSync(TABLE, table);
  else expect(page).toBe(table);
  expect(results.length).toBeGreaterThanOrEqual(LEAST_CELLS);
});
