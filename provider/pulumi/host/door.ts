import { type Clean } from "../../border";
import { type Run } from "../run";
import { whenCancelled } from "./end-of-run";

/** The way from the engine to the handlers, with everything they get besides arguments. */
export interface Door {
  /** Address of the engine, e.g. `127.0.0.1:43117`; undefined if none has started this process. */
  engine: string | undefined;
  /** Shows a line to the person at the CLI. Default: prints it, and the SDK's host passes it on. */
  write?: (line: Clean) => void;
  /** Calls `onCancel` when the engine cancels the run, or is gone. */
  whenCancelled: (onCancel: (reason: string) => void) => void;
  /** The runs of its tenants, which the handlers of all kinds share. */
  runs: Map<string, Run>;
  /** The program's folder, if the stack's configuration has to be looked for there. */
  folder?: string;
  /** True if every call says which resource it is about. Otherwise `check` leaves its name in the inputs. */
  namesResources: boolean;
}

/** Of this process: each kind makes a door of its own. */
const runs = new Map<string, Run>();

/** The SDK's dynamic provider host, which gives a handler nothing but its arguments. */
export function dynamicDoor(): Door {
  const [, script = "", address] = process.argv;
  const engine = /dynamic-provider/.test(script) ? address : undefined;
  return { engine, runs, whenCancelled, namesResources: false, folder: process.cwd() };
}

/** Settings as a door provides them. */
export interface HostConfig {
  get: (key: string) => string | undefined;
  /** The keys that were given. The SDK doesn't promise it; without it, unknown keys go unnoticed. */
  rawConfig?: Record<string, unknown>;
  projectName?: string;
  /** True if a refresh or destroy gets today's settings. Default: those of the last `up`. */
  isCurrent?: boolean;
  /** The keys of the stack's configuration of today, in every run. */
  todaysKeys?: readonly string[];
}
