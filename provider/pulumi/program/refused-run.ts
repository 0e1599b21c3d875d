import { ProgramMemory, turnOfTheLoop } from "./program-run";

const REFUSAL = new ProgramMemory(
  "refusal/1",
  (): { error?: Error; turn?: Promise<void> | undefined } => ({}),
);

/** Errors of this run by their messages. */
const TOLD = new ProgramMemory(Symbol("refusals"), () => new Map<string, Error>());

/** Keeps resources of this run that are held back from being registered; answers the error to throw. */
export function refuseRun(error: Error): Error {
  // The SDK tells of each error once, and knows it by its identity.
  const told = TOLD.recall() ?? new Map<string, Error>();
  const known = told.get(error.message) ?? keepMessage(error);
  told.set(error.message, known);
  const refusal = REFUSAL.recall();
  if (refusal !== undefined) refusal.error ??= known;
  return known;
}

/** The SDK puts the name of the input before the message, again for each input: those that are refused here nobody wrote. */
function keepMessage(error: Error): Error {
  const { message } = error;
  return Object.defineProperty(error, "message", { get: () => message, set: () => undefined });
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
