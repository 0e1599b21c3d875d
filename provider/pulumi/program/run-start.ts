import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isInline, ProgramMemory } from "./program-run";

/*
 * `pulumi up` runs a program twice, for its preview and for the update, which somebody may confirm much later. What the preview has
 * shown holds for the update, too: the moment of both is the start of the command. It is that of the process that has started
 * the language host, which has started this one.
 */

const MOMENT = new ProgramMemory("moment/1", () => ({ moment: startOfCommand() ?? Date.now() }));

/** When the run began of which this program is a part: the same for each copy of this package. */
export function momentOfProgram(): number {
  return MOMENT.recall()?.moment ?? Date.now();
}

/** Undefined where it can't be known: then it is the start of the program. */
function startOfCommand(): number | undefined {
  if (isInline() || process.env["PULUMI_NODEJS_ENGINE"] === undefined) return undefined;
  try {
    const start = process.platform === "linux" ? startOnLinux(process.ppid) : startOnMac(process.ppid);
    return start <= Date.now() ? start : undefined;
  } catch {
    return undefined;
  }
}

/** Linux counts in hundredths of a second since its own start. */
const TICK_MS = 10;

function startOnLinux(languageHost: number): number {
  const [, parent] = statOf(languageHost);
  const command = statOf(Number(parent));
  const [, boot] = /^btime (\d+)$/m.exec(readFileSync("/proc/stat", "utf8")) ?? [];
  return checked(command.name, Number(boot) * 1000 + Number(command[19]) * TICK_MS);
}

/** State, parent and so on: the name before them may hold spaces and brackets. */
function statOf(process: number): string[] & { name: string } {
  const text = readFileSync(`/proc/${process}/stat`, "utf8");
  const end = text.lastIndexOf(")");
  return Object.assign(text.slice(end + 2).split(" "), { name: text.slice(text.indexOf("(") + 1, end) });
}

function startOnMac(languageHost: number): number {
  const ask = (what: string, process: number) =>
    execFileSync("/bin/ps", ["-o", `${what}=`, "-p", String(process)], {
      encoding: "utf8",
      env: { LC_ALL: "C", TZ: "UTC" },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const command = Number(ask("ppid", languageHost));
  return checked(ask("comm", command), Date.parse(`${ask("lstart", command)} UTC`));
}

/** Other processes that run a program may live for days. */
function checked(name: string, start: number): number {
  if (!/(^|\/)pulumi$/.test(name) || Number.isNaN(start)) throw new Error("It is not the command.");
  return start;
}
