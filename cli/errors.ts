import { type Cases, firstOf } from "../provider/sentence";

/** The exit codes of commands; from 3 on, the review's. */
export const INPUT_UNUSABLE = 1;
export const USAGE = 2;
export const NEEDS_APPROVAL = 3;
export const PREVIEW_FAILED = 4;
export const NOT_AS_REVIEWED = 5;
export const CODE_HOST_FAILED = 6;

/** Ends a command with a sentence on what's wrong and what to do. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = INPUT_UNUSABLE,
  ) {
    super(message);
  }
}

/** Throws the first sentence that is true of options that make no sense together. */
export function refuseMisuse(cases: Cases<string>): void {
  const sentence = firstOf(cases);
  if (sentence !== undefined) throw new CommandError(sentence, USAGE);
}

/** Returns what a call returns, or the error that it throws if that is of the expected type. */
export async function orError<Value, Expected extends Error>(
  type: abstract new (...given: never[]) => Expected,
  call: () => Value | Promise<Value>,
): Promise<Value | Expected> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof type) return error;
    throw error;
  }
}
