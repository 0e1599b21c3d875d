import { whenCancelled } from "./end-of-run";

/** The way from the engine to the handlers, with what they get beside their arguments. */
export interface Door {
  /** Address of the engine, e.g. `127.0.0.1:43117`; undefined where none has started this process. */
  engine: string | undefined;
  /** Shows a line to the person at the CLI. Default: prints it, which is what the SDK's host passes on. */
  write?: (line: string) => void;
  /** Calls `onCancel` when the engine cancels the run, or is gone. */
  whenCancelled: (onCancel: (reason: string) => void) => void;
}

/** The dynamic provider host of the SDK, which gives a handler nothing but its arguments. */
export function dynamicDoor(): Door {
  const [, script = "", address] = process.argv;
  return { engine: /dynamic-provider/.test(script) ? address : undefined, whenCancelled };
}

/** Settings as a door brings them. */
export interface HostConfig {
  get: (key: string) => string | undefined;
  /** The keys that were given; the SDK does not promise it. Without it, unknown ones go unnoticed. */
  rawConfig?: Record<string, unknown>;
  projectName?: string;
  /** True where a refresh or destroy gets today's settings. Default: it gets those of the last `up`. */
  isCurrent?: boolean;
}
