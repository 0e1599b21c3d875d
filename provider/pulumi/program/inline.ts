import { type AsyncLocalStorage } from "node:async_hooks";

/*
 * Inline programs of the Automation API run in the process that automates. What their workspace has in `envVars` reaches
 * Pulumi's engine and the dynamic provider host, and so the resources, but not the program, and so not data sources.
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
