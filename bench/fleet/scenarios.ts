import { type EngineCost, type Operation } from "./engine-cost";
import { type Fleet } from "./fleet";

export const PROFILES = 100_000;
const STACK_SIZES = [100, 500, 1_000];
export const WORKERS = [1, 2, 4, 8, 16];

export interface Work {
  name: string;
  operation: Operation;
  stackSizes: number[];
  profilesPerRequest: number;
  parallel: number;
}

/** The default of `--parallel` on two cores. */
const PARALLEL = 8;

export const WORKS: Work[] = [
  {
    name: "Create all",
    operation: "up",
    stackSizes: STACK_SIZES,
    profilesPerRequest: 1,
    parallel: PARALLEL,
  },
  // If the tenant's list has a stack's profiles in its order, pages of ten are read one after the other.
  {
    name: "Refresh all, 10 profiles a request",
    operation: "refresh",
    stackSizes: STACK_SIZES,
    profilesPerRequest: 10,
    parallel: 1,
  },
  // If others come before them, up to 3 wasted pages and 10 single reads per ten profiles.
  {
    name: "Refresh all, 1.3 requests a profile",
    operation: "refresh",
    stackSizes: [500],
    profilesPerRequest: 1 / 1.3,
    parallel: PARALLEL,
  },
];

/** All profiles, on a tenant of the largest plan, 20 to 80 ms away. */
export function fleetOf(
  { profilesPerRequest, parallel }: Work,
  { profilesOfStack, workers, engine }: { profilesOfStack: number; workers: number; engine: EngineCost },
): Fleet {
  return {
    stacks: PROFILES / profilesOfStack,
    profiles: profilesOfStack,
    workers,
    profilesPerRequest,
    parallel,
    engine,
    rate: { burst: 50, perSecond: 16 },
    latency: { least: 20, most: 80 },
    seed: 1,
  };
}
