import { type AsyncLocalStorage } from "node:async_hooks";
import { turnOfTheLoop } from "./turn-of-the-loop";

/*
 * Inline programs of the Automation API run in the process that automates. What their workspace has in `envVars` reaches
 * Pulumi's engine and the dynamic provider host, and so the resources, but not the program, and so not data sources.
 */

/** Where to put settings that an inline program lacks. */
export const INLINE_ADVICE =
  "This is an inline program of the Automation API: the envVars of its workspace reach resources, but not data sources, " +
  "which run in the process of the program. Set stack configuration (stack.setConfig) or process.env instead, or give " +
  "resources and data sources a Provider.";

/** The run of an inline program that this code belongs to: the SDK keeps its own state of the run there. */
function inlineRun(): object | undefined {
  const { asyncLocalStorage } = globalThis as { asyncLocalStorage?: AsyncLocalStorage<object> };
  return asyncLocalStorage?.getStore();
}

export function isInline(): boolean {
  return inlineRun() !== undefined;
}

const refusals = new WeakMap<object, Error>();

/** Keeps resources of this run that are not registered yet from being registered. */
export function refuseRun(error: Error): void {
  const run = inlineRun();
  if (run !== undefined) refusals.set(run, error);
}

/**
 * As an input it delays the registration of a resource by one turn of the loop. If a data source finds in this time that
 * it has no settings, the resource is not registered, and nothing is half applied. It carries no value.
 */
export async function untilNotRefused(): Promise<undefined> {
  const run = inlineRun();
  if (run === undefined) return undefined;
  await turnOfTheLoop();
  const error = refusals.get(run);
  if (error !== undefined) throw error;
  return undefined;
}
