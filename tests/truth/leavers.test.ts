import { FIXED_SEED, isLong, NEW_SEED } from "../../testkit/properties";
import { useSimulator } from "../../testkit/simulator";
import { compareLeavers } from "./leavers";

/* People who leave a tenant of 5,000: a few in `npm test`. PROPERTY_SEED repeats a run. */

const LEAVERS = isLong ? 200 : 14;
const simulator = useSimulator();

test.each([
  ["the fixed seed", FIXED_SEED],
  ["a new seed", NEW_SEED % 2 ** 30],
])("of %s (%i), what the calculator finds is in the list, and nothing else", async (_, seed) => {
  const { differences, ...tally } = await compareLeavers(simulator, seed, LEAVERS);
  process.stdout.write(`seed ${seed}: ${JSON.stringify(tally)}\n`);
  expect(differences.slice(0, 3).join("\n")).toBe("");
  expect(tally.leavers).toBe(LEAVERS);
  if (!isLong) return;
  // It found what it is to find.
  expect(tally.found).toBeGreaterThan(LEAVERS * 3);
  for (const number of [tally.nothing, tally.gone, tally.onlyMembers, tally.lacking])
    expect(number).toBeGreaterThan(0);
});
