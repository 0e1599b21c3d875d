import { useSurroundings } from "./cell";
import { sectionsOf } from "./matrix";
import { problemTexts, runPairs } from "./sample";

/* The pairs of `npm test`, and more. `FAULT_CELL` is as in matrix.long.ts. */

const PAIRS = 1_000;
const only = process.env["FAULT_CELL"];

const surroundings = useSurroundings();

test("two different faults in a row at a request", async () => {
  const results = await runPairs(await sectionsOf(surroundings), surroundings, PAIRS, only);
  expect(problemTexts(results, "pairs")).toBe("");
  if (only === undefined) expect(results).toHaveLength(PAIRS);
  else expect(results).not.toEqual([]);
  expect(surroundings.strangers.visitors).toEqual([]);
});
