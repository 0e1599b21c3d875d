import * as pulumi from "@pulumi/pulumi";
import { type AsyncLocalStorage } from "node:async_hooks";
import { MessageChannel } from "node:worker_threads";

/** The key in a program's stack resource for this package's memory. Permanent across releases. */
const PROGRAM = Symbol.for("pulumi-identity.program");

/** The SDK creates one per run, even if several programs run in one process, and drops it at the end. */
type Stack = pulumi.Resource & { [PROGRAM]?: Map<string | symbol, unknown> };

/**
 * The package's memory of the running program: created on first use, and gone with the run.
 *
 * A program may load several copies of the package, of different releases: its own, and a component
 * library's. They all share a memory whose key is a text. It contains records, lists, maps and sets, never
 * objects with methods of this package. The key ends in a version number of that shape: a release that
 * changes the shape takes the next number, and shares nothing with earlier ones. With a symbol for a key, a
 * memory is the copy's own.
 */
export class ProgramMemory<T extends object> {
  constructor(
    private readonly key: string | symbol,
    private readonly make: () => T,
  ) {}

  /** Undefined if no program runs, as in a script without an engine. */
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

/** True under `pulumi.runtime.setMocks`, without tenant, engine or provider host. */
export function isMocked(): boolean {
  const monitor = pulumi.runtime.getMonitor() as { mocks?: unknown } | undefined;
  return monitor?.mocks !== undefined;
}

/*
 * Inline programs of the Automation API run in the calling process. Their workspace's `envVars` reach
 * Pulumi's engine and the dynamic provider host, and so the resources, but not the program and its data
 * sources.
 */

const INLINE_ADVICE =
  "This is an inline program of the Automation API: the envVars of its workspace reach resources, but not data sources, " +
  "which run in the process of the program. Set stack configuration (stack.setConfig) or process.env instead, or give " +
  "resources and data sources a Provider.";

const OUTSIDE_ADVICE =
  "No program of Pulumi runs here, as in a script, or in a transform or hook of an inline program, so stack configuration " +
  "doesn't count. Ask in the program itself, set process.env, or give a Provider.";

/** Advice for a data source that lacks settings, where there are others than it sees. */
export function adviceOnPlace(): string | undefined {
  if (isInline()) return INLINE_ADVICE;
  return pulumi.runtime.getStackResource() === undefined ? OUTSIDE_ADVICE : undefined;
}

/** For an inline program, the SDK keeps separate state of the run there. */
export function isInline(): boolean {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: AsyncLocalStorage<object> };
  return asyncLocalStorage?.getStore() !== undefined;
}

/**
 * Settles after everything that is ready has run. By then a program has declared all that it declares without
 * waiting. Unlike `setImmediate`, a message also comes under fake timers.
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

/** The call by which the SDK tells the engine that the program has declared everything. */
interface Monitor {
  signalAndWaitForShutdown?: (request: unknown, callback: (error: Error | null) => void) => void;
  [GUARDED]?: true;
}

/** On the connection of an inline run whose end is guarded, whichever copy of the package does it. */
const GUARDED = Symbol.for("pulumi-identity.guarded");

/**
 * Keeps the engine from deleting what an inline program that failed hadn't declared yet. The SDK (3.276)
 * tells the engine that such a program is done before it looks whether it failed in an `apply`, or in a
 * promise that nobody awaits. The engine then takes the rest of the stack for removed, and deletes it.
 */
export function guardInlineRun(): void {
  if (!isInline() || isMocked()) return;
  const monitor = pulumi.runtime.getMonitor() as unknown as Monitor | undefined;
  const signal = monitor?.signalAndWaitForShutdown;
  if (monitor === undefined || signal === undefined || monitor[GUARDED] === true) return;
  monitor[GUARDED] = true;
  monitor.signalAndWaitForShutdown = (request, callback) => {
    // Node.js reports a rejection that nobody handled after everything else that is ready has run.
    void turnOfTheLoop().then(() => {
      if (pulumi.log.hasErrors())
        callback(new Error("The program failed, so nothing is deleted that it didn't get to."));
      else signal.call(monitor, request, callback);
    });
  };
}
