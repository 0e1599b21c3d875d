import { concernsOneQuestion, NotFoundError, shortReason } from "../../http/errors";
import { type Context, type LookAhead, type PlannedEffects } from "../resource-kind";
import { type Run } from "../run";

/** The engine checks one resource after the other: a slow tenant must not hold up a preview. */
const LONGEST_LOOK_AHEAD_MS = 10_000;

/**
 * Adds to the effects of a change what only the tenant can tell. Previews work without network and
 * credentials: what could not be asked is told as a line. A tenant that can't be reached is asked once in a
 * run.
 */
export async function lookAhead(
  effects: PlannedEffects,
  run: Run,
  context: () => Context,
): Promise<PlannedEffects> {
  const { lookAhead: question, ...known } = effects;
  if (question === undefined) return known;
  const seen = await look(question, run, context);
  return {
    ...known,
    lines: [...known.lines, ...seen.lines],
    losses: [...known.losses, ...seen.losses],
    problems: [...(known.problems ?? []), ...(seen.problems ?? [])],
    writes: [...(known.writes ?? []), ...(seen.writes ?? [])],
  };
}

async function look(question: LookAhead, run: Run, context: () => Context): Promise<PlannedEffects> {
  const notAsked = (reason: string) => ({ lines: [question.notAsked(reason)], losses: [] });
  if (run.lookAheadEnded !== undefined) return notAsked(run.lookAheadEnded);
  const signal = AbortSignal.timeout(LONGEST_LOOK_AHEAD_MS);
  try {
    return await question.ask(context(), signal);
  } catch (error) {
    if (error instanceof NotFoundError) {
      const advice = "Check the ids: what one of them names is not on the tenant (any more).";
      return { lines: [], losses: [], problems: [`${error.message} ${advice}`] };
    }
    const reason = signal.aborted ? `no answer within ${LONGEST_LOOK_AHEAD_MS / 1000} s` : shortReason(error);
    if (!concernsOneQuestion(error)) run.lookAheadEnded = reason;
    return notAsked(reason);
  }
}
