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
