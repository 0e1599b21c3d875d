/** The exit codes that all commands share. */
export const INPUT_UNUSABLE = 1;
export const USAGE = 2;
export const CODE_HOST_FAILED = 6;

/** Ends a command with a sentence that says what is wrong and what to do. */
export class CommandError extends Error {
  constructor(
    message: string,
    readonly exitCode: number = INPUT_UNUSABLE,
  ) {
    super(message);
  }
}
