import { useSurroundings } from "./cell";
import { type Cell, type Result, runAll, type Section, sectionsOf } from "./matrix";
import { type PartName, PARTS } from "./operations";
import { outcomesOf, readOutcomes, recordedOf, writeOutcomes } from "./outcomes";
import { FEW_AT_ONCE, problemTexts } from "./sample";

/*
 * A fault of each class hits every request of every operation. oracle.ts judges the results, and golden/ has
 * the outcome of each cell. `FAULT_CELL="…" npm run test:long -- faults/matrix` runs one cell, or all whose
 * names contain the text; `UPDATE_GOLDEN=1 npm run test:long -- faults/matrix` writes golden/ anew.
 */

const LONGEST_MS = 3 * 60 * 60_000;

/** For a test file: runs a part of the matrix, so that the files share the machine's cores. */
export function testPart(part: PartName): void {
  const only = process.env["FAULT_CELL"];
  const isWritten = process.env["UPDATE_GOLDEN"] === "1";
  const surroundings = useSurroundings();
  let results: Result[] = [];
  let recorded = new Map<Cell, string>();

  beforeAll(async () => {
    const [start, used] = [performance.now(), process.cpuUsage()];
    const sections = await sectionsOf(surroundings, only, PARTS[part]);
    const cells = sections
      .flatMap((section) => section.cells)
      .filter(({ name }) => only === undefined || name.includes(only));
    recorded = recordedOf(readOutcomes(part), cells);
    const ran = new Map<Cell, Result>();
    const repeated = await runAll(cells, surroundings, (result) => ran.set(result.cell, result));
    results = cells.map((cell) => ran.get(cell) as Result);
    const doubtful = only === undefined ? sections.filter(isDoubtful) : [];
    await runAgain(doubtful);
    const bad = results.filter(({ problems }) => problems.length > 0).length;
    const { user, system } = process.cpuUsage(used);
    process.stdout.write(
      `fault matrix, ${part}: ${results.length.toLocaleString("en")} cells of ${sections.length} operations in ` +
        `${Math.round((performance.now() - start) / 1000)} s, ${Math.round((user + system) / 1_000_000)} s of ` +
        `processor time; ${bad} with problems; ${repeated} repeated, because the machine stalled; ` +
        `${doubtful.length} operations repeated\n`,
    );
  }, LONGEST_MS);

  const isExpected = ({ cell, class: now, problems }: Result) =>
    problems.length === 0 && (recorded.get(cell) ?? (isWritten ? now : undefined)) === now;
  const isDoubtful = (section: Section) =>
    results.some((result) => result.cell.section === section && !isExpected(result));

  /**
   * On a busy machine a request can time out for no fault of its own. So two more runs of each cell, with
   * fewer at once, can outvote the first. On a slow machine, every run of a whole section has such an
   * accident.
   */
  async function runAgain(doubtful: readonly Section[]): Promise<void> {
    let left = results.filter(({ cell }) => doubtful.includes(cell.section)).map(({ cell }) => cell);
    const votes = new Map(left.map((cell) => [cell, results.filter((result) => result.cell === cell)]));
    for (const mostAtOnce of FEW_AT_ONCE) {
      await runAll(left, surroundings, (result) => votes.get(result.cell)?.push(result), mostAtOnce);
      left = left.filter((cell) => winnerOf(votes.get(cell) ?? []) === undefined);
    }
    results = results.map((result) => winnerOf(votes.get(result.cell) ?? []) ?? result);
  }

  test.each(PARTS[part].map(({ name }) => name))("%s", (name) => {
    const own = results.filter(({ cell }) => cell.section.prepared.operation.name === name);
    expect(problemTexts(own, "matrix")).toBe("");
  });

  test("nothing went to another host than the tenant's", () => {
    expect(surroundings.strangers.visitors).toEqual([]);
  });

  test("each cell has the outcome that golden/ has", () => {
    if (only !== undefined) {
      process.stdout.write(results.map((result) => `${result.cell.name}: ${result.class}\n`).join(""));
      return;
    }
    const outcomes = outcomesOf(results);
    const changed = results.flatMap(({ cell, class: now }) => {
      const before = recorded.get(cell);
      return before === undefined || before === now ? [] : [`${cell.name}: ${before} → ${now}`];
    });
    if (!isWritten)
      return expect({ changed, outcomes }).toEqual({ changed: [], outcomes: readOutcomes(part) });
    process.stdout.write([...changed, ""].join("\n"));
    writeOutcomes(part, outcomes);
  });
}

/** Returns the result that two runs of a cell share. */
function winnerOf(votes: readonly Result[]): Result | undefined {
  return votes.find((vote, i) => votes.slice(i + 1).some((other) => isAlike(vote, other)));
}

function isAlike(one: Result, other: Result): boolean {
  return one.class === other.class && one.problems.length === other.problems.length;
}
