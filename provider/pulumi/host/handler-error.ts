import { inspect } from "node:util";
import { IdentityError } from "../../http/errors";

/**
 * The error as the engine gets it, which shows the message at the resource. The SDK's host prints the error
 * and its stack as well, without the resource: a few words stand there, so that the message appears once.
 */
export class HandlerError extends IdentityError {
  override stack = "see the error of the resource.";

  constructor(
    message: string,
    /** Of a resource that was made or changed in part; the SDK looks for these by name. */
    partial?: { id: string; properties: object; reasons: string[] },
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
