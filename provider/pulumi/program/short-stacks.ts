/**
 * Keeps stacks to one line from `begin` to `end`.
 *
 * While it registers a resource, the SDK takes four stacks for each property, and looks their lines up in source maps. It shows
 * them only if `PULUMI_DEBUG_PROMISE_LEAKS` is set. They would be half of what a resource costs the program.
 */
export class ShortStacks {
  #limit: number | undefined;

  begin(): void {
    if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || this.#limit !== undefined) return;
    this.#limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 1;
  }

  end(): void {
    if (this.#limit !== undefined) Error.stackTraceLimit = this.#limit;
    this.#limit = undefined;
  }
}
