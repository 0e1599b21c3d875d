import * as pulumi from "@pulumi/pulumi";
import { type AsyncLocalStorage } from "node:async_hooks";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { MessageChannel } from "node:worker_threads";
import { RunFolder } from "../run-folder";

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

/** Whether a copy of the package has begun to leave something, be it this one. */
const BEGUN = new ProgramMemory("run-folder/1", () => ({ isBegun: false }));
const FOLDER = new ProgramMemory(Symbol("run folder"), () => ({ folder: begin() }));

/**
 * Where a program leaves what hosts can't know. Undefined without an engine, and for inline programs: their
 * process does not end with the run, so that nothing would tell what they have left from what another run
 * needs.
 */
export function folderOfProgram(): RunFolder | undefined {
  return FOLDER.recall()?.folder;
}

function begin(): RunFolder | undefined {
  const engine = process.env["PULUMI_NODEJS_ENGINE"];
  const program = BEGUN.recall();
  if (engine === undefined || program === undefined || isMocked() || isInline()) return undefined;
  if (!program.isBegun) RunFolder.remove(engine);
  program.isBegun = true;
  // The language host has started this process, and ends with the run.
  return RunFolder.of(engine, process.ppid);
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

const REFUSAL = new ProgramMemory(
  "refusal/1",
  (): { error?: Error; turn?: Promise<void> | undefined } => ({}),
);

/** Errors of this run by their messages. */
const TOLD = new ProgramMemory(Symbol("refusals"), () => new Map<string, Error>());

/** Keeps resources of this run that are held back from being registered; answers the error to throw. */
export function refuseRun(error: Error): Error {
  // The SDK tells of each error once, and knows it by its identity.
  const told = TOLD.recall() ?? new Map<string, Error>();
  const known = told.get(error.message) ?? keepMessage(error);
  told.set(error.message, known);
  const refusal = REFUSAL.recall();
  if (refusal !== undefined) refusal.error ??= known;
  return known;
}

/** The SDK would put an input's name before the message, once for each: nobody wrote these inputs. */
function keepMessage(error: Error): Error {
  const { message } = error;
  return Object.defineProperty(error, "message", { get: () => message, set: () => undefined });
}

/**
 * As an input it delays the registration of a resource by one turn of the loop. If the program finds in this
 * time that it must not run, the resource is not registered, and nothing is half applied. It carries no
 * value.
 */
export async function untilNotRefused(): Promise<undefined> {
  const refusal = REFUSAL.recall();
  if (refusal === undefined) return undefined;
  refusal.turn ??= turnOfTheLoop().finally(() => (refusal.turn = undefined));
  await refusal.turn;
  if (refusal.error !== undefined) throw refusal.error;
  return undefined;
}

/*
 * `pulumi up` runs a program twice, for its preview and for the update, which somebody may confirm much
 * later. What the preview has shown holds for the update, too: the moment of both is the start of the
 * command. It has started the language host, which has started this process.
 */

const MOMENT = new ProgramMemory("moment/1", () => ({ moment: startOfCommand() ?? Date.now() }));

/** When the run began of which this program is a part: the same for each copy of this package. */
export function momentOfProgram(): number {
  return MOMENT.recall()?.moment ?? Date.now();
}

function startOfCommand(): number | undefined {
  if (isInline() || process.env["PULUMI_NODEJS_ENGINE"] === undefined) return undefined;
  const ask = process.platform === "linux" ? askLinux : process.platform === "darwin" ? askMac : undefined;
  try {
    const { name, start } = ask?.(process.ppid) ?? {};
    // Others that run a program may live for days.
    const isCommand = name !== undefined && /(^|\/)pulumi$/.test(name);
    return isCommand && start !== undefined && start <= Date.now() ? start : undefined;
  } catch {
    return undefined;
  }
}

interface Process {
  name: string;
  start: number;
}

/** Linux counts in hundredths of a second since its own start. */
const TICK_MS = 10;

function askLinux(child: number): Process {
  const command = statOf(Number(statOf(child).fields[1]));
  const [, boot] = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? [];
  return { name: command.name, start: Number(boot) * 1000 + Number(command.fields[19]) * TICK_MS };
}

/** The fields behind the name, which may hold spaces and brackets itself: the state, the parent and so on. */
function statOf(process: number): { name: string; fields: string[] } {
  const text = readFileSync(`/proc/${process}/stat`, "utf8");
  const end = text.lastIndexOf(")");
  return { name: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
}

function askMac(child: number): Process {
  const ask = (what: string, process: number) =>
    execFileSync("/bin/ps", ["-o", `${what}=`, "-p", String(process)], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const command = Number(ask("ppid", child));
  return { name: ask("comm", command), start: Date.parse(`${ask("lstart", command)} UTC`) };
}
