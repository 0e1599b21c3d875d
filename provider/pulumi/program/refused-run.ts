import { ProgramMemory, turnOfTheLoop } from "./program-run";

const REFUSAL = new ProgramMemory(
  "refusal/1",
  (): { error?: Error; turn?: Promise<void> | undefined } => ({}),
);

/** Keeps resources of this run that are held back from being registered; answers the error. */
export function refuseRun(error: Error): Error {
  const refusal = REFUSAL.recall();
  if (refusal !== undefined) refusal.error ??= error;
  return error;
}

/**
 * As an input it delays the registration of a resource by one turn of the loop. If the program finds in this time that it must
 * not run, the resource is not registered, and nothing is half applied. It carries no value.
 */
export async function untilNotRefused(): Promise<undefined> {
  const refusal = REFUSAL.recall();
  if (refusal === undefined) return undefined;
  refusal.turn ??= turnOfTheLoop().finally(() => (refusal.turn = undefined));
  await refusal.turn;
  if (refusal.error !== undefined) throw refusal.error;
  return undefined;
}
