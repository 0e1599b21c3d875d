import fc, { FIXED_SEED, NEW_SEED, runsOf } from "../../../testkit/properties";
import { type Fault } from "../../../simulator";
import { catchLines, inProcess } from "../../../testkit/hosts/host-in-process";
import { Engine, type Program, type Run, RunFailed } from "../../../testkit/engine";
import { type Tenant } from "../../../testkit/tenant";

/*
 * Random walks of program edits, outside edits, refreshes and failures, compared with a small model. After
 * every successful `up`, the tenant matches the program in everything that it owns, and is otherwise
 * untouched. The preview showed everything that happened, and another `up` has nothing to do.
 */

const LONGEST_MS = 600_000;

/** Number of new seeds. Each run has one; more are for a search by hand. */
const NEW_SEEDS = Array.from({ length: Number(process.env["WALK_SEEDS"] ?? 1) }, (_, i) => NEW_SEED + i);

/** Tests the fixed seed, and a new one with half as many walks. */
export function testWalks<Ts>(numRuns: number, property: fc.IAsyncPropertyWithHooks<Ts>): void {
  catchLines();
  const run = (seed: number, all: number) =>
    fc.assert(property, { seed, numRuns: runsOf(all), interruptAfterTimeLimit: LONGEST_MS - 120_000 });

  test("walks", () => run(FIXED_SEED, numRuns), LONGEST_MS);

  test.each(NEW_SEEDS)(
    "walks of a new seed: PROPERTY_SEED=%i npm test -- tests/host/walk repeats them",
    (seed) => run(seed, Math.ceil(numRuns / 2)),
    LONGEST_MS,
  );
}

/** A failure of one of the next writes. */
const fault = (methods: Fault["method"][], actions: Fault["action"][]): fc.Arbitrary<Fault> =>
  fc.record({
    method: fc.constantFrom(...methods),
    path: fc.constant("/api/v2/*"),
    after: fc.nat({ max: 1 }),
    action: fc.constantFrom(...actions),
  });

const NOT_DONE: Fault["action"][] = [{ status: 500 }, { drop: "before" }];
const TOO_MANY: Fault["action"] = { status: 429, headers: { "retry-after": "0", "x-ratelimit-reset": "1" } };
const faults = fc.oneof(
  { weight: 10, arbitrary: fault(["POST", "PATCH", "DELETE"], [{ status: 403 }, { drop: "after" }]) },
  { weight: 5, arbitrary: fault(["PATCH", "DELETE"], NOT_DONE) },
  // These take seconds: the client waits for the rate limit, and a create looks three times before it's sent
  // again.
  { weight: 1, arbitrary: fault(["POST", "PATCH", "DELETE"], [TOO_MANY]) },
  { weight: 1, arbitrary: fault(["POST"], NOT_DONE) },
);

type Step<Edit, Outside> =
  | { do: "up"; program: Edit; fault: Fault | undefined }
  | { do: "outside"; edit: Outside }
  | { do: "refresh" };

export function steps<Edit, Outside>(edits: fc.Arbitrary<Edit>, outside: fc.Arbitrary<Outside>) {
  const step: fc.Arbitrary<Step<Edit, Outside>> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("up" as const),
        program: edits,
        fault: fc.option(faults, { nil: undefined, freq: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("outside" as const), edit: outside }) },
    { weight: 1, arbitrary: fc.constant({ do: "refresh" as const }) },
  );
  return fc.array(step, { minLength: 2, maxLength: 6 });
}

/** A resource kind's part of its walk. */
export interface Model<Edit, Outside> {
  program(edit: Edit): Program;
  outside(edit: Outside, engine: Engine): Promise<void>;
  /** Called before an `up` to this program, with the tenant as it is then. */
  before(edit: Edit, engine: Engine): void;
  /** The tenant must be as the program wants. */
  expectAsWanted(edit: Edit): void | Promise<void>;
}

export async function walk<Edit, Outside>(
  tenant: Tenant,
  walked: Step<Edit, Outside>[],
  model: Model<Edit, Outside>,
): Promise<void> {
  const engine = new Engine(tenant, { parallel: 1, startHost: inProcess });
  // The last look for a lost create's profile comes this late.
  engine.config["identity:requestTimeoutSeconds"] = "4";
  // An up sees what a refresh has seen.
  let stale = false;
  const refresh = async () => {
    await engine.refresh();
    stale = false;
  };

  for (const step of walked) {
    if (step.do === "refresh") {
      await refresh();
    } else if (step.do === "outside") {
      tenant.sent();
      await model.outside(step.edit, engine);
      stale = true;
    } else {
      const edit = step.program;
      const program = model.program(edit);
      if (stale) await refresh();
      model.before(edit, engine);
      tenant.sent();
      const planned = await engine.preview(program);
      expect(tenant.sent().filter((line) => !/^(token|GET )/.test(line))).toEqual([]);

      if (step.fault !== undefined) tenant.fail(step.fault);
      const run = await attempt(engine, program);
      tenant.clear();
      if (run !== undefined) expect(run.steps.sort()).toEqual(planned.steps.sort());
      if (run === undefined) {
        // The next up finishes what a failure left behind.
        model.before(edit, engine);
        await engine.up(program);
      }
      await model.expectAsWanted(edit);
      tenant.clear();
      expect((await engine.up(program)).steps).toEqual([]);
      expect(tenant.sent()).toEqual([]);
    }
  }
  // A last refresh finds nothing changed.
  if (!stale) expect((await engine.refresh()).steps).toEqual([]);
}

async function attempt(engine: Engine, program: Program): Promise<Run | undefined> {
  try {
    return await engine.up(program);
  } catch (error) {
    if (error instanceof RunFailed) return undefined;
    throw error;
  }
}
