import { readFileSync } from "node:fs";
import { join } from "node:path";
import { engineCost } from "../../bench/fleet/engine-cost";
import { simulate } from "../../bench/fleet/fleet";
import { type SimulationResults } from "../../bench/fleet/results";
import { fleetOf, WORKERS, WORKS } from "../../bench/fleet/scenarios";

const simulation = JSON.parse(
  readFileSync(join(__dirname, "../../docs/simulation.json"), "utf8"),
) as SimulationResults;

test("the simulation was compared with a reality in which nothing was refused", () => {
  expect(
    simulation.reality.compared.filter(({ real, simulated }) => real.refused + simulated.refused > 0),
  ).toEqual([]);
});

test("each work was simulated with each size and number of workers, and nothing was given up", () => {
  const done = simulation.rows.map((row) => [row.work, row.profilesOfStack, row.workers, row.givenUp]);
  const all = WORKS.flatMap(({ name, stackSizes }) =>
    stackSizes.flatMap((size) => WORKERS.map((workers) => [name, size, workers, 0])),
  );
  expect(done).toEqual(all);
});

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
