import { catchLines } from "./host-in-process";
import { sectionsOf } from "./matrix";
import { problemTexts, runPairs } from "./sample";
import { Strangers, Tenants } from "./tenants";

/* The pairs of `npm test`, and more. `FAULT_CELL` is as in matrix.long.ts. */

const PAIRS = 2_000;
const only = process.env["FAULT_CELL"];

const surroundings = { tenants: new Tenants(), strangers: new Strangers() };
let lines: jest.SpyInstance;

beforeAll(async () => {
  lines = catchLines();
  await surroundings.strangers.open();
});

afterAll(async () => {
  lines.mockRestore();
  await surroundings.tenants.close();
  surroundings.strangers.close();
});

test("two different faults in a row at a request", async () => {
  const results = await runPairs(await sectionsOf(surroundings), surroundings, PAIRS, only);
  expect(problemTexts(results, "pairs")).toBe("");
  if (only === undefined) expect(results).toHaveLength(PAIRS);
  else expect(results).not.toEqual([]);
  expect(surroundings.strangers.visitors).toEqual([]);
});
