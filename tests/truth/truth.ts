import fc from "fast-check";
import { type Program } from "../../testkit/engine";
import { type ClaimName, type Violation } from "./claims";
import { shrink } from "../../testkit/worlds/shrink";
import { StateBroken } from "../../testkit/worlds/stage";
import { type Between, Story, type Verdict } from "./story";
import { type World, worlds } from "../../testkit/worlds/world";
import { text } from "../../testkit/engine/program-text";

type StageMaker = Parameters<typeof Story.begin>[2];

/**
 * New seeds leave these to `npm run truth`: a held run has the known false refusals of docs/held.md, and what
 * a review finds of rules still differs from this oracle in one world of some hundreds.
 */
export const RARE: readonly ClaimName[] = ["held", "said breach", "unsaid breach"];

export interface Search {
  worlds: number;
  /** The first world's seed; the next world has the next one. */
  seed: number;
  /** Worlds at once. */
  atOnce?: number;
  without?: readonly ClaimName[];
  stage?: StageMaker;
  /** True if something happens between the review and the run held to it. */
  changed?: boolean;
  /** Milliseconds for finding a smaller world with the same failure. */
  shrinkMs?: number;
  onFailure?: (failure: FailedWorld) => void;
  onProgress?: (done: number) => void;
}

interface FailedWorld {
  seed: number;
  claims: ClaimName[];
  violations: Violation[];
  /** The violations, and the smallest world found, as JavaScript. */
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

async function live(world: World, without: readonly ClaimName[] = [], stage?: StageMaker): Promise<Verdict> {
  const story = await Story.begin(world, without, stage);
  try {
    await liveUntilJudged(story, world);
    const { program, options, read, rules, auth0 } = world.judged;
    return await story.judge(program, { ...options, read, rules, auth0 });
  } finally {
    await story.end();
  }
}

async function liveUntilJudged(story: Story, { earlier, judged }: World): Promise<void> {
  for (const [place, one] of earlier.entries()) {
    const { outside, refresh, taint, program, options, fault, killAt } = one;
    story.begin(place - earlier.length);
    for (const one of outside) await story.outside(one);
    if (refresh) await story.refresh();
    await story.taint(...taint);
    await story.up(program, { ...options, fault, killAt });
  }
  story.begin(0);
  const { outside, refresh, taint } = judged;
  for (const one of outside) await story.outside(one);
  if (refresh) await story.refresh();
  await story.taint(...taint);
}

/** Possible events between a review and its run; `other` is a world of the same program's resources. */
const HAPPENINGS: readonly ((world: World, other: World, pick: number) => Between)[] = [
  // The tenant.
  ({ judged }, other) => ({
    happens: (story) => outsideAll(story, [judged, ...other.earlier, other.judged]),
  }),
  // The state: another run came first.
  (_world, other) => ({
    happens: async (story) => void (await story.up(other.judged.program, other.judged.options)),
  }),
  // The state, after other people's changes to the tenant.
  ({ judged }, other) => ({
    happens: async (story) => {
      await outsideAll(story, [...other.earlier, other.judged]);
      await story.refresh();
      await story.taint(...Object.keys(judged.program).slice(0, 2));
    },
  }),
  // The program.
  (_world, other) => ({ ...nothing, program: other.judged.program, options: { parallel: 8 } }),
  ({ judged }, other) => ({ ...nothing, program: { ...judged.program, ...other.judged.program } }),
  // The configuration: the tenant, and the resources.
  () => ({ ...nothing, isSwapped: true }),
  (_world, other) => ({ ...nothing, options: other.judged.options }),
  ({ judged }, _other, pick) => ({ ...nothing, program: withoutGroup(judged.program, pick) }),
  ({ judged }, _other, pick) => ({
    ...nothing,
    program: without(judged.program, pickOf(Object.keys(judged.program), pick)),
  }),
  // A resource that the review creates is gone, such as the new name of a renamed one.
  ({ earlier, judged }, _other, pick) => {
    const before = earlier.at(-1)?.program ?? {};
    const made = Object.keys(judged.program).filter((key) => !(key in before));
    return { ...nothing, program: without(judged.program, pickOf(made, pick)) };
  },
  // The order.
  ({ judged }) => ({
    ...nothing,
    program: Object.fromEntries(Object.entries(judged.program).reverse()),
    options: { ...judged.options, parallel: judged.options.parallel === 1 ? 8 : 1 },
  }),
];
const nothing = { happens: () => Promise.resolve() };

function pickOf<T>(all: readonly T[], pick: number): T | undefined {
  return all[pick % Math.max(1, all.length)];
}

function without(program: Program, key: string | undefined): Program {
  return Object.fromEntries(Object.entries(program).filter(([name]) => name !== key));
}

/** One assignment lists a group less. */
function withoutGroup(program: Program, pick: number): Program {
  const several = Object.entries(program).filter(
    ([, { inputs }]) => Array.isArray(inputs["groupIds"]) && inputs["groupIds"].length > 1,
  );
  const [key, resource] = pickOf(several, pick) ?? [];
  if (key === undefined || resource === undefined) return program;
  const groupIds = (resource.inputs["groupIds"] as unknown[]).slice(1);
  return { ...program, [key]: { ...resource, inputs: { ...resource.inputs, groupIds } } };
}

async function outsideAll(story: Story, acts: readonly Pick<World["judged"], "outside">[]): Promise<void> {
  for (const { outside } of acts) for (const one of outside) await story.outside(one);
}

/** Runs a world in which something happens between the review and the run. */
async function liveChanged(world: World, seed: number, stage?: StageMaker): Promise<Verdict> {
  const other = drawn(seed + 1_000_003);
  const happening = HAPPENINGS[seed % HAPPENINGS.length] as (typeof HAPPENINGS)[number];
  // Both worlds share this one's tenants.
  const story = await Story.begin(world, [], stage);
  try {
    await liveUntilJudged(story, world);
    return await story.judgeChanged(
      world.judged,
      happening(world, other, Math.floor(seed / HAPPENINGS.length)),
    );
  } finally {
    await story.end();
  }
}

function drawn(seed: number): World {
  const [world] = fc.sample(worlds, { seed, numRuns: 1 });
  if (world === undefined) throw new Error("No world was drawn.");
  return world;
}

export async function search({
  worlds: count,
  seed,
  atOnce = 8,
  without = [],
  stage,
  changed = false,
  shrinkMs = 30_000,
  onFailure,
  onProgress,
}: Search): Promise<Found> {
  const found: Found = { worlds: 0, outcomes: {}, failed: [] };
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const own = seed + next++;
      const { outcome, failure } = await judgeSeed(own, without, stage, shrinkMs, changed).catch(
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

/** Runs a seed's world; shrinks a failing one while it fails by the same claim. */
async function judgeSeed(
  seed: number,
  without: readonly ClaimName[],
  stage: StageMaker,
  shrinkMs: number,
  changed: boolean,
): Promise<Judged> {
  const first = drawn(seed);
  const run = (world: World) => (changed ? liveChanged(world, seed, stage) : live(world, without, stage));
  const verdict = await run(first);
  const outcome = verdict.outcome.split(":")[0] ?? "";
  const [worst] = verdict.violations;
  if (worst === undefined) return { outcome };
  let { violations } = verdict;
  const fails = async (smaller: World) => {
    const again = await run(smaller);
    const isAlike = again.violations.some(({ claim }) => claim === worst.claim);
    if (isAlike) violations = again.violations;
    return isAlike;
  };
  const world = await shrink(first, fails, shrinkMs);
  return {
    outcome,
    failure: {
      seed,
      claims: [...new Set(verdict.violations.map(({ claim }) => claim))],
      violations,
      text: [...violations.map((one) => `${one.claim}: ${one.text}`), text(world), ""].join("\n"),
    },
  };
}
