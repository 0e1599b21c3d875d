import * as pulumi from "@pulumi/pulumi";
import { type AsyncLocalStorage } from "node:async_hooks";
import { MessageChannel } from "node:worker_threads";

/** Where a program's stack resource holds what this package remembers. Permanent across releases. */
const PROGRAM = Symbol.for("pulumi-identity.program");

/** The SDK has one for each run, also where several programs run in one process, and drops it at the end. */
type Stack = pulumi.Resource & { [PROGRAM]?: Map<string | symbol, unknown> };

/**
 * What this package remembers of the program that runs: made when it is first asked for, and gone with the
 * run.
 *
 * A program may load several copies of the package, of several releases: its own, and that of a component
 * library. A memory whose key is a text is one for all of them. It holds records, lists, maps and sets, and
 * nothing that has methods of this package. The key ends in the number of that shape: a release that changes
 * the shape takes the next number, and shares nothing with those before it. With a symbol for a key, a memory
 * is the copy's own.
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

/** True under `pulumi.runtime.setMocks`, where there is no tenant, engine or provider host. */
export function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}

/*
 * Inline programs of the Automation API run in the process that automates. What their workspace has in
 * `envVars` reaches Pulumi's engine and the dynamic provider host, and so the resources, but not the program,
 * and so not data sources.
 */

/** Where to put settings that an inline program lacks. */
export const INLINE_ADVICE =
  "This is an inline program of the Automation API: the envVars of its workspace reach resources, but not data sources, " +
  "which run in the process of the program. Set stack configuration (stack.setConfig) or process.env instead, or give " +
  "resources and data sources a Provider.";

/** Of an inline program the SDK keeps its own state of the run there. */
export function isInline(): boolean {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: AsyncLocalStorage<object> };
  return asyncLocalStorage?.getStore() !== undefined;
}

/**
 * Settles when all that is ready to run has run: by then a program has declared whatever it declares without
 * waiting. Unlike `setImmediate`, a message comes under fake timers, too.
 */
export function turnOfTheLoop(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.once("message", () => {
      port1.close();
      resolve();
    });
    port2.postMessage(undefined);
  });
}
