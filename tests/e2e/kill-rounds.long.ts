import { describePlan, planOf } from "../kill-rounds/plan";
import { runRound } from "../kill-rounds/round";
import { NEW_SEED } from "../properties";

/** Six of the rounds of `npm run kill-rounds`: three that are always the same, and three new ones. */
const FIXED_SEEDS = [24_000, 24_005, 24_003];
const seeds = [...FIXED_SEEDS, NEW_SEED, NEW_SEED + 5, NEW_SEED + 10];

// A round is a dozen commands of the CLI.

test.each(seeds)("npm run kill-rounds -- --rounds 1 --seed %i", async (seed) => {
  const plan = planOf(seed);
  const outcome = await runRound(plan).catch((error: Error) => {
    throw new Error(`${describePlan(plan)}: ${error.message}`);
  });
  console.log(`${describePlan(plan)}: ${JSON.stringify(outcome)}`);
});
