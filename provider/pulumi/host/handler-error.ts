import { inspect } from "node:util";
import { type Clean } from "../../border";
import { IdentityError } from "../../http/errors";

/**
 * The error as the engine gets it and shows it at the resource. The SDK's host also prints the error and its
 * stack, without the resource. There it gets just a few words, so that the message appears only once.
 */
export class HandlerError extends IdentityError {
  declare readonly message: Clean;
  override stack = "see the error of the resource.";

  constructor(
    message: Clean,
    /** For a resource created or changed in part; the SDK looks for these names. */
    partial?: { id: string; properties: object; reasons: Clean[] },
  ) {
    super(message);
    Object.assign(this, partial);
  }

  override toString(): string {
    return "An operation failed";
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ""
    ? error.message
    : `Unexpected failure: ${inspect(error)}`;
}
