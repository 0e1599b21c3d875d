import fc from "../../properties";
import { type Fault } from "../../simulator";
import { Engine, type Program, type Run, RunFailed } from "../engine";
import { type Tenant } from "../tenant";

/*
 * Random walks of program edits, outside edits, refreshes and failures, compared with a small model: after every `up`
 * that succeeds the tenant is as the program wants for what the program owns, untouched otherwise, what happened is
 * what the preview showed, and another `up` has nothing to do.
 */

export const walks = (numRuns: number) => ({ numRuns, interruptAfterTimeLimit: 100_000 });
jest.setTimeout(120_000);

/** A failure of one of the next writes. */
const fault: fc.Arbitrary<Fault> = fc.record({
  method: fc.constantFrom("POST", "PATCH", "DELETE"),
  path: fc.constant("/api/v2/*"),
  after: fc.nat({ max: 1 }),
  action: fc.constantFrom<Fault["action"]>(
    { status: 500 },
    { status: 403 },
    { status: 429, headers: { "retry-after": "0", "x-ratelimit-reset": "1" } },
    { drop: "before" },
    { drop: "after" },
  ),
});

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
        fault: fc.option(fault, { nil: undefined, freq: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("outside" as const), edit: outside }) },
    { weight: 1, arbitrary: fc.constant({ do: "refresh" as const }) },
  );
  return fc.array(step, { minLength: 2, maxLength: 6 });
}

/** What a kind of resource brings along for its walk. */
export interface Model<Edit, Outside> {
  program(edit: Edit): Program;
  outside(edit: Outside, engine: Engine): Promise<void>;
  /** Before an `up` to this program, by the tenant as it is then. */
  before(edit: Edit, engine: Engine): void;
  /** The tenant must be as the program wants. */
  expectAsWanted(edit: Edit): void;
}

export async function walk<Edit, Outside>(
  tenant: Tenant,
  walked: Step<Edit, Outside>[],
  model: Model<Edit, Outside>,
): Promise<void> {
  const engine = new Engine(tenant, { parallel: 1 });
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
      if (stale) await refresh();
      const program = model.program(step.program);
      model.before(step.program, engine);
      tenant.sent();
      const planned = await engine.preview(program);
      expect(tenant.sent().filter((line) => !/^(token|GET )/.test(line))).toEqual([]);

      if (step.fault !== undefined) tenant.fail(step.fault);
      const run = await attempt(engine, program);
      tenant.clear();
      // What a failure left behind is finished by the next up.
      if (run === undefined) await engine.up(program);
      else expect(run.steps).toEqual(planned.steps);
      model.expectAsWanted(step.program);
      tenant.clear();
      expect((await engine.up(program)).steps).toEqual([]);
      expect(tenant.sent()).toEqual([]);
    }
  }
  // A last refresh of what is in place finds nothing.
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
