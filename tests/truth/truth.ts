import fc from "fast-check";
import { type ClaimName, type Violation } from "./claims";
import { shrink } from "./shrink";
import { StateBroken } from "./stage";
import { Story, type Verdict } from "./story";
import { type World, worlds } from "./world";
import { worldText } from "./world-text";

type StageMaker = Parameters<typeof Story.begin>[2];

export interface Search {
  worlds: number;
  /** Of the first world; the next one has the next. */
  seed: number;
  /** Worlds at once. */
  atOnce?: number;
  without?: readonly ClaimName[];
  stage?: StageMaker;
  /** Milliseconds after which no further world begins. */
  limitMs?: number;
  /** Milliseconds for the search of a smaller world that fails alike. */
  shrinkMs?: number;
  onFailure?: (failure: FailedWorld) => void;
  onProgress?: (done: number) => void;
}

export interface FailedWorld {
  seed: number;
  claims: ClaimName[];
  violations: Violation[];
  /** The smallest that was found, as a program. */
  text: string;
}

export interface Found {
  worlds: number;
  outcomes: Record<string, number>;
  failed: FailedWorld[];
}

interface Judged {
  outcome: string;
  failure?: FailedWorld;
}

export async function live(
  world: World,
  without: readonly ClaimName[] = [],
  stage?: StageMaker,
): Promise<Verdict> {
  const story = await Story.begin(world, without, stage);
  try {
    for (const { outside, refresh, taint, program, options, fault, killAt } of world.earlier) {
      for (const one of outside) await story.outside(one);
      if (refresh) await story.refresh();
      await story.taint(...taint);
      await story.up(program, { ...options, fault, killAt });
    }
    const { outside, refresh, taint, program, options, flags, read } = world.judged;
    for (const one of outside) await story.outside(one);
    if (refresh) await story.refresh();
    await story.taint(...taint);
    return await story.judge(program, { ...options, flags, read });
  } finally {
    await story.end();
  }
}

export async function search({
  worlds: count,
  seed,
  atOnce = 8,
  without = [],
  stage,
  limitMs = Infinity,
  shrinkMs = 30_000,
  onFailure,
  onProgress,
}: Search): Promise<Found> {
  const found: Found = { worlds: 0, outcomes: {}, failed: [] };
  const end = performance.now() + limitMs;
  let next = 0;
  const worker = async () => {
    while (next < count && performance.now() < end) {
      const own = seed + next++;
      const { outcome, failure } = await judgeSeed(own, without, stage, shrinkMs).catch(
        (cause: unknown): Judged => {
          if (cause instanceof StateBroken) return { outcome: "given up, Pulumi can't read its own state" };
          throw new Error(`World ${own} could not be lived through.`, { cause });
        },
      );
      found.worlds++;
      found.outcomes[outcome] = (found.outcomes[outcome] ?? 0) + 1;
      if (failure !== undefined) {
        found.failed.push(failure);
        onFailure?.(failure);
      }
      onProgress?.(found.worlds);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return found;
}

/** The world of a seed; a failing one is made smaller as long as it fails by the same claim. */
async function judgeSeed(
  seed: number,
  without: readonly ClaimName[],
  stage: StageMaker,
  shrinkMs: number,
): Promise<Judged> {
  const [drawn] = fc.sample(worlds, { seed, numRuns: 1 });
  if (drawn === undefined) throw new Error("No world was drawn.");
  const verdict = await live(drawn, without, stage);
  const outcome = verdict.outcome.split(":")[0] ?? "";
  const [first] = verdict.violations;
  if (first === undefined) return { outcome };
  let { violations } = verdict;
  const fails = async (smaller: World) => {
    const again = await live(smaller, without, stage);
    const isAlike = again.violations.some(({ claim }) => claim === first.claim);
    if (isAlike) violations = again.violations;
    return isAlike;
  };
  const world = await shrink(drawn, fails, shrinkMs);
  return {
    outcome,
    failure: {
      seed,
      claims: [...new Set(verdict.violations.map(({ claim }) => claim))],
      violations,
      text: worldText(world, violations),
    },
  };
}
