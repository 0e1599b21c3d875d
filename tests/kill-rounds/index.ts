import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { describePlan, planOf } from "./plan";
import { RecoveryPage } from "./recovery-page";
import { type Outcome, runRound } from "./round";

const USAGE = `Usage: npm run kill-rounds -- [--rounds N] [--seed N]

Kills real runs of the Pulumi CLI, or their provider host, at random moments, recovers as docs/recovery.md says, and
compares program, state and tenant. Round i has the seed <seed> + i, and 72 in a row take each command, way in, victim
and signal once. On Linux only: it finds the processes in /proc.

Options:
  --rounds N  How many. Default: 72.
  --seed N    Seed of the first round. Default: a new one.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { rounds: { type: "string" }, seed: { type: "string" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (process.platform !== "linux") throw new Error("The rounds run on Linux only.");
  const rounds = wholeNumber("--rounds", values.rounds ?? "72");
  const first = wholeNumber("--seed", values.seed ?? String(randomInt(2 ** 30)));
  console.log(`${rounds} rounds, seeds ${first} to ${first + rounds - 1}`);
  const page = new RecoveryPage();
  const totals = { recovered: 0, failed: 0, late: 0, adopted: 0 };
  for (let seed = first; seed < first + rounds; seed++) {
    const plan = planOf(seed);
    const start = performance.now();
    try {
      const outcome = await runRound(plan, page);
      totals.recovered++;
      totals.adopted += outcome.adopted;
      if (!outcome.wasHit) totals.late++;
      const seconds = Math.round((performance.now() - start) / 1000);
      console.log(`${describePlan(plan)}: ${describeOutcome(outcome)}, ${seconds} s`);
    } catch (error) {
      totals.failed++;
      console.log(
        `${describePlan(plan)}: FAILED. To repeat it: npm run kill-rounds -- --rounds 1 --seed ${seed}`,
      );
      console.log((error as Error).message);
    }
  }
  console.log(
    `${totals.recovered} recovered, ${totals.failed} failed; ${totals.adopted} profiles adopted; in ${totals.late} round(s) ` +
      "the run had ended before the signal.",
  );
  if (totals.failed > 0) process.exitCode = 1;
}

function wholeNumber(option: string, text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new Error(`${option} must be a whole number, not "${text}".`);
}

function describeOutcome({ wasHit, answered, adopted }: Outcome): string {
  if (!wasHit) return "recovered, but the run had ended before the signal";
  return `recovered (hit after answer ${answered}, ${adopted} adopted)`;
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
});
