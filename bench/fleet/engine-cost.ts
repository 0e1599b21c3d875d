import { cpus } from "node:os";
import { type Cost, costOf, profileStack } from "../profile-stack";
import { NO_LIMIT, withTenant } from "../tenant-process";

/**
 * Measures real commands on stacks of several sizes, with a nearby tenant without a limit, so that only the
 * engine's time remains.
 */
export interface MeasuredEngine {
  date: string;
  node: string;
  cores: number;
  runs: ({ round: number; profiles: number } & Record<Operation, Cost>)[];
}

/** The engine's own share of a run, without the tenant. */
export interface EngineCost {
  /** Start of the command, the program and the provider host. */
  startMs: number;
  /** Per profile, one after the other. */
  profileMs: number;
}

export type Operation = "up" | "refresh";

/** One profile, for the cost of starting, and the simulated sizes. */
const SIZES = [1, 100, 500];
/** Takes minutes, so it's measured only once. */
const LARGEST = 1_000;

export async function measureEngine(rounds: number): Promise<MeasuredEngine> {
  const runs: MeasuredEngine["runs"] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const profiles of SIZES) runs.push({ round, profiles, ...(await measure(profiles)) });
  }
  runs.push({ round: 1, profiles: LARGEST, ...(await measure(LARGEST)) });
  return { date: new Date().toISOString().slice(0, 10), node: process.version, cores: cpus().length, runs };
}

function measure(profiles: number): Promise<Record<Operation, Cost>> {
  return withTenant(NO_LIMIT, async (tenant) => {
    const stack = await profileStack(tenant, { count: profiles, names: "measured" });
    try {
      const up = await costOf(stack, () => stack.up());
      return { up, refresh: await costOf(stack, () => stack.refresh()) };
    } finally {
      stack.remove();
    }
  });
}

/**
 * Returns processor time, the minimum of all rounds, because other work on the machine only adds to it. The
 * engine handles its resources one by one, so on a machine of its own this is about the elapsed time.
 */
export function leastCosts({ runs }: MeasuredEngine): { profiles: number; up: number; refresh: number }[] {
  const sizes = [...new Set(runs.map(({ profiles }) => profiles))];
  return sizes.map((profiles) => {
    const least = (operation: Operation) =>
      Math.min(...runs.filter((run) => run.profiles === profiles).map((run) => run[operation].cpuSeconds));
    return { profiles, up: least("up"), refresh: least("refresh") };
  });
}

export function engineCost(measured: MeasuredEngine, operation: Operation, profiles: number): EngineCost {
  const costs = leastCosts(measured);
  const milliseconds = (size: number) => {
    const cost = costs.find((one) => one.profiles === size);
    if (cost === undefined) throw new Error(`Stacks of ${size} profiles have not been measured.`);
    return cost[operation] * 1000;
  };
  const startMs = milliseconds(1);
  return { startMs, profileMs: (milliseconds(profiles) - startMs) / (profiles - 1) };
}
