import { readFileSync } from "node:fs";
import { join } from "node:path";
import { engineCost } from "../../bench/fleet/engine-cost";
import { simulate } from "../../bench/fleet/fleet";
import { type SimulationResults } from "../../bench/fleet/results";
import { fleetOf, WORKS } from "../../bench/fleet/scenarios";

const simulation = JSON.parse(
  readFileSync(join(__dirname, "../../docs/simulation.json"), "utf8"),
) as SimulationResults;

test("the simulation still gives what the page shows", async () => {
  const work = WORKS.find(({ profilesPerRequest }) => profilesPerRequest === 10);
  if (work === undefined) throw new Error("No work reads pages of ten.");
  const row = simulation.rows.find(
    (one) => one.work === work.name && one.profilesOfStack === 500 && one.workers === 4,
  );
  const engine = engineCost(simulation.engine, work.operation, 500);
  const { elapsedMs, refused } = await simulate(fleetOf(work, { profilesOfStack: 500, workers: 4, engine }));
  expect({ elapsedMs, refused }).toEqual({ elapsedMs: row?.elapsedMs, refused: row?.refused });
});
