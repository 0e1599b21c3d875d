import { FIXED_SEED, NEW_SEED } from "../../testkit/properties";
import { useSimulator } from "../../testkit/simulator";
import { compareLeavers } from "./leavers";

/* A few of the leavers of leavers.long.ts. PROPERTY_SEED repeats a run. */

const LEAVERS = 14;
const simulator = useSimulator();

test.each([
  ["the fixed seed", FIXED_SEED],
  ["a new seed", NEW_SEED % 2 ** 30],
])("of %s (%i), what the calculator finds is in the list, and nothing else", async (_, seed) => {
  const { differences } = await compareLeavers(simulator, seed, LEAVERS);
  expect(differences).toEqual([]);
});
