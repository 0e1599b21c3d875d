import fc from "fast-check";
import { type WayName } from "../../testkit/ways";

const DOORS: readonly WayName[] = ["the classes", "the classes of /plugin", "YAML"];
const COMMANDS = ["up from nothing", "up with changes", "refresh", "destroy"] as const;
const VICTIMS = ["CLI", "provider host"] as const;
const SIGNALS = ["SIGKILL", "SIGTERM", "SIGINT"] as const;

/** The program, the victim and the moment of the kill. */
export interface Plan {
  seed: number;
  /** How the program declares its resources. */
  door: WayName;
  command: (typeof COMMANDS)[number];
  victim: (typeof VICTIMS)[number];
  signal: (typeof SIGNALS)[number];
  /**
   * Send the signal this many milliseconds after the tenant has answered this many requests of the command.
   */
  afterAnswers: number;
  afterMs: number;
  /** Milliseconds by which the tenant delays its answers. */
  slowness: number;
  /** True if the tenant refuses a second profile with the same name. */
  uniqueNames: boolean;
}

/** About the number of requests that a command sends, including the token's. */
const REQUESTS = { "up from nothing": 21, "up with changes": 22, refresh: 6, destroy: 18 } as const;

/** Consecutive seeds go through all commands, then doors, victims and signals. */
const COMBINATIONS = SIGNALS.flatMap((signal) =>
  VICTIMS.flatMap((victim) =>
    DOORS.flatMap((door) => COMMANDS.map((command) => ({ command, door, victim, signal }))),
  ),
);

export function planOf(seed: number): Plan {
  const combination = COMBINATIONS[seed % COMBINATIONS.length] as (typeof COMBINATIONS)[number];
  const chance = fc.noBias(
    fc.record({
      afterAnswers: fc.integer({ min: 1, max: REQUESTS[combination.command] - 2 }),
      afterMs: fc.integer({ min: 0, max: 200 }),
      slowness: fc.integer({ min: 50, max: 400 }),
      uniqueNames: fc.boolean(),
    }),
  );
  const [drawn] = fc.sample(chance, { seed, numRuns: 1 });
  if (drawn === undefined) throw new Error("Nothing was drawn.");
  return { seed, ...combination, ...drawn };
}

/** In one line. */
export function describePlan({
  seed,
  command,
  door,
  victim,
  signal,
  afterAnswers,
  afterMs,
  slowness,
  uniqueNames,
}: Plan): string {
  const names = uniqueNames ? "unique names" : "equal names allowed";
  return (
    `seed ${seed}: ${command} through ${door}, ${signal} to the ${victim} ${afterMs} ms after answer ${afterAnswers}, ` +
    `answers take ${slowness} ms, ${names}`
  );
}
