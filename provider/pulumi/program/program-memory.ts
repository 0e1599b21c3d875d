import * as pulumi from "@pulumi/pulumi";

/** Where the stack resource of a program holds what this package remembers of it. Permanent: other releases look there, too. */
const PROGRAM = Symbol.for("pulumi-identity.program");

/** The SDK has one for each run of a program, also where several run in one process, and drops it with the run. */
type Stack = pulumi.Resource & { [PROGRAM]?: Map<string | symbol, unknown> };

/**
 * What this package remembers of the program that runs: made when it is first asked for, and gone with the run.
 *
 * A program may load several copies of the package, of several releases: its own, and that of a component library. A memory
 * whose key is a text is one for all of them. It holds records, lists, maps and sets, and nothing that has methods of this
 * package. The key ends in the number of that shape: a release that changes the shape takes the next number, and shares nothing
 * with those before it. With a symbol for a key, a memory is the copy's own.
 */
export class ProgramMemory<T extends object> {
  constructor(
    private readonly key: string | symbol,
    private readonly make: () => T,
  ) {}

  /** Undefined where no program runs, as in a script without an engine. */
  recall(): T | undefined {
    const stack: Stack | undefined = pulumi.runtime.getStackResource();
    if (stack === undefined) return undefined;
    if (stack[PROGRAM] === undefined) Object.defineProperty(stack, PROGRAM, { value: new Map() });
    const memories = stack[PROGRAM] as Map<string | symbol, unknown>;
    const known = (memories.get(this.key) as T | undefined) ?? this.make();
    memories.set(this.key, known);
    return known;
  }
}
