import { create, measure, type Measured } from "./engine";
import { median } from "./results";
import { NO_LIMIT, withTenant } from "./tenant-process";

/*
 * The cost of a refresh compared with a provider that does nothing. The same stacks take turns, back and
 * forth: a refresh is short, so other work on the machine may hit one more than the other.
 */

const SIZES = [50, 200, 500];
const COMPARED = ["floor", "ours"] as const;
type Subject = (typeof COMPARED)[number];

type Use = Omit<Measured, "operation">;

/** Results of `npm run bench -- --only refresh`. */
export interface RefreshResults {
  /** `2026-11-22` */
  date: string;
  node: string;
  runs: ({ size: number; round: number; subject: Subject } & Use)[];
}

export async function measureRefresh(rounds: number): Promise<RefreshResults> {
  const runs: RefreshResults["runs"] = [];
  for (const size of SIZES) {
    await withTenant(NO_LIMIT, async (tenant) => {
      const stacks = new Map(
        await Promise.all(
          COMPARED.map(async (subject) => [subject, await create(subject, size, tenant)] as const),
        ),
      );
      try {
        for (const stack of stacks.values()) await measure("up", stack, tenant);
        for (let round = 1; round <= rounds; round++) {
          for (const [subject, stack] of round % 2 === 1 ? stacks : [...stacks].reverse()) {
            const { operation: _, ...measured } = await measure("refresh", stack, tenant);
            runs.push({ size, round, subject, ...measured });
          }
        }
      } finally {
        for (const stack of stacks.values()) stack.remove();
      }
    });
  }
  return { date: new Date().toISOString().slice(0, 10), node: process.version, runs };
}

/** Lines of a Markdown table: medians over the rounds, ratios within one round. */
export function refreshTable({ runs }: RefreshResults): string[] {
  const header = [
    "Profiles",
    "Floor, s",
    "Ours, s",
    "Ours ÷ floor",
    "Processor time, ours ÷ floor",
    "Most memory of the host, floor, MiB",
    "Ours, MiB",
  ];
  const rows = [...new Set(runs.map(({ size }) => size))].map((size) => {
    const valuesOf = (subject: Subject, value: (run: Use) => number) =>
      runs
        .filter((run) => run.size === size && run.subject === subject)
        .sort((one, other) => one.round - other.round)
        .map(value);
    const of = (subject: Subject, value: (run: Use) => number) => median(valuesOf(subject, value));
    const ratio = (value: (run: Use) => number) => {
      const floor = valuesOf("floor", value);
      return median(valuesOf("ours", value).map((one, index) => one / (floor[index] ?? NaN)));
    };
    const seconds = (run: Use) => run.seconds;
    const megabytes = (run: Use) => run.hostMegabytes;
    return [
      String(size),
      of("floor", seconds).toFixed(1),
      of("ours", seconds).toFixed(1),
      ratio(seconds).toFixed(2),
      ratio(({ processorSeconds: { host, program, pulumi } }) => host + program + pulumi).toFixed(2),
      of("floor", megabytes).toFixed(0),
      of("ours", megabytes).toFixed(0),
    ];
  });
  return [header, header.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}
