import { concernsOneQuestion, InvalidInputError, NotFoundError, shortReason } from "../../http/errors";
import { type LookAhead, type PlannedEffects } from "../resource-kind";
import { type Run } from "../run";

/** The engine checks resources one by one, so a slow tenant must not hold up a preview. */
const LONGEST_LOOK_AHEAD_MS = 10_000;

/**
 * Adds the effects of a change that only the tenant knows. Previews also work without network and
 * credentials: a line says what couldn't be read. An unreachable tenant is tried only once in a run.
 */
export async function lookAhead(effects: PlannedEffects, run: Run): Promise<PlannedEffects> {
  const { lookAhead: question, ...known } = effects;
  if (question === undefined) return known;
  const seen = await look(question, run);
  return {
    ...known,
    lines: [...known.lines, ...seen.lines],
    problems: [...(known.problems ?? []), ...(seen.problems ?? [])],
    acts: [...known.acts, ...seen.acts],
  };
}

async function look(question: LookAhead, run: Run): Promise<PlannedEffects> {
  const notAsked = (reason: string) => ({ lines: [question.notAsked(reason)], acts: [] });
  if (run.lookAheadEnded !== undefined) return notAsked(run.lookAheadEnded);
  const signal = AbortSignal.timeout(LONGEST_LOOK_AHEAD_MS);
  try {
    return await question.ask(signal);
  } catch (error) {
    if (error instanceof NotFoundError) {
      const advice = "Check the ids: what one of them names is not on the tenant (any more).";
      return { lines: [], acts: [], problems: [`${error.message} ${advice}`] };
    }
    if (error instanceof InvalidInputError) return { lines: [], acts: [], problems: [error.message] };
    const reason = signal.aborted ? `no answer within ${LONGEST_LOOK_AHEAD_MS / 1000} s` : shortReason(error);
    if (!concernsOneQuestion(error)) run.lookAheadEnded = reason;
    return notAsked(reason);
  }
}
