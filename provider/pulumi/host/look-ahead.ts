import { concernsOneQuestion, NotFoundError, shortReason } from "../../http/errors";
import { type Context, type LookAhead, type PlannedEffects } from "../resource-kind";
import { type Run } from "../run";

/** The engine checks one resource after the other: a slow tenant must not hold up a preview. */
const LONGEST_LOOK_AHEAD_MS = 10_000;

export interface Seen extends Pick<PlannedEffects, "lines" | "losses" | "writes"> {
  /** Problems of the inputs that only the tenant knows of. */
  problems: string[];
}

/**
 * Asks the tenant what a change is going to do. Previews work without network and credentials: what could not
 * be asked is told as a line. A tenant that can't be reached is asked once in a run.
 */
export async function look(lookAhead: LookAhead, run: Run, context: () => Context): Promise<Seen> {
  const notAsked = (reason: string): Seen => ({
    lines: [lookAhead.notAsked(reason)],
    losses: [],
    problems: [],
  });
  if (run.lookAheadEnded !== undefined) return notAsked(run.lookAheadEnded);
  const signal = AbortSignal.timeout(LONGEST_LOOK_AHEAD_MS);
  try {
    return { ...(await lookAhead.ask(context(), signal)), problems: [] };
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
