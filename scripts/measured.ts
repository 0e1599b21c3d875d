import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { leastCosts } from "../bench/fleet/engine-cost";
import { engineTable, type SimulationResults, timesTable } from "../bench/fleet/results";
import { type KnobResults, knobsTable } from "../bench/knobs";
import { type ListResults, listsTable } from "../bench/lists";
import { type RefreshResults, refreshTable } from "../bench/refresh";
import { countCells, outcomesTable } from "../tests/faults/outcomes";
import { chartOf, type EngineResults, sizesTableOf, tableOf } from "../bench/results";

/* What docs/ says of measurements, from the files that `npm run bench`, bench/fleet and tests write. */

const read = <Results>(name: string) =>
  JSON.parse(readFileSync(join(resolve(__dirname, "../docs"), name), "utf8")) as Results;

/** The cells of a table's rows; the first one is what stands before the row. */
const cellsOf = ([, , ...rows]: string[]) => rows.map((row) => row.split("|").map((cell) => cell.trim()));
const listed = (words: (string | undefined)[]) => `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
const ratiosOfRefresh = (column: number) =>
  listed(cellsOf(refreshTable(read<RefreshResults>("refresh.json"))).map((cells) => cells[column]));

const hours = () =>
  cellsOf(engineTable(leastCosts(read<SimulationResults>("simulation.json").engine)))
    .slice(1)
    .map(([, size, , , processorTime]) => ({ size, processorTime }));

const processorTime = (setting: string) => {
  const row = cellsOf(knobsTable(read<KnobResults>("knobs.json"))).find(([, one]) => one === setting);
  return row?.[5]?.split(" ")[0] ?? "";
};

/** docs/times.json: how long the commands took when somebody last measured them. */
interface Times {
  date: string;
  cores: number;
  seconds: Record<"demo" | "demoFirst" | "test" | "testLong" | "check", number>;
}

/** `26 seconds`, `7 minutes` */
function timeOf(command: keyof Times["seconds"]): string {
  const seconds = read<Times>("times.json").seconds[command];
  if (seconds < 60) return `${Math.round(seconds)} seconds`;
  return seconds < 90 ? "a minute" : `${Math.round(seconds / 60)} minutes`;
}

const MEASURED: Readonly<Record<string, () => string>> = {
  commands: () => tableOf(read<EngineResults>("bench.json")).join("\n"),
  sizes: () => sizesTableOf(read<EngineResults>("bench.json")).join("\n"),
  lists: () => listsTable(read<ListResults>("lists.json")).join("\n"),
  refreshSizes: () => ratiosOfRefresh(1),
  refreshRatios: () => ratiosOfRefresh(4),
  fleet: () => timesTable(read<SimulationResults>("simulation.json"), 500, [1, 2, 4]).join("\n"),
  reality: () =>
    read<SimulationResults>("simulation.json")
      .reality.compared.map(
        ({ work, real, simulated }) =>
          `- ${work}: ${real.seconds.toFixed(1)} s real, ${simulated.seconds.toFixed(1)} s simulated`,
      )
      .join("\n"),
  faultCells: () => countCells().toLocaleString("en"),
  timesCores: () => `${read<Times>("times.json").cores} cores`,
  demoTime: () => timeOf("demo"),
  demoFirstTime: () => timeOf("demoFirst"),
  testTime: () => timeOf("test"),
  testLongTime: () => timeOf("testLong"),
  checkTime: () => timeOf("check"),
  faultOutcomes: () => outcomesTable().join("\n"),
  hoursFew: () => hours()[0]?.processorTime ?? "",
  hoursSome: () => hours()[1]?.processorTime ?? "",
  hoursMany: () => hours()[2]?.processorTime ?? "",
  newerNode: () => processorTime("Node.js 22"),
  compileCache: () => processorTime("Node.js 22, `NODE_COMPILE_CACHE`"),
  skipCheckpoints: () => processorTime("`PULUMI_SKIP_CHECKPOINTS=true`"),
};

/** Returns a table, a list or a number of docs/. */
export function measured(name: string): string {
  const text = MEASURED[name]?.();
  if (!text) throw new Error(`docs/ has \`measured: ${name}\`, which nobody measures.`);
  return text;
}

/** The chart of docs/bench.svg. */
export function chart(): string {
  return chartOf(read<EngineResults>("bench.json"));
}
