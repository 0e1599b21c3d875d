import type { Agent } from "undici";

/**
 * undici as a whole takes longer to load than all else here, most of it for what is not used, and makes the `fetch` of the
 * process send through it. So the class is loaded from its own file, or, where a release has moved that, from the whole.
 */
export function agentClass(): typeof Agent {
  /* eslint-disable @typescript-eslint/no-require-imports -- an import can't be tried */
  try {
    return require("undici/lib/dispatcher/agent.js") as typeof Agent;
  } catch {
    return (require("undici") as { Agent: typeof Agent }).Agent;
  }
}
