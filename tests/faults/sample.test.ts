import { prepare, run, useSurroundings } from "./cell";
import { sectionsOf } from "./matrix";
import { WITHOUT_REQUESTS } from "./operations";
import { drawOperations, problemTexts, runPairs, runSample } from "./sample";

/*
 * A sample of matrix-*.long.ts and pairs.long.ts.
 */

const OPERATIONS = 8;
const SINGLE = 40;
const PAIRS = 20;

jest.setTimeout(15 * 60_000);
const surroundings = useSurroundings();

test("one fault, and two different ones in a row", async () => {
  const sections = await sectionsOf(surroundings, "", drawOperations(OPERATIONS));
  const [single, pairs] = await Promise.all([
    runSample(sections, surroundings, SINGLE),
    runPairs(sections, surroundings, PAIRS),
  ]);

  expect(problemTexts(single, "matrix")).toBe("");
  expect(problemTexts(pairs, "pairs")).toBe("");
  expect(single.length).toBeGreaterThan(SINGLE / 2);
  expect(pairs.length).toBeGreaterThan(PAIRS / 2);
});

test.each(WITHOUT_REQUESTS)("$name: nothing is sent that a fault could hit", async (operation) => {
  const { requests, errors } = await run(
    await prepare(operation, surroundings),
    "token",
    undefined,
    surroundings,
  );
  expect({ requests, errors }).toEqual({ requests: [], errors: [] });
});

test("nothing went to another host than the tenant's", () => {
  expect(surroundings.strangers.visitors).toEqual([]);
});
