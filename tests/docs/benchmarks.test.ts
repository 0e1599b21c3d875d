import { readFileSync } from "node:fs";
import { join } from "node:path";
import { knobsTable, type KnobResults } from "../../bench/knobs";
import { type ListResults, listsTable } from "../../bench/lists";
import { type RefreshResults, refreshTable } from "../../bench/refresh";
import { chartOf, type EngineResults, sizesTableOf, tableOf } from "../../bench/results";
import { engineCost, leastCosts } from "../../bench/fleet/engine-cost";
import { simulate } from "../../bench/fleet/fleet";
import { engineTable, type SimulationResults, timesTable } from "../../bench/fleet/results";
import { fleetOf, WORKERS, WORKS } from "../../bench/fleet/scenarios";

const read = (name: string) => readFileSync(join(__dirname, "../../docs", name), "utf8");
// Prettier pads the cells.
const plain = (text: string) => text.replace(/ +/g, " ").replace(/-{3,}/g, "---");
const page = plain(read("contributing/benchmarks.md"));
const scale = plain(read("scale.md"));
/** The cells of a table's rows; the first one is what stands before the row. */
const cellsOf = ([, , ...rows]: string[]) => rows.map((row) => row.split("|").map((cell) => cell.trim()));
const simulation = JSON.parse(read("simulation.json")) as SimulationResults;
const bench = JSON.parse(read("bench.json")) as EngineResults;

const tables: [string, string[]][] = [
  ["of commands", tableOf(bench)],
  ["of what the providers take", sizesTableOf(bench)],
  ["of the longest lists", listsTable(JSON.parse(read("lists.json")) as ListResults)],
];

test.each(tables)("the page has the table %s as it was measured", (_, table) => {
  expect(page).toContain(plain(table.join("\n")));
});

test("the page has the ratios of refresh as they were measured", () => {
  const cells = cellsOf(refreshTable(JSON.parse(read("refresh.json")) as RefreshResults));
  const [few, some, many] = cells.map(([, profiles, , , ratio]) => ({ profiles, ratio }));
  expect(page.replaceAll("\n", " ")).toContain(
    `with ${few?.profiles}, ${some?.profiles} and ${many?.profiles} profiles, a refresh takes ` +
      `${few?.ratio}, ${some?.ratio} and ${many?.ratio} times as long as the floor`,
  );
});

test("the page compares the simulation with reality, as it was measured", () => {
  for (const { work, real, simulated } of simulation.reality.compared) {
    expect({ work, refused: [real.refused, simulated.refused] }).toEqual({ work, refused: [0, 0] });
    const times = `${real.seconds.toFixed(1)} s real, ${simulated.seconds.toFixed(1)} s simulated`;
    expect(page).toContain(`\n- ${work}: ${times}\n`);
  }
});

test("the page on scale has the times of the simulated fleet", () => {
  expect(scale).toContain(plain(timesTable(simulation, 500, [1, 2, 4]).join("\n")));
});

test("the page on scale has the engine's costs as they were measured", () => {
  const [few, some, many] = cellsOf(engineTable(leastCosts(simulation.engine))).slice(1);
  expect(scale.replaceAll("\n", " ")).toContain(
    `takes ${few?.[4]} hours of processor time in stacks of ${few?.[1]}, ${some?.[4]} in stacks of ${some?.[1]}, ` +
      `and ${many?.[4]} in stacks of ${many?.[1]}.`,
  );
});

test("the page on scale has what settings change, as it was measured", () => {
  const rows = cellsOf(knobsTable(JSON.parse(read("knobs.json")) as KnobResults));
  const processorTime = (setting: string) => rows.find(([, one]) => one === setting)?.[5]?.split(" ")[0];
  expect(scale).toContain(
    `| A preview took ${processorTime("Node.js 22")} times the processor time; with \`NODE_COMPILE_CACHE\`, ` +
      `${processorTime("Node.js 22, `NODE_COMPILE_CACHE`")} times that. |`,
  );
  expect(scale).toContain(
    `| An \`up\` took ${processorTime("`PULUMI_SKIP_CHECKPOINTS=true`")} times the processor time, `,
  );
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
