import { readFileSync } from "node:fs";
import { join } from "node:path";
import { knobsTable, type KnobResults } from "../../bench/knobs";
import { type ListResults, listsTable } from "../../bench/lists";
import { type RefreshResults, refreshTable } from "../../bench/refresh";
import { chartOf, type EngineResults, sizesTableOf, tableOf } from "../../bench/results";
import { engineCost, leastCosts } from "../../bench/fleet/engine-cost";
import { simulate } from "../../bench/fleet/fleet";
import { engineTable, realityTable, type SimulationResults, timesTable } from "../../bench/fleet/results";
import { fleetOf, WORKERS, WORKS } from "../../bench/fleet/scenarios";

const read = (name: string) => readFileSync(join(__dirname, "../../docs", name), "utf8");
// Prettier pads the cells.
const plain = (text: string) => text.replace(/ +/g, " ").replace(/-{3,}/g, "---");
const page = plain(read("contributing/benchmarks.md"));
const simulation = JSON.parse(read("simulation.json")) as SimulationResults;
const bench = JSON.parse(read("bench.json")) as EngineResults;

const tables: [string, string[]][] = [
  ["of commands", tableOf(bench)],
  ["of what the providers take", sizesTableOf(bench)],
  ["of the engine's costs", engineTable(leastCosts(simulation.engine))],
  ["that compares the simulation with reality", realityTable(simulation)],
  ["of the longest lists", listsTable(JSON.parse(read("lists.json")) as ListResults)],
  ["of what can be turned", knobsTable(JSON.parse(read("knobs.json")) as KnobResults)],
];

test.each(tables)("the page has the table %s as it was measured", (_, table) => {
  expect(page).toContain(plain(table.join("\n")));
});

test("the page has the ratios of refresh as they were measured", () => {
  const [, , ...rows] = refreshTable(JSON.parse(read("refresh.json")) as RefreshResults);
  const cells = rows.map((row) => row.split("|").map((cell) => cell.trim()));
  const [few, some, many] = cells.map(([, profiles, , , ratio]) => ({ profiles, ratio }));
  expect(page.replaceAll("\n", " ")).toContain(
    `with ${few?.profiles}, ${some?.profiles} and ${many?.profiles} profiles, a refresh takes ` +
      `${few?.ratio}, ${some?.ratio} and ${many?.ratio} times as long as the floor`,
  );
});

test("the page on scale has the times of the simulated fleet", () => {
  expect(plain(read("scale.md"))).toContain(plain(timesTable(simulation, 500, [1, 2, 4]).join("\n")));
});

test("the chart shows what was measured", () => {
  expect(read("bench.svg")).toBe(chartOf(bench));
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
