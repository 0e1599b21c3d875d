import * as pulumi from "@pulumi/pulumi";

/**
 * What a resource class remembers of the program that runs: made when it is first asked for, and gone with the program. A
 * process can run several programs, and tests run many; each has a stack of its own.
 */
export class ProgramMemory<T> {
  readonly #ofPrograms = new WeakMap<pulumi.Resource, T>();

  constructor(private readonly make: () => T) {}

  /** Undefined where no program runs, as in a unit test without a stack. */
  recall(): T | undefined {
    const stack = pulumi.runtime.getStackResource();
    if (stack === undefined) return undefined;
    const known = this.#ofPrograms.get(stack) ?? this.make();
    this.#ofPrograms.set(stack, known);
    return known;
  }
}
