import { inspect } from "node:util";
import { IdentityError } from "../../http/errors";

/**
 * What the engine is told. It shows the message at the resource; the host besides prints the error and its stack, which
 * would tell the same once more without saying of which resource.
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

/** Whatever was thrown, as a sentence. */
export function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== ""
    ? error.message
    : `Unexpected failure: ${inspect(error)}`;
}
