import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type KnobResults, knobsTable } from "../bench/knobs";
import { type EngineResults, tableOf } from "../bench/results";
import { countCells, outcomesTable } from "../tests/faults/outcomes";

/* What docs/ says of measurements, from the files that `npm run bench` and tests write. */

const read = <Results>(name: string) =>
  JSON.parse(readFileSync(join(resolve(__dirname, "../docs"), name), "utf8")) as Results;

const processorTime = (setting: string) => {
  const row = knobsTable(read<KnobResults>("knobs.json"))
    .map((line) => line.split("|").map((cell) => cell.trim()))
    .find(([, one]) => one === setting);
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
  faultCells: () => countCells().toLocaleString("en"),
  timesCores: () => `${read<Times>("times.json").cores} cores`,
  demoTime: () => timeOf("demo"),
  demoFirstTime: () => timeOf("demoFirst"),
  testTime: () => timeOf("test"),
  testLongTime: () => timeOf("testLong"),
  checkTime: () => timeOf("check"),
  faultOutcomes: () => outcomesTable().join("\n"),
  newerNode: () => processorTime("Node.js 22"),
  skipCheckpoints: () => processorTime("`PULUMI_SKIP_CHECKPOINTS=true`"),
};

/** Returns a table or a number of docs/. */
export function measured(name: string): string {
  const text = MEASURED[name]?.();
  if (!text) throw new Error(`docs/ has \`measured: ${name}\`, which nobody measures.`);
  return text;
}
