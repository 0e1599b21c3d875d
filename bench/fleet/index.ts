import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { engineCost, leastCosts, measureEngine } from "./engine-cost";
import { simulate } from "./fleet";
import { compareWithReality } from "./reality";
import { engineTable, fleetTable, realityTable, type Row, type SimulationResults } from "./results";
import { fleetOf, PROFILES, WORKERS, WORKS } from "./scenarios";

const FILE = join(__dirname, "../../docs/simulation.json");

const USAGE = `Usage: node --import tsx bench/fleet/index.ts [options]

Simulates how ${PROFILES.toLocaleString("en-US")} connection profiles in many stacks are created and refreshed by several workers that share the rate limit
of one tenant: with the package's own governor, in virtual time. Chance is seeded: each run gives the same numbers.
It takes some minutes.

Options:
  --measure  First measures what the engine takes by itself, with the real Pulumi CLI. On Linux only; half an hour.
  --reality  First does a small part of it in real time, to compare: about five minutes.
  --write    Writes docs/simulation.json. docs/scale.md has its times.
  --help     This text.
`;

async function simulateAll(engine: SimulationResults["engine"]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const work of WORKS) {
    for (const profilesOfStack of work.stackSizes) {
      for (const workers of WORKERS) {
        const cost = engineCost(engine, work.operation, profilesOfStack);
        const {
          done,
          sendingMs: _,
          ...result
        } = await simulate(fleetOf(work, { profilesOfStack, workers, engine: cost }));
        rows.push({ work: work.name, profilesOfStack, workers, requests: done.length, ...result });
      }
    }
  }
  return rows;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      measure: { type: "boolean", default: false },
      reality: { type: "boolean", default: false },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const before = existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as SimulationResults) : undefined;
  const engine = values.measure || before === undefined ? await measureEngine(3) : before.engine;
  const reality = values.reality || before === undefined ? await compareWithReality(engine) : before.reality;
  const results: SimulationResults = { engine, reality, rows: await simulateAll(engine) };
  const tables = [
    engineTable(leastCosts(engine)),
    realityTable(results),
    ...WORKS.map(({ name }) => [`${name}:`, "", ...fleetTable(results, name)]),
  ];
  for (const table of tables) console.log(`${table.join("\n")}\n`);
  if (values.write) writeFileSync(FILE, `${JSON.stringify(results, undefined, 2)}\n`);
}

void main();
