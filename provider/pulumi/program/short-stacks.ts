/**
 * Keeps stacks to one line from `begin` to `end`.
 *
 * While it registers a resource, the SDK takes four stacks for each property, and looks their lines up in source maps. It shows
 * them only if `PULUMI_DEBUG_PROMISE_LEAKS` is set. They would be half of what a resource costs the program.
 */
export class ShortStacks {
  /** What the limit was; undefined while stacks are not short. */
  #before: { limit: number } | undefined;

  begin(): void {
    if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || this.#before !== undefined) return;
    const limit = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit");
    // A program may have frozen it; without one, or with one that is no number, there are no stacks.
    if (limit?.writable !== true || typeof limit.value !== "number") return;
    this.#before = { limit: limit.value };
    Error.stackTraceLimit = 1;
  }

  end(): void {
    if (this.#before !== undefined) Error.stackTraceLimit = this.#before.limit;
    this.#before = undefined;
  }

  /** An error that was thrown in between, with the lines of the program that its stack lacks. */
  ended(error: unknown): unknown {
    if (this.#before === undefined) return error;
    this.end();
    if (!(error instanceof Error) || framesOf(error).length > 1) return error;
    const [, ...callers] = framesOf(new Error());
    error.stack = [error.stack, ...callers].join("\n");
    return error;
  }
}

function framesOf({ stack = "" }: Error): string[] {
  return stack.split("\n").filter((line) => line.startsWith("    at "));
}
